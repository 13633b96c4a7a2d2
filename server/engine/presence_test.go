package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/statistics"
)

var console = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Mia"}

// expectPresence compares the status and the switch's position.
func expectPresence(t *testing.T, r *engine.Engine, when string, online bool, mode string) {
	t.Helper()
	if p := r.Presence(); p.Online != online || p.Mode != mode {
		t.Errorf("%s: online %t (%s), want %t (%s)", when, p.Online, p.Mode, online, mode)
	}
}

// At the console an operator is there while it is open and was used within
// five minutes.
func TestPresenceFollowsTheConsole(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Engine
		seat := r.TakeSeat("Mia", "cookie", nil, true)
		expectPresence(t, r, "opened", true, "automatic")
		time.Sleep(4 * time.Minute)
		expectPresence(t, r, "4 minutes later", true, "automatic")
		time.Sleep(time.Minute)
		expectPresence(t, r, "5 minutes later", false, "automatic")
		if here := r.Presence().Operators; len(here) != 1 || here[0].Active {
			t.Errorf("who looks on is %v", here)
		}
		r.OperatorActive("Mia", 30*time.Second)
		time.Sleep(269 * time.Second)
		expectPresence(t, r, "4:59 after the activity", true, "automatic")
		time.Sleep(time.Second)
		expectPresence(t, r, "5 minutes after the activity", false, "automatic")
		again := r.TakeSeat("Mia", "cookie", nil, false)
		expectPresence(t, r, "the connection came back", false, "automatic")
		r.OperatorActive("Mia", 0)
		seat.Leave()
		expectPresence(t, r, "one of two tabs closed", true, "automatic")
		again.Leave()
		again.Leave()
		time.Sleep(4 * time.Second)
		expectPresence(t, r, "while the page is loaded again", true, "automatic")
		time.Sleep(time.Second)
		expectPresence(t, r, "closed", false, "automatic")
		if here := r.Presence().Operators; len(here) != 0 {
			t.Errorf("still there: %v", here)
		}
	})
}

// An operator's switch holds for twelve hours, "automatic" at once.
func TestPresenceSwitch(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Engine
		check(t, r.SetOperatorStatus(t.Context(), false))
		check(t, r.HoldOperatorStatus(t.Context(), console, true))
		time.Sleep(12*time.Hour - time.Second)
		expectPresence(t, r, "held", true, "online")
		expectPresence(t, build(t, store).Engine, "held, after a restart", true, "online")
		time.Sleep(time.Second)
		expectPresence(t, r, "12 hours later", false, "away")
		check(t, r.ResetOperatorStatus(t.Context(), console))
		expectPresence(t, r, "automatic", false, "automatic")
		r.TakeSeat("Mia", "cookie", nil, true)
		expectPresence(t, r, "automatic, at the console", true, "automatic")
		check(t, r.HoldOperatorStatus(t.Context(), console, false))
		expectPresence(t, r, "switched to away", false, "away")
		check(t, r.SignOut(t.Context(), "Mia", "cookie"))
		expectPresence(t, r, "signed out: away stays", false, "away")
	})
}

// An act on a bridge counts over a restart; a clock that was stepped back does
// not keep it for ever.
func TestPresenceSurvivesARestart(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		_, err := o.Send(t.Context(), chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Tom"}, engine.Post{SessionID: id, Content: "hi"})
		check(t, err)
		time.Sleep(4 * time.Minute)
		expectPresence(t, build(t, store).Engine, "after a restart", true, "automatic")
		time.Sleep(time.Minute)
		expectPresence(t, build(t, store).Engine, "5 minutes later", false, "automatic")
		check(t, store.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("operator_acted", `"2999-01-01T00:00:00Z"`) }))
		again := build(t, store).Engine
		expectPresence(t, again, "acted in the future", true, "automatic")
		time.Sleep(5 * time.Minute)
		expectPresence(t, again, "5 minutes after that", false, "automatic")
	})
}

// The console gets who comes and goes, visitors of the status only.
func TestPresenceIsReported(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		all, visitor := o.Hub.Subscribe(""), o.Hub.Subscribe("s1")
		defer all.Close()
		defer visitor.Close()
		o.TakeSeat("Mia", "a", nil, true)
		o.TakeSeat("Tom", "b", nil, true)
		var got []string
		for len(all.C) > 0 {
			got = append(got, string((<-all.C).Type))
		}
		expectTexts(t, "the console", got, "operator_status", "operator_presence", "operator_presence")
		if n := len(visitor.C); n != 1 {
			t.Errorf("the visitor got %d events", n)
		}
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shopHours are open on weekdays in UTC; these tests begin on Saturday, 1 January 2000.
const shopHours = `{"timezone":"UTC","weekly":{"monday":["09:00-17:00"]}}`

func setHours(t *testing.T, r *engine.Engine, hours string) {
	t.Helper()
	check(t, r.PatchSettings(t.Context(), map[string]json.RawMessage{"businessHours": json.RawMessage(hours)}))
}

// expectBack compares when somebody is back.
func expectBack(t *testing.T, r *engine.Engine, when, want string) {
	t.Helper()
	got := ""
	if back := r.Presence().BackAt; back != 0 {
		got = back.Std().Format("2 15:04")
	}
	if got != want {
		t.Errorf("%s: back at %q, want %q", when, got, want)
	}
}

// Automatic presence follows the business hours; the switch and operators' word win.
func TestPresenceFollowsTheHours(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Engine
		setHours(t, r, shopHours)
		expectPresence(t, r, "on Saturday", false, "automatic")
		expectBack(t, r, "on Saturday", "3 09:00")
		seat := r.TakeSeat("Mia", "cookie", nil, true)
		expectPresence(t, r, "Mia works on Saturday", true, "automatic")
		expectBack(t, r, "while Mia is there", "")
		seat.Leave()
		time.Sleep(57*time.Hour - time.Second)
		expectPresence(t, r, "Monday, 8:59:59", false, "automatic")
		time.Sleep(time.Second)
		expectPresence(t, r, "Monday, 9:00", true, "automatic")
		expectPresence(t, build(t, store).Engine, "after a restart", true, "automatic")
		check(t, r.HoldOperatorStatus(t.Context(), console, false))
		expectPresence(t, r, "switched to away", false, "away")
		expectBack(t, r, "away for 12 hours", "10 09:00")
		check(t, r.SetOperatorStatus(t.Context(), false))
		expectBack(t, r, "away until somebody changes it", "")
		check(t, r.ResetOperatorStatus(t.Context(), console))
		expectPresence(t, r, "automatic again", true, "automatic")
		time.Sleep(8 * time.Hour)
		expectPresence(t, r, "Monday, 17:00", false, "automatic")
		setHours(t, r, "null")
		expectBack(t, r, "without business hours", "")
	})
}

// A hold that ends in the middle of the hours gives them back.
func TestHoldEndsWithinTheHours(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Engine
		setHours(t, r, `{"timezone":"UTC","weekly":{"saturday":["09:00-17:00"]}}`)
		check(t, r.HoldOperatorStatus(t.Context(), console, false))
		expectBack(t, r, "held until noon", "1 12:00")
		time.Sleep(12 * time.Hour)
		expectPresence(t, r, "at noon", true, "automatic")
	})
}

// Visitors get an event when somebody is back, and of the start of the hours.
func TestHoursAreReported(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		visitor := o.Hub.Subscribe("s1")
		defer visitor.Close()
		running, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- o.Run(running) }()
		setHours(t, o.Engine, shopHours)
		time.Sleep(57*time.Hour + 3*time.Second)
		stop()
		check(t, <-ended)
		var got []string
		for len(visitor.C) > 0 {
			if e := <-visitor.C; e.Type == chat.StateOperatorStatus {
				got = append(got, string(e.Payload))
			}
		}
		expectTexts(t, "the visitor", got, `{"type":"operator_status","sessionId":"s1","online":false,"backAt":"2000-01-03T09:00:00.000Z"}`,
			`{"type":"operator_status","sessionId":"s1","online":true}`)
	})
}

// In bridge mode only the backend says who is there.
func TestHoursDoNotCountInBridgeMode(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		e, err := engine.Open(t.Context(), engine.Config{Store: store, Mode: chat.ModeBridge, Log: quiet,
			Settings: map[string]chat.Raw{"businessHours": chat.Raw(`{"timezone":"UTC","weekly":{"saturday":["00:00-24:00"]}}`)}})
		check(t, err)
		expectPresence(t, e, "during the hours", false, "automatic")
		expectBack(t, e, "in bridge mode", "")
	})
}

// The usual reply time is the median, once enough were answered.
func TestReplyTime(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		for i, wait := range []time.Duration{time.Second, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 30 * time.Hour} {
			id := o.open(t, fmt.Sprint("v", i))
			o.say(t, id, "hello")
			time.Sleep(wait)
			_, err := o.Send(t.Context(), console, engine.Post{SessionID: id, Content: "hi"})
			check(t, err)
			if i == 3 {
				expectReplyTime(t, o, 0)
			}
		}
		expectReplyTime(t, o, 2*time.Minute)
		time.Sleep(31 * 24 * time.Hour)
		expectReplyTime(t, o, 0)
	})
}

// expectReplyTime counts for as long as it takes to compute it.
func expectReplyTime(t *testing.T, o *harness, want time.Duration) {
	t.Helper()
	counter := statistics.New(o.store, o.SettingsOf, slog.New(slog.DiscardHandler))
	running, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- counter.Run(running) }()
	synctest.Wait()
	stop()
	check(t, <-ended)
	if got := counter.ReplyTime(""); got != want {
		t.Errorf("the usual reply time is %s, want %s", got, want)
	}
}
