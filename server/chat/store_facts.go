package chat

// FactReader is the part of a [Reader] about what statistics count.
type FactReader interface {
	// Facts reads every session to which something happened since from, and some others, for
	// statistics. The facts are valid until use returns; its error ends the reading.
	Facts(from Time, use func(*SessionFacts) error) error
	// RatingComment reads the comment of a session's rating; it is empty for a session that
	// is gone.
	RatingComment(session int64) (RatingComment, error)
	// WaitingSessions counts the sessions of sites that wait, without the snoozed ones.
	WaitingSessions(sites SiteSet) (Waiting, error)
}

// SavedAnswerReader is the part of a [Reader] about saved answers.
type SavedAnswerReader interface {
	// SavedAnswers lists the shared answers, and those of a person, by name.
	SavedAnswers(owner string) ([]SavedAnswer, error)
	// SavedAnswersNamed lists those of one name.
	SavedAnswersNamed(owner, name string) ([]SavedAnswer, error)
	CountSavedAnswers(owner string) (int, error)
}

// SavedAnswerTx is the part of a [Tx] about saved answers.
type SavedAnswerTx interface {
	PutSavedAnswer(a *SavedAnswer) error
	// DeleteSavedAnswer returns ErrSavedAnswerNotFound when there is none.
	DeleteSavedAnswer(owner, site, name string) error
}

// MetaReader is the part of a [Reader] about settings and facts about the installation.
type MetaReader interface {
	// Settings returns the stored settings by name, as JSON.
	Settings() (map[string]Raw, error)
	// Meta returns a fact about this installation, "" when unknown.
	Meta(name string) (string, error)
}

// MetaTx is the part of a [Tx] about settings and facts about the installation.
type MetaTx interface {
	PutSetting(name string, value Raw) error
	DeleteSetting(name string) error
	PutMeta(name, value string) error
	// LockMeta reads a fact and locks it against other transactions.
	LockMeta(name string) (string, error)
}

// SiteReader is the part of a [Reader] about sites.
type SiteReader interface {
	// Sites lists the stored sites, in any order: the first is among them once somebody has
	// given it a name.
	Sites() ([]Site, error)
	// SiteSettings returns the settings that sites have instead of relay's own, by site and
	// name.
	SiteSettings() (map[string]map[string]Raw, error)
	// CountSessions counts a site's conversations.
	CountSessions(site string) (int, error)
}

// SiteTx is the part of a [Tx] about sites.
type SiteTx interface {
	// PutSite stores a new or changed site.
	PutSite(s *Site) error
	PutSiteSetting(site, name string, value Raw) error
	DeleteSiteSetting(site, name string) error
	// DropSite removes a site with its settings, unless it has sessions, and reports whether
	// it did.
	DropSite(id string) (bool, error)
}

// BacklogReader is the part of a [Reader] about what backends read.
type BacklogReader interface {
	// Backlog lists the backlog's events behind a number, in order. None appears later
	// before one that was read.
	Backlog(after int64, limit int) ([]BacklogEvent, error)
	// BacklogEnd is the number of the backlog's newest event, 0 before the first.
	BacklogEnd() (int64, error)
}

// BacklogTx is the part of a [Tx] about what backends read.
type BacklogTx interface {
	// AppendBacklog stores operators' events with the next numbers of the backlog; it is
	// the last step of a transaction, because others wait for it.
	AppendBacklog(events []Event) error
	// PruneBacklog removes the events up to a number.
	PruneBacklog(upTo int64) error
}
