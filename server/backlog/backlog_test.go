package backlog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// clocked is a backlog whose time stands still until it is moved.
func clocked() (b *Backlog, now *time.Time) {
	b = New(chat.NewFileLinks("key", ""))
	now = new(time.Now())
	b.now = func() time.Time { return *now }
	return b, now
}

// write publishes operators' messages that are numbered on.
func (b *Backlog) write(first, n int, content string) {
	for i := range n {
		b.Publish(&chat.Event{SessionID: "s1", Type: chat.EventMessage, Source: "telegram", MessageID: fmt.Sprint(first + i),
			Payload: chat.Raw(fmt.Sprintf(`{"id":"%d","content":"%s","sender":"operator","attachments":[]}`, first+i, content))})
	}
}

// reading is read of an id that is one.
func (b *Backlog) reading(t *testing.T, after string) *Reader {
	t.Helper()
	r, err := b.Read(t.Context(), after, "", false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll reads what a reader has not seen yet and returns how many frames.
func (r *Reader) readAll(t *testing.T) (n int, frames string) {
	t.Helper()
	for more := true; more; {
		buf, again, err := r.Frames(nil, 4096)
		if err != nil {
			t.Fatal(err)
		}
		if len(buf) > 8192 {
			t.Errorf("%d bytes at once", len(buf))
		}
		more, frames = again, frames+string(buf)
	}
	return strings.Count(frames, "data: "), frames
}

func TestBacklogLosesNothingForFastReaders(t *testing.T) {
	b, _ := clocked()
	r := b.reading(t, "")
	for i := range 30 {
		b.write(i*1000, 1000, "x")
		if n, _ := r.readAll(t); n != 1000 {
			t.Fatalf("%d of 1000 were read", n)
		}
	}
}

func TestBacklogHoldsTheNewest(t *testing.T) {
	b, _ := clocked()
	b.write(1, Events+50, "x")
	n, frames := b.reading(t, "another-1").readAll(t)
	if n != Events || !strings.Contains(frames[:200], `"messageId":"51"`) {
		t.Errorf("%d are held, from %.120s", n, frames)
	}
	b.write(1, 100, strings.Repeat("x", 1<<20))
	if b.bytes > bytesMost || len(b.entries) < 50 {
		t.Errorf("%d bytes are held in %d events", b.bytes, len(b.entries))
	}
}

func TestBacklogDropsOldEvents(t *testing.T) {
	b, now := clocked()
	b.write(1, 10, "x")
	*now = now.Add(9 * time.Minute)
	b.write(11, 1, "x")
	if n, _ := b.reading(t, "another-1").readAll(t); n != 11 {
		t.Errorf("after nine minutes %d are held", n)
	}
	*now = now.Add(2 * time.Minute)
	if n, _ := b.reading(t, "another-1").readAll(t); n != 1 {
		t.Errorf("after eleven minutes %d are held", n)
	}
}

// A reader that is behind what is held is cut, and resumes from there.
func TestBacklogCutsSlowReaders(t *testing.T) {
	b, _ := clocked()
	slow := b.reading(t, "")
	b.write(1, Events+1, "x")
	if _, _, err := slow.Frames(nil, 1); !errors.Is(err, ErrBehind) {
		t.Errorf("err = %v", err)
	}
	if n, _ := b.reading(t, b.id(1)).readAll(t); n != Events {
		t.Errorf("back again, it reads %d", n)
	}
}

func TestBacklogClose(t *testing.T) {
	b, _ := clocked()
	early := b.reading(t, "")
	b.write(1, 1, "x")
	b.Close()
	b.Close()
	<-early.Bell // the event's, before the end's
	if n, _ := early.readAll(t); n != 1 {
		t.Errorf("%d events are read after the end, want the last one", n)
	}
	for name, r := range map[string]*Reader{"early": early, "late": b.reading(t, "")} {
		if _, open := <-r.Bell; open {
			t.Errorf("the %s stream goes on", name)
		}
		r.Close()
	}
}
