package chat

// SessionReader is the part of a [Reader] about sessions.
type SessionReader interface {
	Session(id string) (Session, error)
	// SessionHeader reads the fields that streams and permissions need: id, tokens,
	// status, block and revisions. The rest of the session is left empty.
	SessionHeader(id string) (Session, error)
	SessionByToken(hash string) (Session, error)
	// SessionByVisitor finds the visitor's resumable session at a site.
	SessionByVisitor(site, visitorID string) (Session, error)
	// SessionsOfPerson lists the sessions at a site that have messages, are not blocked and
	// whose verified identity has this id, the newest first.
	SessionsOfPerson(site, person string, limit int) ([]Session, error)
	// MergedSessions lists the sessions of a site that are merged under an id, at most MaxMerged,
	// in the order of their ids.
	MergedSessions(site, merged string) ([]Session, error)
	// BrokenMerges names one session of each group of merged ones that is not in order: one is
	// alone, none or several go on, or they are of different persons.
	BrokenMerges(limit int) ([]string, error)
	// VisitorBlocked reports whether any of the visitor's sessions without a token at a site
	// is blocked.
	VisitorBlocked(site, visitorID string) (bool, error)
	// SessionsOfVisitor lists the ids of the visitor's sessions without a token at a site that
	// are blocked, or of those that are not, in order.
	SessionsOfVisitor(site, visitorID string, blocked bool, limit int) ([]string, error)
	// SessionsOfBrowser is SessionsOfVisitor for the key of a browser, [Session.BrowserKey].
	SessionsOfBrowser(browser string, blocked bool, limit int) ([]string, error)
	// Sessions lists sessions, the most recently active first; the waiting ones
	// begin with the one that waits longest.
	Sessions(q SessionQuery) ([]Session, error)
	// Snoozed lists the snoozed sessions, the first due first.
	Snoozed(limit int) ([]Session, error)
	// IdleSessions lists the ids of a site's open sessions in which nothing has happened since a
	// time, the longest first, without those that wait for an answer or are snoozed.
	IdleSessions(site string, since Time, limit int) ([]string, error)
	// Counts counts the conversations of each list, each up to MostCounted; person
	// is whose Mine counts; only those of these sites.
	Counts(person string, sites SiteSet) (Counts, error)
	// WaitingBySite counts what waits at each site that has any, by the site's id, at most
	// MostCounted at each.
	WaitingBySite() (map[string]int, error)
	// TagsInUse lists the tags of the sites' sessions by name.
	TagsInUse(sites SiteSet) ([]Tag, error)
	// Export lists sessions with messages, of a site or of all with nil, by their number,
	// which never changes, and returns the last one's: behind it the next page begins.
	Export(site *string, after int64, limit int) (list []Session, last int64, err error)
}

// SessionTx is the part of a [Tx] about sessions.
type SessionTx interface {
	// Lock reads a session and locks it against other transactions. Every change
	// of a session begins with it.
	Lock(sessionID string) (Session, error)
	CreateSession(s *Session) error
	SaveSession(s *Session) error
	// EraseSession removes a session with everything that belongs to it.
	EraseSession(id string) error
}

// ConversationReader is the part of a [Reader] about sessions' messages, events and timelines.
type ConversationReader interface {
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
	// Events lists at most limit events behind a revision, in order and up to
	// the first that is missing: old ones are pruned.
	Events(sessionID string, after int64, limit int) ([]Event, error)
	// Timeline lists the newest entries of a session's timeline from a revision
	// on and before another, 0 being the end, oldest first.
	Timeline(sessionID string, from, to int64, limit int) ([]TimelineEntry, error)
}

// ConversationTx is the part of a [Tx] about sessions' messages, events and timelines.
type ConversationTx interface {
	// InsertMessage returns ErrMessageExists, and changes nothing, if the
	// session has a message of the same side with the same client id.
	InsertMessage(m *Message) error
	SaveMessage(m *Message) error
	// Append stores an event with one delivery for each of its destinations. The
	// message of an event with OfMessage was inserted in the same transaction.
	Append(e *Event, to []Destination) error
	// PutEntry adds to the session's timeline.
	PutEntry(e *TimelineEntry) error
	// Redact replaces the payload of a deleted message's earlier events, and removes what the AI
	// rehearsed with its words.
	Redact(sessionID, messageID string, payload func(Event) Raw) error
}

// FileReader is the part of a [Reader] about files.
type FileReader interface {
	// File returns ErrAttachmentNotFound when there is none.
	File(id string) (File, error)
	Chunk(fileID string, n int) ([]byte, error)
	// UnsentBytes adds up the sizes of visitors' files that belong to no message.
	UnsentBytes() (int64, error)
}

// FileTx is the part of a [Tx] about files.
type FileTx interface {
	CreateFile(f *File) error
	PutChunk(fileID string, n int, data []byte) error
	SaveFile(f *File) error
	DeleteFile(id string) error
	// DeleteFiles removes the files of a message.
	DeleteFiles(sessionID, messageID string) error
}
