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
}

// AIAnswer is what the AI says to a question that belongs to no conversation.
type AIAnswer struct {
	Text    string // "" when it does not answer
	Sources Sources
	// Ended is why it does not answer, or only a part: a reason of [EventAITakeover].
	Ended string
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
