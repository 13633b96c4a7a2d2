package slack_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/slack"
	"relay/bridges/slack/slacktest"
	"relay/db"
	"relay/server/chat"
)

// inDoubt sends texts as one Slack message, whose answer is lost; relay is
// restarted, meanwhile something happens, and then all is settled.
func inDoubt(t *testing.T, texts []string, meanwhile func(t *testing.T, o *office, session string, ids []string)) (thread []string) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := slacktest.NewInBubble(t)
		f.Paced = true
		b, log := makeBridge(t, f, func(c *slack.Config) { c.Pause = 0 })
		o := &office{Platform: f, store: store}
		closeOffice := o.openFor(t, b)
		session := o.visit(t, "ann")
		o.say(t, session, "hello", false)
		o.settle(t)
		o.Storm(bridgetest.Storm{Seed: 1, All: 1})
		var ids []string
		for _, text := range texts {
			m, err := o.Send(t.Context(), visitor, chat.Post{SessionID: session, Content: text})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, m.ID)
		}
		time.Sleep(5 * time.Second)
		o.Storm(bridgetest.Storm{})
		o.Fail(1, bridgetest.FaultAnswerLost)
		for n := 0; o.desk.Ambiguous() == 0 && n < 1000; n++ {
			time.Sleep(10 * time.Millisecond)
		}
		if o.desk.Ambiguous() != 1 {
			t.Fatalf("%d ambiguous", o.desk.Ambiguous())
		}
		closeOffice()
		meanwhile(t, o, session, ids)
		b, _ = makeBridge(t, f, func(c *slack.Config) { c.Pause = 0 })
		closeOffice = o.openFor(t, b)
		o.settle(t)
		time.Sleep(time.Hour)
		for _, m := range o.Threads()[0].Messages {
			thread = append(thread, m.Text)
		}
		closeOffice()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
	return thread
}

// What went out as one message whose answer was lost is found again after a
// restart, whatever became of its texts and however long that takes.
func TestInDoubtAcrossRestart(t *testing.T) {
	long := "FIRST " + strings.Repeat("a", 2000)
	for name, c := range map[string]struct {
		texts     []string
		meanwhile func(t *testing.T, o *office, session string, ids []string)
		once      []string
		never     string
	}{
		"nothing happens": {[]string{"FIRST", "SECOND", "THIRD"}, func(*testing.T, *office, string, []string) {}, []string{"FIRST", "SECOND", "THIRD"}, "late"},
		"one is deleted": {[]string{"my password is hunter2", "SECOND", "THIRD"}, func(t *testing.T, o *office, session string, ids []string) {
			if err := o.Relay.Delete(t.Context(), visitor, session, ids[0]); err != nil {
				t.Fatal(err)
			}
		}, []string{"SECOND", "THIRD"}, "hunter2"},
		"one is edited": {[]string{long, "SECOND " + strings.Repeat("b", 1000)}, func(t *testing.T, o *office, session string, ids []string) {
			if _, err := o.Relay.Edit(t.Context(), visitor, session, ids[0], long+strings.Repeat("c", 1500)); err != nil {
				t.Fatal(err)
			}
		}, []string{"FIRST", "SECOND"}, "late"},
		"a note about the delay would not fit": {[]string{"FIRST " + strings.Repeat("a", 3000), "SECOND " + strings.Repeat("b", 845)},
			func(*testing.T, *office, string, []string) { time.Sleep(3 * time.Minute) }, []string{"FIRST", "SECOND"}, "late"},
		"a day passes": {[]string{"FIRST"}, func(*testing.T, *office, string, []string) { time.Sleep(25 * time.Hour) }, []string{"FIRST"}, "late"},
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
