package chat

import "time"

// Act is one use of an action, stored before the request is made.
type Act struct {
	ID        string `json:"id" db:"id"`
	SessionID string `json:"sessionId" db:"session_id"`
	Site      string `json:"-" db:"site"`
	ActionID  string `json:"actionId" db:"action"`
	Name      string `json:"name" db:"name"` // of the action
	// Shown is the request as people saw it when they were asked.
	Shown string `json:"shown" db:"shown"`
	// Arguments are what the model gave, in JSON.
	Arguments string `json:"-" db:"arguments"`
	// Person is the visitor's verified id, which the action is done for; "" without one.
	Person  string `json:"-" db:"person"`
	Changes bool   `json:"changes" db:"changes"`
	State   string `json:"state" db:"state"`
	// Reason is what came of it, in words.
	Reason string `json:"reason,omitempty" db:"reason"`
	// Asked is the delivery because of which it was asked for, and Claim the one that does it.
	Asked string `json:"-" db:"asked"`
	Claim string `json:"-" db:"claim"`
	// By is who said yes or no.
	By      string `json:"by,omitempty" db:"said_by"`
	AskedAt Time   `json:"askedAt" db:"asked_at"`
	// ActionAt is when the action had been changed last.
	ActionAt Time `json:"-" db:"action_at"`
	At       Time `json:"at,omitzero" db:"at"` // when it ended, or was begun
}

// ActionTrial is what an action would do, or did, for a person who tries it.
type ActionTrial struct {
	Shown string `json:"shown"`
	// Made: the request was made. One that changes something is only shown.
	Made       bool   `json:"made"`
	Answer     string `json:"answer,omitempty"` // as the model would get it
	Error      string `json:"error,omitempty"`
	DurationMs int64  `json:"durationMs"`
}

// The states of an act.
const (
	ActWaiting  = "waiting"  // for a person's yes
	ActRunning  = "running"  // the request is about to be made, or is made
	ActDone     = "done"     // the server says so
	ActFailed   = "failed"   // it was not done
	ActUnknown  = "unknown"  // nobody knows whether it was done; relay does not repeat it
	ActDeclined = "declined" // a person said no
	ActExpired  = "expired"  // nobody said yes in time
)

// ActLife is how long an act waits for a yes.
const ActLife = 24 * time.Hour

// ErrActNotFound means that there is none with this id.
var ErrActNotFound = &Error{Kind: NotFound, Text: "Act not found"}

// ActionReader is the part of a [Reader] about the AI's actions.
type ActionReader interface {
	// Actions lists the actions of all sites, oldest first.
	Actions() ([]Action, error)
	// ActsOf lists the newest acts of a session, newest first.
	ActsOf(sessionID string, limit int) ([]Act, error)
}

// ActionTx is the part of a [Tx] about the AI's actions.
type ActionTx interface {
	// PutAction stores an action, whose name no other one of its site may have.
	PutAction(a *Action) error
}
