// Package chat is what everybody in relay says: sessions, messages, events, the types of
// settings, errors, and the contracts between the rooms (Store, Cluster, Bridge, Sink). It
// imports the standard library only and nothing of relay; everything else imports it.
//
// Everything that happens is an [Event]. Package engine changes sessions; package queue
// delivers events to sinks, package hub to streams. Package db has the [Store].
//
// The words that relay has for things stand in .github/CONTRIBUTING.md.
package chat

// Sender says where a message comes from.
type Sender string

// The three origins of a message.
const (
	SenderVisitor  Sender = "visitor"
	SenderOperator Sender = "operator"
	SenderAI       Sender = "ai"
)

// Status is the state of a session's life.
type Status string

// A closed session is reopened by its visitor's next message.
const (
	StatusOpen   Status = "open"
	StatusClosed Status = "closed"
)

// MaxMerged is how many sessions can be merged with each other.
const MaxMerged = 8

// MovedOn says whether a session was left for another one that is merged with it, and how.
type MovedOn int64

// A session that was open when it was left is opened again when the two are separated.
const (
	NotMoved    MovedOn = 0
	MovedClosed MovedOn = 1
	MovedOpen   MovedOn = 2
)

// Metadata describes the visitor's page and browser.
type Metadata struct {
	URL        string `json:"url,omitempty"`
	Country    string `json:"country,omitempty"`
	Browser    string `json:"browser,omitempty"`
	DeviceType string `json:"deviceType,omitempty"`
	Referrer   string `json:"referrer,omitempty"`
	Language   string `json:"language,omitempty"`
	UserAgent  string `json:"userAgent,omitempty"`
	Timezone   string `json:"timezone,omitempty"` // a name of the IANA database
}

// CSAT is a visitor's satisfaction rating. Score is 1 to 5, 0 while unrated.
type CSAT struct {
	AskedAt     Time   `json:"askedAt,omitzero" db:"csat_asked_at"`
	Score       int    `json:"score,omitzero" db:"csat_score"`
	Comment     string `json:"comment,omitempty" db:"csat_comment"`
	RespondedAt Time   `json:"respondedAt,omitzero" db:"csat_responded_at"`
}

// Session is one visitor's conversation.
type Session struct {
	ID        string `db:"id"`
	Site      string `db:"site"` // the site's id, which never changes; see [Site]
	VisitorID string `db:"visitor_id"`
	// TokenHash is the SHA-256 of the session token. Empty: the session was
	// opened without one and its id alone is the authority.
	TokenHash string `db:"token_hash"`
	// Devices are the hashes of the tokens of the visitor's further devices; see [Session.Admit].
	Devices string `db:"devices"`
	// LinkUntil is until when the link works with which another device goes on, and which
	// link it is: a newer one ends later. 0: none does.
	LinkUntil Time `db:"link_until"`
	// ContinuedIn is the session that the team began after this one: each of the visitor's devices
	// goes on there, once. It may be gone.
	ContinuedIn string `db:"continued_in"`
	// Merged is the same in all sessions of a site that the team said are of one person, "" in most.
	Merged string `db:"merged"`
	// MovedOn: the visitor was last in another one of these, if that is still there.
	MovedOn MovedOn `db:"moved_on"`
	// Person is the id of a verified identity, the only part that its hash proves.
	Person string `db:"person"`
	// Browser is the id of the first session of the browser, when that browser began
	// this one with the token of an earlier one; see [Session.BrowserKey].
	Browser string `db:"browser"`
	// Resumable sessions are found by their visitor's id: at most one a
	// visitor, never one that is bound to a token.
	Resumable bool   `db:"resumable"`
	Status    Status `db:"status"`
	Blocked   bool   `db:"blocked"`
	// Rev is the revision of the session's newest event, dense from 1.
	Rev int64 `db:"rev"`
	// InitRev is the revision the newest init answered; a stream without a
	// cursor starts after it.
	InitRev int64 `db:"init_rev"`
	// LeavingRev is the revision of the visitor's announced leave, 0 without
	// one.
	LeavingRev int64 `db:"leaving_rev"`
	// UnansweredRev is the revision of the event that waits for the next step for who is not
	// answered, 0 when none does.
	UnansweredRev int64 `db:"unanswered_rev"`
	// MailedSeq is the newest message that was mailed to the visitor, or is being: then Mailing
	// is set, and if nobody does it any more, its outcome is unknown.
	MailedSeq int64 `db:"mailed_seq"`
	Mailing   bool  `db:"mailing"`
	// MemberMailRev is up to where e-mails to the team were asked for.
	MemberMailRev int64 `db:"member_mail_rev"`
	// StartedAt is the time of the first message. Zero: nothing was written.
	StartedAt Time `db:"started_at"`
	// AnsweredAt is the time of the operators' first message.
	AnsweredAt Time `db:"answered_at"`
	// Unread counts the visitor's messages since an operator last answered
	// or marked the session as read.
	Unread   int  `db:"unread"`
	AIActive bool `db:"ai_active"`
	// AIEnded: the AI no longer answers in this session, until an operator turns it on.
	AIEnded bool `db:"ai_ended"`
	// AIAnswers counts the AI's answers since then.
	AIAnswers int            `db:"ai_answers"`
	Metadata  JSON[Metadata] `db:"metadata"`
	Identity  Raw            `db:"identity"` // JSON object, nil when unknown
	Verified  bool           `db:"verified"`
	PreChat   Raw            `db:"prechat"` // JSON object, nil when not filled in
	CSAT
	CreatedAt    Time `db:"created_at"`
	LastActivity Time `db:"last_activity"`
	// Assignee is the id of the person whose conversation it is, "" for nobody's.
	Assignee string `db:"assignee"`
	// Tags is a JSON list, "" for none; see [Session.TagList].
	Tags string `db:"tags"`
	// SnoozedUntil hides the session from the waiting ones until then.
	SnoozedUntil Time `db:"snoozed_until"`
	// WaitingSince is the time of the visitor's earliest message that nobody has
	// answered, 0 for none; see [Session.Waits].
	WaitingSince Time `db:"waiting_since"`
}

// Started reports whether the session has a message; the others are hidden
// from lists and erased after a day.
func (s *Session) Started() bool { return s.StartedAt != 0 }

// Message is the one message object of every interface.
type Message struct {
	ID        string `json:"id" db:"id"`
	SessionID string `json:"sessionId" db:"session_id"`
	// Seq is the revision of the event that brought the message. It orders
	// the history of a session.
	Seq          int64             `json:"-" db:"seq"`
	Content      string            `json:"content" db:"content"`
	Sender       Sender            `json:"sender" db:"sender"`
	Timestamp    Time              `json:"timestamp" db:"created_at"`
	ReplyTo      string            `json:"replyTo,omitempty" db:"reply_to"`
	Attachments  JSON[Attachments] `json:"attachments" db:"attachments"`
	OperatorName string            `json:"operatorName,omitempty" db:"operator_name"`
	// OperatorID is the person who wrote, if that is one of the team.
	OperatorID   string `json:"operatorId,omitempty" db:"operator_id"`
	SourceBridge string `json:"sourceBridge,omitempty" db:"source_bridge"`
	// KeyID is the API key that wrote, which is nobody's personal token.
	KeyID string `json:"-" db:"key_id"`
	// ClientID is chosen by the sender's client and makes sending idempotent.
	// Only its own side sees it: the visitor, or the operators.
	ClientID    string `json:"clientId,omitempty" db:"client_id"`
	EditedAt    Time   `json:"editedAt,omitzero" db:"edited_at"`
	DeletedAt   Time   `json:"deletedAt,omitzero" db:"deleted_at"`
	DeliveredAt Time   `json:"deliveredAt,omitzero" db:"delivered_at"`
	ReadAt      Time   `json:"readAt,omitzero" db:"read_at"`
	// Internal: an operator's note to the others. No visitor, no webhook and no
	// backend sees it.
	Internal bool `json:"internal,omitzero" db:"internal"`
	// Draft: an internal note of the AI that an operator may send as an answer.
	// SentAt is when that happened, or another answer was sent.
	Draft  bool `json:"draft,omitzero" db:"draft"`
	SentAt Time `json:"sentAt,omitzero" db:"sent_at"`
	// Sources are the pages that an answer of the AI is based on.
	Sources Sources `json:"sources,omitempty" db:"sources"`
	// Buttons are quick replies and links that the visitor is offered.
	Buttons Buttons `json:"buttons,omitempty" db:"buttons"`
}

// Attachment describes a file of a message. URL is a signed path on relay,
// made when the attachment is shown and never stored; a backend's file has the
// backend's own from the start.
type Attachment struct {
	ID       string `json:"id,omitempty"`
	Filename string `json:"filename"`
	MimeType string `json:"mimeType"`
	Size     int64  `json:"size"`
	URL      string `json:"url,omitempty"`
	Sound
}

// Attachments is a message's list of files; it is never null in JSON.
type Attachments []Attachment
