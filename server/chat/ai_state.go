package chat

import "fmt"

// The states of the AI.
const (
	AIOff     = "off"
	AIRunning = "running"
	AIFailing = "failing"
)

// AIState is how the AI is doing.
type AIState struct {
	State     string `json:"state"`
	Mode      string `json:"mode"`
	Model     string `json:"model,omitempty"`
	LastError string `json:"lastError,omitempty"`
	Fix       string `json:"fix,omitempty"`
	Since     Time   `json:"since,omitzero"` // it fails
	// TokensToday are what it used today (UTC), of DailyTokens; 0 is no limit.
	TokensToday int64 `json:"tokensToday"`
	DailyTokens int64 `json:"dailyTokens"`
	// AnswersToday are its answers to visitors today (UTC), and HandedOverToday how often it handed
	// a conversation over.
	AnswersToday int64 `json:"answersToday"`
	// CostToday is what TokensToday cost, like "0.04 €", where the price is set.
	CostToday       string `json:"costToday,omitempty"`
	HandedOverToday int64  `json:"handedOverToday"`
}

// AIAsked is how a visitor who asked a question would be answered.
type AIAsked struct {
	Passages []AIPassage `json:"passages"`
	// Answer is what the visitor would read, "" when there is none.
	Answer string `json:"answer"`
	// HandOver is why it would hand over, "" when it would not.
	HandOver string `json:"handOver,omitempty"`
	// Topic is the one of aiTopics that the question is about.
	Topic     string       `json:"topic,omitempty"`
	Sentences []AISentence `json:"sentences"`
	Tokens    int64        `json:"tokens"`
	Error     string       `json:"error,omitempty"`
	Fix       string       `json:"fix,omitempty"`
}

// AIPassage is a passage that the model was given.
type AIPassage struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	Text  string `json:"text"`
}

// AISentence is what became of one sentence of a model.
type AISentence struct {
	Text string `json:"text"`
	// Said is what the visitor would read of it: the same, the page's own words, or nothing.
	Said string `json:"said"`
	// Reason is why it is not said as it is.
	Reason string `json:"reason,omitempty"`
	// Passage is the number of the passage that it rests on, 0 for the site's own facts.
	Passage int `json:"passage"`
}

// AIAnswer is what the AI says to a question that belongs to no conversation.
type AIAnswer struct {
	Text    string // "" when it does not answer
	Sources Sources
	// Ended is why it does not answer, or only a part: a reason of [EventAITakeover].
	Ended string
	// Rests are the passages that its sentences rest on.
	Rests []Passage
}

// AITest is how the model answered a test question.
type AITest struct {
	OK         bool   `json:"ok"`
	Answer     string `json:"answer,omitempty"`
	Tokens     int64  `json:"tokens"`
	DurationMs int64  `json:"durationMs"`
	Error      string `json:"error,omitempty"`
	Fix        string `json:"fix,omitempty"`
	// Confirm is the host and port in a private network that an administrator can allow.
	Confirm string `json:"confirm,omitempty"`
}

// Summary is a good answer in one line.
func (t *AITest) Summary() string {
	return fmt.Sprintf("%q, %d tokens, %d ms", t.Answer, t.Tokens, t.DurationMs)
}
