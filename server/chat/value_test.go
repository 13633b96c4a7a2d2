package chat_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestTimeIsRenderedAsTimeFormats: the quick rendering is that of package time.
func TestTimeIsRenderedAsTimeFormats(t *testing.T) {
	for _, std := range []time.Time{time.UnixMilli(0), time.UnixMilli(-1), time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC),
		time.Date(2024, 2, 29, 23, 59, 59, 999e6, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-5, 6, 7, 8, 9, 10, 0, time.UTC)} {
		got, err := json.Marshal(chat.TimeOf(std))
		if want := std.UTC().Format(`"2006-01-02T15:04:05.000Z"`); err != nil || string(got) != want {
			t.Errorf("%s, want %s: %v", got, want, err)
		}
	}
}
