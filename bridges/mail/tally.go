package mail

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mail/mailbox"
	"github.com/relay-chat/relay/server/chat"
)

// What is counted of the e-mails that arrive, beside the kinds of package incoming.
const (
	CountTaken         = "taken"
	CountOther         = "other"         // of people who share the mailbox
	CountContradictory = "contradictory" // it names two conversations
	CountBlocked       = "blocked"
	CountGone          = "gone" // the conversation was deleted
	CountTooMany       = "too_many"
	CountUnreadable    = "unreadable"
	CountRefused       = "refused" // from somebody who is not of the team
)

// maxUnreadable bounds how many e-mails are named that cannot be read.
const maxUnreadable = 20

// Tally is what arrived in a mailbox, and how far it has been read.
type Tally struct {
	mu    sync.Mutex
	state tally
}

type tally struct {
	Box        string            `json:"box"` // which one it is
	Place      mailbox.Place     `json:"place"`
	Counts     map[string]int    `json:"counts"`
	Unreadable []chat.UnreadMail `json:"unreadable"` // the newest first
}

// NewTally reads what was stored of a mailbox. Of another one nothing is known.
func NewTally(box, stored string) *Tally {
	t := &Tally{}
	if json.Unmarshal([]byte(stored), &t.state) != nil || t.state.Box != box {
		t.state = tally{Box: box}
	}
	if t.state.Counts == nil {
		t.state.Counts = map[string]int{}
	}
	return t
}

// Place is how far the mailbox has been read.
func (t *Tally) Place() mailbox.Place {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state.Place
}

// Stored is what to store when the mailbox has been read up to a place.
func (t *Tally) Stored(place mailbox.Place) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Place = place
	return string(chat.MustJSON(t.state))
}

func (t *Tally) count(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Counts[name]++
}

func (t *Tally) unreadable(u chat.UnreadMail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.Counts[CountUnreadable]++
	t.state.Unreadable = slices.Insert(t.state.Unreadable, 0, u)[:min(len(t.state.Unreadable)+1, maxUnreadable)]
}

// Shown is what people read of it.
func (t *Tally) Shown() (counts map[string]int, unreadable []chat.UnreadMail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.state.Counts), append([]chat.UnreadMail{}, t.state.Unreadable...)
}

// dateOf is a date of an e-mail, 0 for one that is none.
func dateOf(t time.Time) chat.Time {
	if t.IsZero() || t.Year() < 1970 || t.Year() > 9999 {
		return 0
	}
	return chat.TimeOf(t)
}
