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
	// SweepOrphans erases files that were uploaded before a time and belong to no
	// message.
	SweepOrphans(ctx context.Context, before Time) error
	// SweepEmpty erases sessions without a message and without a file whose visitor was last seen
	// before a time.
	SweepEmpty(ctx context.Context, before Time) error
	// EraseIdle erases the sessions in which nothing happened since a time.
	EraseIdle(ctx context.Context, before Time) error
	// Prune removes events and other data from before a time that is not needed
	// any more, and frees their space.
	Prune(ctx context.Context, before Time) error
	// Forget shrinks a volatile store to its bounds, oldest data first.
	Forget(ctx context.Context, now Time) error
	// Room returns how many bytes are free on the disk that the database is on, of
	// how many: 0 and 0 if it is on another machine.
	Room() (free, total int64)
}

// Reader reads one snapshot. Lookups of one row return ErrSessionNotFound,
// ErrMessageNotFound or a NotFound error.
type Reader interface {
	Session(id string) (Session, error)
	// SessionHeader reads the fields that streams and permissions need: id, token,
	// status, block and revisions. The rest of the session is left empty.
	SessionHeader(id string) (Session, error)
	SessionByToken(hash string) (Session, error)
	// SessionByVisitor finds the visitor's resumable session.
	SessionByVisitor(visitorID string) (Session, error)
	// VisitorBlocked reports whether any of the visitor's sessions without a token is blocked.
	VisitorBlocked(visitorID string) (bool, error)
	// SessionsOfVisitor lists the ids of the visitor's sessions without a token that are
	// blocked, or of those that are not, in order.
	SessionsOfVisitor(visitorID string, blocked bool, limit int) ([]string, error)
	// SessionsOfBrowser is SessionsOfVisitor for the key of a browser, [Session.BrowserKey].
	SessionsOfBrowser(browser string, blocked bool, limit int) ([]string, error)
	// Sessions lists sessions, the most recently active first; the waiting ones
	// begin with the one that waits longest.
	Sessions(q SessionQuery) ([]Session, error)
	// Snoozed lists the snoozed sessions, the first due first.
	Snoozed(limit int) ([]Session, error)
	// Counts counts the conversations of each list, each up to MostCounted; person
	// is whose Mine counts.
	Counts(person string) (Counts, error)
	// TagsInUse lists the tags of all sessions by name.
	TagsInUse() ([]Tag, error)
	// Export lists sessions with messages by their number, which never
	// changes, and returns the last one's: behind it the next page begins.
	Export(after int64, limit int) (list []Session, last int64, err error)

	Message(sessionID, id string) (Message, error)
	// MessageByClientID finds a message by the id that its sender's client gave
	// it: the visitor's, or the operators'.
	MessageByClientID(sessionID string, sender Sender, clientID string) (Message, error)
	// Messages lists a part of a session's history, oldest first.
	Messages(q MessageQuery) ([]Message, error)
	// LastMessages finds the newest message of each session that is no internal
	// note.
	LastMessages(sessionIDs []string) (map[string]Message, error)
	// UnreadMessages lists the messages of a sender that are not marked as read,
	// behind one seq and up to another, oldest first.
	UnreadMessages(sessionID string, sender Sender, after, upTo int64, limit int) ([]Message, error)

	// File returns ErrAttachmentNotFound when there is none.
	File(id string) (File, error)
	Chunk(fileID string, n int) ([]byte, error)
	// UnsentBytes adds up the sizes of visitors' files that belong to no message.
	UnsentBytes() (int64, error)

	// Events lists at most limit events behind a revision, in order and up to
	// the first that is missing: old ones are pruned.
	Events(sessionID string, after int64, limit int) ([]Event, error)

	// Timeline lists the newest entries of a session's timeline from a revision
	// on and before another, 0 being the end, oldest first.
	Timeline(sessionID string, from, to int64, limit int) ([]TimelineEntry, error)

	// Lane lists the waiting deliveries of one lane in order, with their events.
	Lane(dest, sessionID string, limit int) ([]Delivery, error)
	// Lanes lists every lane of a sink that has waiting deliveries.
	Lanes(dest string) ([]Lane, error)
	// Deliveries lists deliveries for people, newest first; with
	// q.After, oldest first.
	Deliveries(q DeliveryQuery) ([]Delivery, error)

	// Delivery returns ErrDeliveryNotFound when there is none.
	Delivery(dest, sessionID string, rev int64) (Delivery, error)

	// Undelivered lists a session's deliveries in trouble, oldest
	// first: those given up, and those that have failed often (see
	// [Delivery.Troubled]).
	Undelivered(sessionID string, limit int) ([]Delivery, error)
	// Troubles counts a sink's deliveries in trouble: those given
	// up, and those that have failed often and are retried.
	Troubles(dest string) (failed, retrying Trouble, err error)
	// Waiting counts the deliveries that wait for a sink.
	Waiting(dest string) (int, error)
	// Queues describes the waiting deliveries of each sink, and updates of each bridge.
	Queues() (deliveries, updates []Queue, err error)

	// Thread finds a thread by its place, in any state, or returns
	// ErrThreadNotFound.
	Thread(bridge, channel, ref string) (Thread, error)
	// ThreadOf finds the session's newest thread in a channel that is not gone,
	// or returns ErrThreadNotFound.
	ThreadOf(sessionID, bridge, channel string) (Thread, error)
	// ThreadsOf lists the session's threads that are not gone.
	ThreadsOf(sessionID string) ([]Thread, error)
	// LinksOf lists the copies of a session's messages in a channel.
	LinksOf(sessionID, bridge, channel string) ([]Link, error)
	// LostThreads counts the session's threads in a channel that are gone.
	LostThreads(sessionID, bridge, channel string) (int, error)
	// Links lists a message's copies in a channel, gone ones too, by part.
	Links(sessionID, messageID, bridge, channel string) ([]Link, error)
	// LinksAt lists what a platform message is a copy of.
	LinksAt(bridge, channel, remote string) ([]Link, error)

	// Facts reads every session to which something happened since from, and some others, for
	// statistics. The facts are valid until use returns; its error ends the reading.
	Facts(from Time, use func(*SessionFacts) error) error
	// RatingComment reads the comment of a session's rating; it is empty for a session that
	// is gone.
	RatingComment(session int64) (RatingComment, error)
	// WaitingSessions counts the sessions that wait, without the snoozed ones.
	WaitingSessions() (Waiting, error)

	// InboxLane lists the waiting updates of one thread in order of arrival.
	InboxLane(bridge, thread string, limit int) ([]Update, error)
	// InboxLanes lists every thread of a bridge that has waiting updates.
	InboxLanes(bridge string) ([]Lane, error)

	// SavedAnswers lists the shared answers, and those of a person, by name.
	SavedAnswers(owner string) ([]SavedAnswer, error)
	// SavedAnswer finds a shared answer, with "" as owner, or a person's own. It
	// returns ErrSavedAnswerNotFound when there is none.
	SavedAnswer(owner, name string) (SavedAnswer, error)
	CountSavedAnswers(owner string) (int, error)

	PeopleReader
	PasskeyReader
	DeviceReader

	// Settings returns the stored settings by name, as JSON.
	Settings() (map[string]Raw, error)
	// Meta returns a fact about this installation, "" when unknown.
	Meta(name string) (string, error)
	// Backlog lists the backlog's events behind a number, in order. None appears later
	// before one that was read.
	Backlog(after int64, limit int) ([]BacklogEvent, error)
	// BacklogEnd is the number of the backlog's newest event, 0 before the first.
	BacklogEnd() (int64, error)
}

// Tx is a Reader that also writes.
type Tx interface {
	Reader
	// Lock reads a session and locks it against other transactions. Every change
	// of a session begins with it.
	Lock(sessionID string) (Session, error)
	CreateSession(s *Session) error
	SaveSession(s *Session) error
	// EraseSession removes a session with everything that belongs to it.
	EraseSession(id string) error

	// InsertMessage returns ErrMessageExists, and changes nothing, if the
	// session has a message of the same side with the same client id.
	InsertMessage(m *Message) error
	SaveMessage(m *Message) error

	CreateFile(f *File) error
	PutChunk(fileID string, n int, data []byte) error
	SaveFile(f *File) error
	DeleteFile(id string) error
	// DeleteFiles removes the files of a message.
	DeleteFiles(sessionID, messageID string) error

	// Append stores an event with one delivery for each of its destinations. The
	// message of an event with OfMessage was inserted in the same transaction.
	Append(e *Event, to []Destination) error
	// PutEntry adds to the session's timeline.
	PutEntry(e *TimelineEntry) error
	// Redact replaces the payload of a message's earlier events.
	Redact(sessionID, messageID string, payload func(Event) Raw) error
	SaveDelivery(d *Delivery) error
	// LockDelivery reads a delivery and locks it against other transactions.
	LockDelivery(dest, sessionID string, rev int64) (Delivery, error)
	// DropDelivery removes a delivery.
	DropDelivery(d *Delivery) error

	// PutUpdate stores an update and reports whether it is new.
	PutUpdate(u *Update) (bool, error)
	// SaveUpdate stores an update's outcome; the raw text of a finished one
	// is dropped.
	SaveUpdate(u *Update) error

	// SaveThread stores a thread, new or known by its place.
	SaveThread(th *Thread) error
	// SaveLink stores a link. Of a known one, revision and state change.
	SaveLink(l *Link) error
	// DropLinks removes all links to a platform message.
	DropLinks(bridge, channel, remote string) error
	// MoveChannel gives the threads and links of a channel to the channel that
	// it became.
	MoveChannel(bridge, from, to string) error

	PutSavedAnswer(a *SavedAnswer) error
	// DeleteSavedAnswer returns ErrSavedAnswerNotFound when there is none.
	DeleteSavedAnswer(owner, name string) error
	PeopleTx
	PasskeyTx
	DeviceTx

	PutSetting(name string, value Raw) error
	DeleteSetting(name string) error
	PutMeta(name, value string) error
	// LockMeta reads a fact and locks it against other transactions.
	LockMeta(name string) (string, error)

	// AppendBacklog stores operators' events with the next numbers of the backlog; it is
	// the last step of a transaction, because others wait for it.
	AppendBacklog(events []Event) error
	// PruneBacklog removes the events up to a number.
	PruneBacklog(upTo int64) error

	Fencer
}

// Fencer is the part of a [Tx] about leases.
type Fencer interface {
	// Fence returns ErrLeaseLost unless a lease still has this epoch, and keeps it so
	// until the transaction ends. Only a store with a [Cluster] has leases.
	Fence(name string, epoch int64) error
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
}

// Cursor is a place in a list: of sessions by their last activity, of
// deliveries by their creation.
type Cursor struct {
	At Time
	ID string
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
	Dest   string // "" for all
	Except string // a destination that is left out
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
