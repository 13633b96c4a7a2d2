package chat

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"
)

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

// Note is the client id of the note that asks people whether it may be done.
func (a *Act) Note() string { return a.Asked + ".act" }

// Over says that it does not wait any more, and who decided it.
func (a *Act) Over() string {
	text := "does not wait for a yes any more: it is " + a.State
	if a.By != "" {
		text += ", and " + a.By + " was first"
	}
	return text
}

// ActRequest is an act's request in its parts, as people read it before they say yes.
type ActRequest struct {
	Method string `json:"method"`
	// Address is the host and path, and of a tool its name.
	Address   string        `json:"address"`
	Arguments []ActArgument `json:"arguments"`
}

// ActArgument is one of the values beside those in the path, exactly as it is sent.
type ActArgument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Request takes Shown apart. It is nil if that is not whole.
func (a *Act) Request() *ActRequest {
	method, rest, _ := strings.Cut(a.Shown, " ")
	address, body, _ := strings.Cut(rest, " ")
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil
	}
	out := &ActRequest{Method: method, Address: u.Host + u.EscapedPath(), Arguments: []ActArgument{}}
	if u.Fragment != "" {
		out.Address += "#" + u.EscapedFragment()
	}
	for _, pair := range strings.Split(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if errors.Join(err1, err2) != nil {
			return nil
		}
		if name != "" {
			out.Arguments = append(out.Arguments, ActArgument{name, value})
		}
	}
	if out.Arguments, err = inBody(out.Arguments, body); err != nil {
		return nil
	}
	return out
}

// inBody adds the members of a JSON object, in their order. Numbers stay as they are written.
func inBody(list []ActArgument, body string) ([]ActArgument, error) {
	if body == "" {
		return list, nil
	}
	decoder := json.NewDecoder(strings.NewReader(body))
	if t, err := decoder.Token(); err != nil || t != json.Delim('{') {
		return nil, errNoObject
	}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return nil, err
		}
		text := string(value)
		if _ = json.Unmarshal(value, &text); value[0] != '"' { // what is no string stays as it is
			text = string(value)
		}
		list = append(list, ActArgument{name.(string), text})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoObject
	}
	return list, nil
}

var errNoObject = errors.New("no JSON object")

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
	// Proof is how a session's visitor proves an e-mail address; its State is "" without one.
	Proof(sessionID string) (Proof, error)
}

// ActionTx is the part of a [Tx] about the AI's actions.
type ActionTx interface {
	// PutAction stores an action, whose name no other one of its site may have.
	PutAction(a *Action) error
	// PutProof stores how a session's visitor proves an e-mail address.
	PutProof(p *Proof) error
}
