package chat_test

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

var console = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Mia"}

// expectPresence compares the status and the switch's position.
func expectPresence(t *testing.T, r *chat.Relay, when string, online bool, mode string) {
	t.Helper()
	if p := r.Presence(); p.Online != online || p.Mode != mode {
		t.Errorf("%s: online %t (%s), want %t (%s)", when, p.Online, p.Mode, online, mode)
	}
}

// At the console an operator is there while it is open and was used within
// five minutes.
func TestPresenceFollowsTheConsole(t *testing.T) {
	inHouse(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Relay
		seat := r.TakeSeat("Mia", "cookie", true)
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
		again := r.TakeSeat("Mia", "cookie", false)
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
	inHouse(t, func(t *testing.T, store *db.DB) {
		r := build(t, store).Relay
		check(t, r.SetOperatorStatus(t.Context(), false))
		check(t, r.HoldOperatorStatus(t.Context(), console, true))
		time.Sleep(12*time.Hour - time.Second)
		expectPresence(t, r, "held", true, "online")
		expectPresence(t, build(t, store).Relay, "held, after a restart", true, "online")
		time.Sleep(time.Second)
		expectPresence(t, r, "12 hours later", false, "away")
		check(t, r.ResetOperatorStatus(t.Context()))
		expectPresence(t, r, "automatic", false, "automatic")
		r.TakeSeat("Mia", "cookie", true)
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
	inHouse(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		_, err := o.Send(t.Context(), chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Tom"}, chat.Post{SessionID: id, Content: "hi"})
		check(t, err)
		time.Sleep(4 * time.Minute)
		expectPresence(t, build(t, store).Relay, "after a restart", true, "automatic")
		time.Sleep(time.Minute)
		expectPresence(t, build(t, store).Relay, "5 minutes later", false, "automatic")
		check(t, store.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("operator_acted", `"2999-01-01T00:00:00Z"`) }))
		again := build(t, store).Relay
		expectPresence(t, again, "acted in the future", true, "automatic")
		time.Sleep(5 * time.Minute)
		expectPresence(t, again, "5 minutes after that", false, "automatic")
	})
}

// The console hears of who comes and goes, visitors of the status only.
func TestPresenceIsReported(t *testing.T) {
	inHouse(t, func(t *testing.T, store *db.DB) {
		o := build(t, store)
		all, visitor := o.Hub.Subscribe(""), o.Hub.Subscribe("s1")
		defer all.Close()
		defer visitor.Close()
		o.TakeSeat("Mia", "a", true)
		o.TakeSeat("Tom", "b", true)
		var heard []string
		for len(all.C) > 0 {
			heard = append(heard, string((<-all.C).Type))
		}
		expectTexts(t, "the console", heard, "operator_status", "operator_presence", "operator_presence")
		if n := len(visitor.C); n != 1 {
			t.Errorf("the visitor heard %d events", n)
		}
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
