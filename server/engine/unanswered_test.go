package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

const shopRule = `[{"after":5,"do":"ring"},{"after":15,"do":"tell","text":"Thank you for waiting."},{"after":30,"do":"mail","to":"team@shop.example"}]`

// rungInstead is what operators read when the last step has nothing to send its e-mail with.
const rungInstead = "Nobody has answered for 30 minutes. An e-mail to team@shop.example was not sent: e-mail is not set up."

func setRule(t *testing.T, r *engine.Engine, rule string) {
	t.Helper()
	check(t, r.PatchSettings(t.Context(), map[string]json.RawMessage{"unanswered": json.RawMessage(rule)}))
}

// said are the texts of a session and, between them, how often operators were rung.
func (h *harness) said(t *testing.T, id string) (lines []string) {
	t.Helper()
	check(t, h.store.ReadOne(t.Context(), func(r chat.Reader) error {
		messages, err := r.Messages(chat.MessageQuery{SessionID: id, Limit: 100})
		if err != nil {
			return err
		}
		entries, err := r.Timeline(id, 0, 0, 100)
		at := map[int64]string{}
		for _, m := range messages {
			at[m.Seq] = m.Content
		}
		for _, e := range entries {
			var u chat.Unanswered
			if e.Type == chat.EventUnanswered && json.Unmarshal(e.Data, &u) == nil {
				at[e.Rev] = u.Content
			} else if e.Type == chat.EventSessionClosed {
				at[e.Rev] = "closed"
			}
		}
		for rev := int64(0); rev < 1000; rev++ {
			if line, ok := at[rev]; ok {
				lines = append(lines, line)
			}
		}
		return err
	}))
	return lines
}

func (h *harness) hasSaid(t *testing.T, when, id string, want ...string) {
	t.Helper()
	if got := h.said(t, id); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

func (h *harness) session(t *testing.T, id string) (s chat.Session) {
	t.Helper()
	check(t, h.store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
		s, err = r.Session(id)
		return err
	}))
	return s
}

// TestUnanswered: each step is taken once when it is due, over a restart, and none after an
// answer; what relay tells the visitor is none.
func TestUnanswered(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		setRule(t, o.Engine, shopRule)
		stop := o.run(t)
		ann, bob := o.open(t, "ann"), o.open(t, "bob")
		o.say(t, ann, "hello")
		o.say(t, bob, "hi")
		time.Sleep(5*time.Minute - time.Second)
		o.hasSaid(t, "before the first step", ann, "hello")
		time.Sleep(2 * time.Second)
		o.hasSaid(t, "after five minutes", ann, "hello", "Nobody has answered for 5 minutes.")
		stop()
		o = build(t, store)
		stop = o.run(t)
		defer func() { stop() }()
		_, err := o.Send(t.Context(), operator, engine.Post{SessionID: bob, Content: "good day"})
		check(t, err)
		time.Sleep(10 * time.Minute)
		told := []string{"hello", "Nobody has answered for 5 minutes.", "Thank you for waiting."}
		o.hasSaid(t, "after a quarter of an hour", ann, told...)
		if s := o.session(t, ann); s.WaitingSince == 0 || s.AnsweredAt != 0 || s.Unread != 1 {
			t.Errorf("what relay says counts as an answer: %+v", s)
		}
		o.say(t, ann, "still there?")
		time.Sleep(24 * time.Hour)
		o.hasSaid(t, "a day later", ann, append(told, "still there?", rungInstead)...)
		o.hasSaid(t, "who was answered", bob, "hi", "Nobody has answered for 5 minutes.", "good day")

		_, err = o.Send(t.Context(), operator, engine.Post{SessionID: ann, Content: "yes"})
		check(t, err)
		o.say(t, ann, "good")
		time.Sleep(6 * time.Minute)
		o.hasSaid(t, "the next wait", ann, append(told, "still there?", rungInstead, "yes", "good", "Nobody has answered for 5 minutes.")...)
	})
}

// TestStepTwice: a step that is delivered again, after a crash, is not taken again.
func TestStepTwice(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		setRule(t, o.Engine, `[{"after":1,"do":"tell","text":"One moment, please."}]`)
		ann := o.open(t, "ann")
		o.say(t, ann, "hello")
		var lane []chat.Delivery
		check(t, store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
			lane, err = r.Lane(chat.UnansweredSink, ann, 10)
			return err
		}))
		if len(lane) != 1 {
			t.Fatalf("%d steps wait", len(lane))
		}
		time.Sleep(time.Minute)
		for range 3 {
			_, err := o.Unanswered().Deliver(t.Context(), lane)
			check(t, err)
		}
		o.hasSaid(t, "after three attempts", ann, "hello", "One moment, please.")
	})
}

// TestUnansweredLater: nobody is rung for outside the business hours or during a snooze, but
// the visitor is told.
func TestUnansweredLater(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		setHours(t, o.Engine, shopHours)
		setRule(t, o.Engine, `[{"after":1,"do":"tell","text":"We are closed."},{"after":5,"do":"ring"}]`)
		defer o.run(t)()
		ann := o.open(t, "ann")
		o.say(t, ann, "hello") // on Saturday
		time.Sleep(57*time.Hour - time.Minute)
		o.hasSaid(t, "on Monday, before nine", ann, "hello", "We are closed.")
		time.Sleep(2 * time.Minute)
		o.hasSaid(t, "on Monday, after nine", ann, "hello", "We are closed.", "Nobody has answered for 2 days.")

		bob := o.open(t, "bob")
		o.say(t, bob, "hi")
		until := chat.Now().Add(time.Hour)
		check(t, o.Organise(t.Context(), operator, bob, engine.Organising{Until: &until}))
		time.Sleep(59 * time.Minute)
		o.hasSaid(t, "while it is snoozed", bob, "hi")
		time.Sleep(7 * time.Minute)
		if got := o.said(t, bob); len(got) != 3 {
			t.Errorf("after the snooze: %q", got)
		}
	})
}

// TestAutoClose: what nobody writes in any more is closed with the last word, and what waits
// for an answer is not.
func TestAutoClose(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		check(t, o.PatchSettings(t.Context(), map[string]json.RawMessage{"autoCloseDays": json.RawMessage("1"), "autoCloseText": json.RawMessage(`"Until next time."`)}))
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { _ = o.Run(ctx) })
		defer running.Wait()
		defer stop()
		ann, bob, eve := o.open(t, "ann"), o.open(t, "bob"), o.open(t, "eve")
		for _, id := range []string{ann, bob, eve} {
			o.say(t, id, "hello")
		}
		answer := func(id string) {
			_, err := o.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "good day"})
			check(t, err)
		}
		answer(ann)
		answer(eve)
		time.Sleep(16 * time.Hour)
		answer(eve)
		time.Sleep(9 * time.Hour)
		o.hasSaid(t, "who was answered", ann, "hello", "good day", "Until next time.", "closed")
		o.hasSaid(t, "who waits", bob, "hello")
		o.hasSaid(t, "with news of today", eve, "hello", "good day", "good day")
		o.say(t, ann, "one more thing")
		if s := o.session(t, ann); s.Status != chat.StatusOpen || s.WaitingSince == 0 {
			t.Errorf("after one more message: %+v", s)
		}
	})
}

func TestUnansweredIsChecked(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Engine
		for _, c := range []struct{ value, problem string }{
			{shopRule, ""},
			{`[]`, ""},
			{`[{"after":10080,"do":"ring"}]`, ""},
			{`{}`, "unanswered must be a list of steps like"},
			{`[{"after":5,"do":"ring","until":"x"}]`, "unanswered must be a list of steps like"},
			{`[{"after":"5","do":"ring"}]`, "unanswered[].after must be a whole number"},
			{`[{"after":0,"do":"ring"}]`, "unanswered[].after must be a number of minutes from 1 to 10080"},
			{`[{"after":10081,"do":"ring"}]`, "unanswered[].after must be"},
			{`[{"after":5,"do":"shout"}]`, "unanswered[].do must be ring, tell, mail or ai"},
			{`[{"after":5,"do":"mail","to":"the team"}]`, "unanswered[].to must be an e-mail address like team@shop.example"},
			{`[{"after":5,"do":"ring","to":"team@shop.example"}]`, "unanswered[].to is for the step mail"},
			{`[{"after":5,"do":"tell"}]`, "unanswered[].text must have 1 to 1000 characters"},
			{`[{"after":5,"do":"tell","text":"` + strings.Repeat("x", 1001) + `"}]`, "unanswered[].text must have"},
			{`[{"after":5,"do":"ring","text":"x"}]`, "unanswered[].text is for the step tell"},
			{`[{"after":5,"do":"ring"},{"after":4,"do":"ring"}]`, "unanswered[].after must not be less"},
			{`[` + strings.Repeat(`{"after":5,"do":"ring"},`, 10) + `{"after":5,"do":"ring"}]`, "at most 10 steps"},
		} {
			err := r.PatchSettings(t.Context(), map[string]json.RawMessage{"unanswered": json.RawMessage(c.value)})
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: %v, want %q", c.value, err, c.problem)
			}
		}
	})
}
