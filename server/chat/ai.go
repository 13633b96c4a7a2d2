package chat

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The destinations of the AI: what visitors write waits in the first one until
// operators had their time, what operators ask of it goes to the other one.
const (
	AISink        = "ai"
	AIRequestSink = "ai_requests"
)

// AIGather is how long a visitor who is being answered may go on writing: several
// messages get one answer.
const AIGather = 3 * time.Second

// The kinds of an [AIRequest].
const (
	AIDraft   = "draft"
	AISummary = "summary"
	// AIAnswerNow: it may answer again; the visitor may be waiting.
	AIAnswerNow = "answer"
	// AIYes: it may answer the topic of which it asked, or do what waits for a person; AINo: it may not.
	AIYes = "yes"
	AINo  = "no"
)

// AIRequest is the payload of [EventAIRequest]: what an operator asks of the AI.
type AIRequest struct {
	Kind string `json:"kind"`
	// By and Person are who says yes or no.
	By     string `json:"by,omitempty"`
	Person string `json:"person,omitempty"`
	// To is what the yes is to: the id of an act, or what a person wrote behind it.
	To string `json:"to,omitempty"`
	// Operator: who says it is no administrator; Program: it is a program with a key.
	Operator bool `json:"operator,omitempty"`
	Program  bool `json:"program,omitempty"`
}

// Why the AI ends in a session: the reasons of [EventAITakeover].
const (
	AIEndOperator = "operator" // an operator answered
	AIEndOff      = "off"      // an operator, or the settings, switched it off
	AIEndAsked    = "asked"    // the visitor asked for a person
	AIEndUnsure   = "unsure"   // it does not know the answer
	AIEndTopic    = "topic"    // it is about what a person always answers
	AIEndAction   = "action"   // a person has to say yes to an action first
	AIEndLimit    = "limit"    // it answered often enough
	AIEndBudget   = "budget"   // the day's tokens are used up, or its address's calls
	AIEndFailed   = "failed"   // its endpoint fails
)

// AI is how the settings want the AI.
type AI struct {
	BaseURL, Key, Model, EmbeddingModel string
	Name, Instructions                  string
	Mode                                string // answer, rehearse, draft or off
	Delay                               time.Duration
	DailyTokens                         int64 // 0 is no limit
	Price                               Price // of a million tokens
	MaxAnswers                          int
	Tone                                string // one of the Tone constants
	Opening                             string // said before the first answer in a conversation
	HandOver                            string // said instead of relay's own sentence that a person answers
	// Topics are the words that a person always answers, one a line: an AI is compared by ==.
	Topics       string
	StepIn       time.Duration // it answers though somebody is there, once nobody has for so long; 0 for never
	AddressCalls int           // an hour, 0 is no limit
	// Withheld: there is a key, which stays with the address beside it in the environment.
	Withheld bool
	// Trusted: the address is the environment's, or an administrator confirmed its host. It
	// may be a private one.
	Trusted bool
}

// AI returns the settings of the AI. A key that the environment keeps secret goes to no address on
// another machine that somebody chose elsewhere.
func (s *Settings) AI() AI {
	key := s.Text("aiApiKey")
	withheld := s.Source("aiApiKey") == FromEnvironment && s.Source("aiBaseUrl") != FromEnvironment && !isHere(s.Text("aiBaseUrl"))
	if withheld {
		key = ""
	}
	return AI{BaseURL: s.Text("aiBaseUrl"), Key: key, Withheld: withheld, Model: s.Text("aiModel"), EmbeddingModel: s.Text("aiEmbeddingModel"),
		Name: s.Text("aiName"), Instructions: s.Text("aiSystemPrompt"), Mode: s.Text("aiMode"),
		Tone: s.Text("aiTone"), Opening: strings.TrimSpace(s.Text("aiOpening")), HandOver: strings.TrimSpace(s.Text("aiHandOver")), Topics: s.aiTopics(), StepIn: s.aiStepsIn(),
		Price: s.aiTokenPrice(),
		Delay: time.Duration(s.Number("aiTakeoverDelay")) * time.Second, DailyTokens: s.Number("aiDailyTokens"),
		MaxAnswers: int(s.Number("aiMaxAnswers")), AddressCalls: int(s.Number("aiCallsPerAddress")), Trusted: s.Source("aiBaseUrl") == FromEnvironment || s.AIHostConfirmed(s.Text("aiBaseUrl"))}
}

func (s *Settings) aiTokenPrice() Price {
	price, _ := ParsePrice(s.Text("aiTokenPrice")) // checked when it was set; none without one
	return price
}

// aiStepsIn is after how long the rule for who is not answered lets the AI answer, 0 for never.
func (s *Settings) aiStepsIn() time.Duration {
	for _, step := range s.Unanswered() {
		if step.Do == StepAI {
			return step.Wait()
		}
	}
	return 0
}

func (s *Settings) aiTopics() string {
	var list []string
	s.decode("aiTopics", &list)
	for i := range list {
		list[i] = OneLine(list[i])
	}
	return strings.Join(list, "\n")
}

// AtSite returns the AI as a website's own settings want it: what it is called, knows, does and
// says may be the website's, whom it asks is relay's.
func (a AI) AtSite(own AI) AI {
	a.Name, a.Instructions, a.Mode, a.MaxAnswers = own.Name, own.Instructions, own.Mode, own.MaxAnswers
	a.Tone, a.Opening, a.HandOver, a.Topics = own.Tone, own.Opening, own.HandOver, own.Topics
	a.StepIn = own.StepIn
	return a
}

// keepAIKey takes back the stored key when a change leads to another server and brings no key for
// it: who may change settings must not read the key by that.
func (s *Settings) keepAIKey(changes map[string]Raw) {
	from, to := HostOf(s.Text("aiBaseUrl")), s.textAfter(changes, "aiBaseUrl")
	if from != "" && from != HostOf(to) && !isHere(to) && s.Source("aiApiKey") != FromEnvironment {
		takeBack(changes, "aiApiKey")
	}
}

// isHere reports whether an address leads to this machine.
func isHere(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (&MailHost{Host: u.Hostname()}).Local()
}

// How the AI writes.
const (
	ToneNeutral  = "neutral"
	ToneFriendly = "friendly"
	ToneFormal   = "formal"
	ToneBrief    = "brief"
)

// Limits of what the settings say of the AI's words.
const (
	maxAISentence = 300 // characters
	maxAITopics   = 50
	maxAITopic    = 100 // characters
)

// aiTopics checks the setting of that name.
func aiTopics(value json.RawMessage) error {
	if err := shape[[]string](`a list of words like ["refund","complaint"]`)(value); err != nil {
		return err
	}
	var list []string
	bad := func(topic string) bool {
		return !strings.ContainsFunc(topic, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || utf8.RuneCountInString(topic) > maxAITopic
	}
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxAITopics || slices.ContainsFunc(list, bad) {
		return checkError("must be at most 50 words or phrases of at most 100 characters")
	}
	return nil
}

// SetUp reports whether there is an AI to ask.
func (a *AI) SetUp() bool { return a.BaseURL != "" && a.Model != "" }

// On reports whether the AI works.
func (a *AI) On() bool { return a.SetUp() && a.Mode != "off" }

// Drafts reports whether the AI only proposes answers to operators.
func (a *AI) Drafts() bool { return a.Mode == "draft" }

// Rehearses reports whether the AI answers topics alone that have earned it, and rehearses on what
// people answer.
func (a *AI) Rehearses() bool { return a.Mode == "rehearse" }

// Target returns the AI as the routing table sees it.
func (a *AI) Target() Target {
	return Target{Name: AISink, Kind: TargetAI, Delay: a.Delay, Drafts: a.Drafts(), Rehearses: a.Rehearses()}
}

// aiDestinations decides when the AI gets an event that is for it. A visitor who is being answered
// by it does not wait for operators again.
func (t *Target) aiDestinations(e *Event, s *Session) []Destination {
	switch {
	case e.Type == EventAIRequest && e.asksToAnswer():
		return []Destination{{Dest: AISink, Delay: min(AIGather, t.Delay)}}
	case e.Type == EventAIRequest:
		return []Destination{{Dest: AIRequestSink}}
	case s.AIEnded:
		return nil
	case t.Drafts:
		return []Destination{{Dest: AISink, Delay: AIGather}}
	case s.AIActive:
		return []Destination{{Dest: AISink, Delay: min(AIGather, t.Delay)}}
	}
	return []Destination{{Dest: AISink, Delay: t.Delay}}
}

// asksToAnswer reports whether a request is no more than that the AI may answer.
func (e *Event) asksToAnswer() bool {
	var request AIRequest
	return json.Unmarshal(e.Payload, &request) == nil && request.Kind == AIAnswerNow
}

// AIRequest reads what an operator asks of the AI.
func (d *Delivery) AIRequest() (AIRequest, error) {
	var request AIRequest
	err := json.Unmarshal(d.Event.Payload, &request)
	return request, err
}
