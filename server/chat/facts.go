package chat

import "encoding/json"

// SessionFacts is what statistics need of a session that has begun.
type SessionFacts struct {
	Number                             int64
	Site                               string
	Closed                             bool // at the moment
	StartedAt, AnsweredAt, RespondedAt Time
	Score                              int
	Commented                          bool          // the rating has a comment
	Messages                           []MessageFact // no notes; in any order
	Closings, HandBacks                []Time        // when it was closed, and when the AI gave it to people by itself
}

// MessageFact is what statistics need of a message.
type MessageFact struct {
	At Time
	By *Writer
}

// Writer is who wrote messages, and on which channel. Messages of a session share the same
// Writer if it is equal.
type Writer struct {
	Sender         Sender
	Bridge, Author string
	Person         string // of the team, "" for others
}

// RatingComment is what was written with the rating of a session.
type RatingComment struct {
	Number      int64
	ID, Comment string
}

// Waiting are the conversations that wait for an answer at the moment; see [Session.Waits].
type Waiting struct {
	Count int  `json:"count" db:"waiting"`
	Since Time `json:"since,omitzero" db:"since"` // when the one that waits longest began to
}

// GivesBack reports whether a takeover, the data of an entry of the timeline, is the AI
// handing a session to people by itself.
func GivesBack(takeover Raw) bool {
	var t Takeover
	if json.Unmarshal(takeover, &t) != nil || t.Active {
		return false
	}
	return t.Reason != AIEndOperator && t.Reason != AIEndOff
}
