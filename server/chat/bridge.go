package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// Bridge is the adapter of one channel of a chat platform. It knows the platform's API,
// limits and errors, and nothing of relay's store: a mirror decides what is
// shown in which thread and keeps the links, the bridge shows it. A bridge is
// made for one configuration and replaced when that changes.
type Bridge interface {
	// Name is the bridge's name everywhere.
	Name() string
	// Channel is the chat or channel that threads are opened in. Threads and
	// links of another one belong to another bridge or an earlier configuration.
	Channel() string
	// Limits returns the platform's limits.
	Limits() Limits

	// Split splits an op into ops of one platform message each. It is pure, so that a
	// retry continues where it stopped. The first part of an OpOpen opens the thread, the
	// others continue its summary; an edit is split like the post that it changes.
	Split(op Op) []Op
	// Do executes one op and returns the platform's id of what it created, "" for
	// nothing. Errors are those of this package: ErrThreadGone,
	// ErrThreadClosed, ErrMessageGone, ErrMessageStays, *RetryAfter,
	// ErrPermanent, *Misconfigured, ErrAmbiguous; any other is retried.
	Do(ctx context.Context, th Thread, op Op) (remote string, err error)
	// Fetch opens a file that an operator sent. The caller closes it.
	Fetch(ctx context.Context, ref string) (io.ReadCloser, error)

	// Run receives updates by the platform's own connection (long polling,
	// gateway, socket) until ctx ends: it verifies, stores in the Receiver and only then
	// confirms. It returns nil at once when the platform pushes to Webhook
	// instead, and an error when somebody must fix the set-up.
	Run(ctx context.Context, in Receiver) error
	// Webhook handles the platform's pushes: it verifies, stores in the Receiver, then
	// answers. Without its secret it answers 503 and has no effect.
	Webhook(in Receiver) http.Handler
	// Parse decodes a stored update. Its only effect is on what the
	// bridge remembers; an irrelevant update returns no Inbound, and
	// only one that can never be read is an error.
	Parse(raw []byte) ([]Inbound, error)

	// Find recovers a session's thread in bridge mode after a restart. It returns
	// ErrThreadGone when there is none.
	Find(ctx context.Context, sessionID string) (Thread, error)
	// Owner recovers the session of a thread in bridge mode. It returns
	// ErrThreadGone when the thread names none, or relay did not create it.
	Owner(ctx context.Context, th Thread) (sessionID string, err error)

	// Check tests token, rights, channel and reception, for relay doctor and
	// the console's set-up cards.
	Check(ctx context.Context) []Finding
}

// Besides is a bridge whose connection serves several channels of a platform.
type Besides interface {
	// Beside makes the bridge of another channel. It receives by the connection of this
	// one, whose Run and Webhook serve both, and checks nothing but its channel. It is
	// called before Run and Webhook.
	Beside(channel string) (Bridge, error)
	// Tell writes a text in the channel itself, for the team. Where the channel takes only
	// threads it returns ErrPermanent.
	Tell(ctx context.Context, text string) error
}

// ThreadEraser is a bridge whose platform deletes a thread with all that is in it.
type ThreadEraser interface {
	EraseThread(ctx context.Context, th Thread) error
}

// Recaller is a bridge whose platform stores which op created a message.
type Recaller interface {
	// Recall returns the platform messages of a thread that ops with these keys
	// created, "" for each that it does not find. None is older than since, which is
	// 0 when that is unknown (bridge mode, after a restart).
	Recall(ctx context.Context, th Thread, keys []string, since Time) (remotes []string, err error)
}

// Finder is a bridge whose platform lists relay's messages in a thread, but not the
// ops that created them.
type Finder interface {
	// Leftovers returns the platform messages that earlier attempts at these ops
	// may have made, "" for each that it does not find. Of the ops only Key, File,
	// Since and Known are set: their texts are no longer known.
	Leftovers(ctx context.Context, th Thread, ops []Op) (remotes []string, err error)
}

// Stander is a bridge whose platform tells whether a message still stands.
type Stander interface {
	// Stands reports whether a message of the thread is still there; what the platform
	// does not let the bridge see counts as there.
	Stands(ctx context.Context, th Thread, remote string) (bool, error)
}

// Limits are a platform's limits and customs.
type Limits struct {
	// Parallel is how many threads are written to at once.
	Parallel int
	// Coalesce allows joining several waiting texts of a visitor into one message.
	Coalesce bool
	// Timeout bounds one Do.
	Timeout time.Duration
	// Slash says that commands may begin with a slash, too: the platform has none of its own.
	Slash bool
	// Short begins the ids of operators' messages in bridge mode; "" is the bridge's name.
	Short string
}

// Receiver keeps what a platform sends until it is handled; see the engine's inbox.
type Receiver interface {
	Receive(ctx context.Context, u Update) error
}

// OpKind is what an op does in a thread.
type OpKind int

// The ops that a platform carries out.
const (
	OpOpen   OpKind = iota + 1 // make the thread: Title, and Text as its summary; answers the thread's ref
	OpPost                     // write Text, or show File, as From
	OpEdit                     // change Remote to Text, as From
	OpDelete                   // remove Remote
	OpReact                    // put the receipt of Receipt on Remote
	OpNote                     // write Text as relay itself: small print, no conversation
	OpClose                    // close or archive the thread
	OpReopen                   // open it again
	OpTyping                   // show that the visitor is writing
)

// Op is one thing to do in a thread. Texts are plain: the bridge escapes and
// formats them, so that no visitor's byte means anything to the platform.
type Op struct {
	Kind  OpKind
	Title string // OpOpen: who the visitor is, as far as known
	// SessionID identifies the thread's session after a restart, only in
	// bridge mode: in community mode a session id is the visitor's key and
	// never leaves relay.
	SessionID string
	Text      string
	// From is the author: "" for the visitor, else the operator's or the AI's
	// name and source, like "Ada (api)", shown before the text.
	From string
	File *OpFile
	// Edited marks a text that replaces an earlier one which cannot be changed.
	Edited bool
	// Aside marks what the visitor does not see: a closed thread stays closed.
	Aside   bool
	ReplyTo string // the platform message that this one answers, or ""
	Remote  string // the platform message to change
	Receipt string // "delivered" or "read"
	// Key is the same at every attempt of this platform message and of no
	// other: at most 25 letters and digits, for the platform's own means
	// against duplicates.
	Key string
	// Ambiguous: an earlier attempt may have been delivered, however long ago;
	// none was made before Since.
	Ambiguous bool
	Since     Time
	// Known reports whether relay knows which op created a platform message;
	// nil when that is unknown.
	Known func(ctx context.Context, remote string) (bool, error)
}

// OpFile is a file on its way to a platform.
type OpFile struct {
	Filename string
	MimeType string
	Size     int64
	// URL is the signed link on relay, for platforms and rights that accept no
	// file; "" when relay has no public address.
	URL string
	// Open reads the file from its start; it can be called again.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Thread is a session's place on a platform.
type Thread struct {
	Bridge    string      `db:"bridge"`
	Channel   string      `db:"channel"`
	Ref       string      `db:"ref"` // the platform's id of the thread
	SessionID string      `db:"session_id"`
	State     ThreadState `db:"state"`
	CreatedAt Time        `db:"created_at"`
	Anchor    string      `db:"anchor"` // the platform's first message in it
}

// ThreadState is the state of a thread.
type ThreadState int

// A thread that is gone stays known: updates that still come from it find its
// session. The newest live thread is written to.
const (
	ThreadLive ThreadState = iota
	ThreadClosed
	ThreadGone
)

// Link is a message's copy on a platform. A long message has several copies,
// and a copy may carry several messages.
type Link struct {
	Bridge    string    `db:"bridge"`
	Channel   string    `db:"channel"`
	Remote    string    `db:"remote"` // the platform's id of the copy
	SessionID string    `db:"session_id"`
	MessageID string    `db:"message_id"`
	Part      int       `db:"part"`
	Origin    bool      `db:"origin"` // the message was written on that platform
	Rev       int64     `db:"rev"`    // the revision that the copy shows
	State     LinkState `db:"state"`
	CreatedAt Time      `db:"created_at"`
	// Said is how many bytes of the message's text come from this platform message, with
	// Origin; less than 0 when that is unknown.
	Said int `db:"said"`
}

// LinkState is the state of a copy.
type LinkState int

// The states of a link. One that is being sent names no platform message yet, but
// the batch that its message goes out in.
const (
	LinkLive LinkState = iota
	LinkSending
	LinkGone
)

// InboundKind is what happened on a platform.
type InboundKind int

// The actions of operators on a platform.
const (
	InboundMessage InboundKind = iota + 1
	InboundEdited
	InboundDeleted
	InboundTyping
	InboundThreadClosed
	InboundThreadReopened
	InboundThreadDeleted
	InboundChannelMoved // Thread.Channel became Text (a group was upgraded)
	InboundListed       // the thread was read: of the messages after Since, Standing are there
	InboundFileDeleted  // a file of the message, which stands there without it
)

// Inbound is a decoded update of a platform. It concerns a thread of
// the bridge's channel; nothing else is ever parsed.
type Inbound struct {
	Kind   InboundKind
	Thread Thread // Bridge, Channel and Ref
	// SessionID is set when the update itself leads back to the session (bridge
	// mode), from a thread that relay created.
	SessionID string
	Remote    string // the platform's id of the message
	ReplyTo   string // the message that it answers, "" when it answers none
	Operator  string // display name
	// Handles are the operator's id and user name on the platform, to find the person of the
	// team by. A display name is none: people choose it freely, also a colleague's.
	Handles []string
	// Guest marks somebody of another organisation: their commands have no effect. Barred
	// is why nothing else of theirs has one either, as an answer for the thread; "" if it has.
	Guest  bool   `json:",omitempty"`
	Barred string `json:",omitempty"`
	Text   string // plain, the platform's markup taken out
	Files  []InboundFile
	// FilesLeft is how many files an edited message still has, nil where the platform does not say.
	FilesLeft *int `json:",omitempty"`
	// Group joins the messages of one album: they arrive within two seconds and
	// are one message to relay.
	Group string
	At    Time
	// Since and Standing are those of InboundListed.
	Since    string   `json:",omitempty"`
	Standing []string `json:",omitempty"`
}

// InboundFile is a file that an operator sent.
type InboundFile struct {
	Ref      string // for [Bridge.Fetch]
	Filename string
	MimeType string
	Size     int64 // 0 when the platform does not say
}

// Finding is one line of relay doctor: the result of a check, and how to fix a failure.
type Finding struct {
	Subject string        `json:"subject"` // what was checked: "bot token"
	Level   FindingLevel  `json:"level"`
	Text    string        `json:"text"` // what was found
	Fix     string        `json:"fix,omitempty"`
	Details string        `json:"details,omitempty"` // the technical error
	Took    time.Duration `json:"-"`
}

// Fine returns the finding of a passed check.
func Fine(subject, text string) Finding {
	return Finding{Subject: subject, Level: FindingOK, Text: text}
}

// Bad returns the finding of a failure that keeps a bridge from working.
func Bad(subject, text, fix string) Finding {
	return Finding{Subject: subject, Level: FindingFail, Text: text, Fix: fix}
}

// CallFailed returns the finding of a failed call to a platform.
func CallFailed(subject, platform string, err error) Finding {
	e := Explain(platform, err)
	f := Bad(subject, e.Problem, e.Fix)
	f.Details = e.Details
	return f
}

// Failed reports whether a finding keeps a bridge from working.
func Failed(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Level == FindingFail })
}

// FindingLevel is how bad a finding is.
type FindingLevel string

// A bridge with a failure does not work; one with a warning works in part.
const (
	FindingOK   FindingLevel = "ok"
	FindingWarn FindingLevel = "warn"
	FindingFail FindingLevel = "fail"
)

// The kinds of a bridge's failures.
var (
	// ErrThreadGone: the thread does not exist any more; a new one is opened
	// and the op is carried out there.
	ErrThreadGone = errors.New("the thread is gone")
	// ErrThreadClosed: the thread must be reopened first.
	ErrThreadClosed = errors.New("the thread is closed")
	// ErrMessageGone: the platform message to change is gone, or too old.
	ErrMessageGone = errors.New("the platform message is gone")
	// ErrMessageStays: the platform does not remove the message, as a rule
	// because it is too old.
	ErrMessageStays = fmt.Errorf("%w: the platform message cannot be removed", ErrPermanent)
)

// Misconfigured means that nothing will work until somebody fixes it. The
// sink pauses; waiting deliveries are kept.
type Misconfigured struct {
	Problem string // "the bot may not create topics"
	Fix     string // "make the bot an administrator with the right Manage topics"
	// Everywhere: no channel of the platform works, as with a wrong token.
	Everywhere bool
}

func (e *Misconfigured) Error() string { return e.Problem + ": " + e.Fix }

// Parts returns the ops that send an op's text in pieces, then its file:
// the result of Split in most bridges. Only the first piece names the author,
// the quoted message, and the message to change.
func Parts(op Op, pieces []string) (parts []Op) {
	for i, piece := range pieces {
		part := op
		part.Text, part.File = piece, nil
		if i > 0 {
			part.From, part.Edited, part.ReplyTo, part.Remote = "", false, "", ""
		}
		parts = append(parts, part)
	}
	if op.File != nil {
		parts = append(parts, Op{Kind: op.Kind, File: op.File, Key: op.Key, Ambiguous: op.Ambiguous})
	}
	return parts
}
