package chat

// Rehearsal is a question that a person answered, and what the AI would have said to it.
type Rehearsal struct {
	ID        string `json:"id" db:"id"`
	SessionID string `json:"sessionId" db:"session_id"`
	Site      string `json:"-" db:"site"`
	Message   string `json:"messageId" db:"message"` // the last one of the question
	Question  string `json:"question" db:"question"`
	Answered  string `json:"answered" db:"answered"` // by a person
	Said      string `json:"said" db:"said"`         // by the AI, "" where it hands over
	Verdict   string `json:"verdict,omitempty" db:"verdict"`
	Reason    string `json:"reason,omitempty" db:"reason"`
	// BeforeSaid and BeforeVerdict are of the time before, where there was one.
	BeforeSaid    string `json:"beforeSaid,omitempty" db:"before_said"`
	BeforeVerdict string `json:"beforeVerdict,omitempty" db:"before_verdict"`
	// Judged is what a person makes of it, which counts more than the verdict.
	Judged  string `json:"judged,omitempty" db:"judged"`
	Waiting bool   `json:"waiting,omitzero" db:"waiting"`
	AskedAt Time   `json:"askedAt" db:"asked_at"`
	At      Time   `json:"at,omitzero" db:"at"`          // when the AI answered
	Topic   string `json:"topicId,omitempty" db:"topic"` // "" until it is put into one
	Tokens  int64  `json:"tokens,omitempty" db:"tokens"` // that all its answers took
	// Cause is the page because of whose change it was asked again.
	Cause string `json:"cause,omitempty" db:"cause"`
	// Rests are the passages that the AI's answer rests on.
	Rests []Passage `json:"-" db:"-"`
}

// What came of a rehearsed question.
const (
	RehearsedSame     = "same"     // the same as the person
	RehearsedDiffers  = "differs"  // another fact, or the opposite
	RehearsedUnclear  = "unclear"  // a person has to look
	RehearsedHandOver = "handover" // the AI would have handed over
	RehearsedFailed   = "failed"   // the model did not answer
)

// What a person makes of a rehearsed answer.
const (
	JudgedGood  = "good"
	JudgedWrong = "wrong"
)

// MaxRehearsals is how many questions are kept.
const MaxRehearsals = 500

// ErrRehearsalNotFound means that there is none with this id.
var ErrRehearsalNotFound = &Error{Kind: NotFound, Text: "Rehearsed question not found"}

// Worse reports whether the AI's words were right the time before, by relay's verdict, and are not now.
func (r *Rehearsal) Worse() bool { return r.BeforeVerdict == RehearsedSame && !r.Waiting && !r.Right() }

// Better reports whether they were not right the time before, and are now.
func (r *Rehearsal) Better() bool {
	return r.BeforeVerdict != "" && r.BeforeVerdict != RehearsedSame && !r.Waiting && r.Right()
}

// Right reports whether the AI's words would have been right: a person's judgement counts first.
func (r *Rehearsal) Right() bool {
	return r.Judged == JudgedGood || r.Judged == "" && r.Verdict == RehearsedSame
}
