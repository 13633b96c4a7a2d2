package slack_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// inDoubt sends texts as one Slack message, whose answer is lost; relay is
// restarted, meanwhile something happens, and then all is settled.
func inDoubt(t *testing.T, texts []string, meanwhile func(t *testing.T, h *harness, session string, ids []string)) (thread []string) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		h.Storm(bridgetest.Storm{Seed: 1, All: 1})
		var ids []string
		for _, text := range texts {
			ids = append(ids, h.Say(session, text).ID)
		}
		time.Sleep(5 * time.Second)
		h.Storm(bridgetest.Storm{})
		h.Fail(1, bridgetest.FaultAnswerLost)
		for n := 0; h.Mirror.Ambiguous() == 0 && n < 1000; n++ {
			time.Sleep(10 * time.Millisecond)
		}
		if h.Mirror.Ambiguous() != 1 {
			t.Fatalf("%d ambiguous", h.Mirror.Ambiguous())
		}
		h.restart(t, func() { meanwhile(t, h, session, ids) })
		h.Settle()
		time.Sleep(time.Hour)
		for _, m := range h.Threads()[0].Messages {
			thread = append(thread, m.Text)
		}
	})
	return thread
}

// A batch whose answer was lost is found again after a
// restart, whatever became of its texts and however long that takes.
func TestAmbiguousAcrossRestart(t *testing.T) {
	long := "FIRST " + strings.Repeat("a", 2000)
	for name, c := range map[string]struct {
		texts     []string
		meanwhile func(t *testing.T, h *harness, session string, ids []string)
		once      []string
		never     string
	}{
		"nothing happens": {[]string{"FIRST", "SECOND", "THIRD"}, func(*testing.T, *harness, string, []string) {}, []string{"FIRST", "SECOND", "THIRD"}, "late"},
		"one is deleted": {[]string{"my password is hunter2", "SECOND", "THIRD"}, func(t *testing.T, h *harness, session string, ids []string) {
			if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, ids[0]); err != nil {
				t.Fatal(err)
			}
		}, []string{"SECOND", "THIRD"}, "hunter2"},
		"one is edited": {[]string{long, "SECOND " + strings.Repeat("b", 1000)}, func(t *testing.T, h *harness, session string, ids []string) {
			if _, err := h.Relay.Edit(t.Context(), bridgetest.Visitor, session, ids[0], long+strings.Repeat("c", 1500)); err != nil {
				t.Fatal(err)
			}
		}, []string{"FIRST", "SECOND"}, "late"},
		"a note about the delay would not fit": {[]string{"FIRST " + strings.Repeat("a", 3000), "SECOND " + strings.Repeat("b", 845)},
			func(*testing.T, *harness, string, []string) { time.Sleep(3 * time.Minute) }, []string{"FIRST", "SECOND"}, "late"},
		"a day passes": {[]string{"FIRST"}, func(*testing.T, *harness, string, []string) { time.Sleep(25 * time.Hour) }, []string{"FIRST"}, "late"},
	} {
		t.Run(name, func(t *testing.T) {
			thread := strings.Join(inDoubt(t, c.texts, c.meanwhile), "\n")
			for _, word := range c.once {
				if n := strings.Count(thread, word); n != 1 {
					t.Errorf("%s is there %d times: %q", word, n, thread)
				}
			}
			if strings.Contains(thread, c.never) {
				t.Errorf("%s is there: %q", c.never, thread)
			}
		})
	}
}
