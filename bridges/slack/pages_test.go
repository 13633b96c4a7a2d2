package slack

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// TestPagesRetry: a rate limit between two pages repeats the page that it concerns.
func TestPagesRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		limited := true
		read := func(cursor string) ([]slack.Message, string, error) {
			asked = append(asked, cursor)
			switch {
			case cursor == "":
				return make([]slack.Message, 2), "second", nil
			case limited:
				limited = false
				return nil, "", &chat.RetryAfter{After: time.Second}
			}
			return make([]slack.Message, 1), "", nil
		}
		messages := 0
		for list, err := range pages(t.Context(), 2, read) {
			if messages += len(list); err != nil {
				t.Error(err)
			}
		}
		if want := []string{"", "second", "second"}; !slices.Equal(asked, want) || messages != 3 {
			t.Errorf("asked for %q with %d messages, want %q with 3", asked, messages, want)
		}
	})
}
