package chat

import (
	"context"
	"time"
)

// StorePause is the pause after a failure of the store.
const StorePause = time.Second

// Store keeps relay's state. Package db has the only implementation; the
// interface keeps SQL out of this package.
type Store interface {
	// Apply runs op in one transaction and returns when it is durable, or
	// with op's error and nothing changed. op must be pure but for tx and the
	// variables it sets: it may run more than once. A caller that goes away
	// does not undo it. ErrStorageFull when the disk takes no more, ErrAway
	// when the database cannot be reached.
	Apply(ctx context.Context, op func(Tx) error) error
	// Read runs op on one snapshot.
	Read(ctx context.Context, op func(Reader) error) error
	// ReadOne runs op, which reads only one thing: it costs less than Read.
	ReadOne(ctx context.Context, op func(Reader) error) error
	// Erase removes a session with everything that belongs to it, a long one
	// from its beginning and in portions, so that other changes do not wait for
	// long. It is finished even if its caller goes away.
	Erase(ctx context.Context, sessionID string) error
	// Ping reports whether a change can be stored now.
	Ping(ctx context.Context) error
	// SweepOrphans erases files of a site, or of all with nil, that were uploaded before a
	// time and belong to no message.
	SweepOrphans(ctx context.Context, site *string, before Time) error
	// SweepEmpty erases sessions of a site, or of all with nil, without a message and without a file whose visitor was last seen
	// before a time.
	SweepEmpty(ctx context.Context, site *string, before Time) error
	// EraseIdle erases the sessions of a site, or of all with nil, in which nothing happened
	// since a time.
	EraseIdle(ctx context.Context, site *string, before Time) error
	// Prune removes events and other data from before a time that is not needed
	// any more, and frees their space.
	Prune(ctx context.Context, before Time) error
	// Forget shrinks a volatile store to its bounds, oldest data first.
	Forget(ctx context.Context, now Time) error
	// Room returns how many bytes are free on the disk that the database is on, of
	// how many: 0 and 0 if it is on another machine.
	Room() (free, total int64)
}

// SessionStore is a [Store] that can commit changes of different sessions together.
type SessionStore interface {
	// ApplyTo is [Store.Apply] for an op that locks one session and no other. It is fast
	// when op, beside locking, only adds messages, events and timeline entries and saves the
	// session; when it does anything else, it is run a second time.
	ApplyTo(ctx context.Context, sessionID string, op func(Tx) error) error
}

// Reader reads one snapshot. Lookups of one row return ErrSessionNotFound,
// ErrMessageNotFound or a NotFound error.
type Reader interface {
	SessionReader
	ConversationReader
	FileReader
	DeliveryReader
	ThreadReader
	InboxReader
	FactReader
	SavedAnswerReader
	ContactReader
	DeviceReader
	MailReader
	PeopleReader
	PasskeyReader
	APIKeyReader
	SignOnReader
	TwoStepReader
	OAuthReader
	MetaReader
	SiteReader
	HookReader
	BacklogReader
	ActionReader
}

// Tx is a Reader that also writes.
type Tx interface {
	Reader
	SessionTx
	ConversationTx
	FileTx
	DeliveryTx
	ThreadTx
	InboxTx
	SavedAnswerTx
	ContactTx
	DeviceTx
	MailTx
	PeopleTx
	PasskeyTx
	APIKeyTx
	SignOnTx
	TwoStepTx
	OAuthTx
	MetaTx
	SiteTx
	HookTx
	BacklogTx
	Fencer
	ActionTx
}

// SessionQuery selects sessions. Zero fields do not restrict.
type SessionQuery struct {
	Status Status
	Search string // part of a name, an e-mail address, a visitor id, a page or a tag, without case and accents
	Before Cursor // only sessions behind this place of the list
	Limit  int
	Empty  bool // also sessions without a message
	// Waiting: only open sessions whose visitor waits, in the order of WaitingSince, which
	// Before is a place in.
	Waiting bool
	Snoozed bool
	// Assignee is a person's id, or "" for nobody's; nil does not restrict.
	Assignee *string
	Tag      string
	Sites    SiteSet
}

// MessageQuery selects a part of a session's history: the newest messages, or
// those next to a message.
type MessageQuery struct {
	SessionID string
	Before    int64 // Seq; 0 = from the end
	After     int64 // Seq; 0 = not from the front
	Public    bool  // without internal notes
	Limit     int
}

// DeliveryQuery selects deliveries. Zero fields do not restrict.
type DeliveryQuery struct {
	Dest   string   // "" for all
	Except []string // destinations that are left out
	State  *DeliveryState
	Before *Cursor // only older deliveries than this one
	After  *Cursor // only younger ones, oldest first; the zero Cursor is before all
	Limit  int
}

// Trouble is how many deliveries are in trouble, and the newest of them.
type Trouble struct {
	Count int
	Last  Delivery // when there is one
}

// Lane is a queue that waits until a time: a session's deliveries to one sink,
// or a thread's updates.
type Lane struct {
	Key    string `db:"lane"`
	NextAt Time   `db:"next_at"`
}
