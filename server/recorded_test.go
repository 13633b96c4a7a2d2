package server_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// recordedTopic is what visitors of a shop ask about, and people answer.
type recordedTopic struct {
	name string // its word in each question
	says string // of the page, with %d for its number
	n    int
}

var recordedTopics = []recordedTopic{
	{"shipping", "Shipping takes %d days.", 5}, {"returns", "Returns are free for %d days.", 30},
	{"warranty", "The warranty is %d years.", 3}, {"parking", "Parking is free for %d hours.", 2},
	{"vouchers", "Vouchers are valid for %d months.", 36}, {"repairs", "Repairs take %d weeks.", 4},
	{"invoices", "Invoices are due within %d days.", 14}, {"deposit", "The deposit is %d euros.", 25},
	{"engraving", "Engraving costs %d euros.", 12}, {"samples", "Samples cost %d euros.", 7},
	{"discount", "The discount is %d percent.", 10}, {"workshops", "Workshops take %d hours.", 6},
}

// wordings are how they ask; %s is the topic and what is bought.
var wordings = []string{
	"Could you explain %s for a %s?", "I have a question about %s, it is for a %s.", "%s? I bought a %s yesterday.",
	"Hi there, what are your rules on %s when I take the %s?", "My mother wonders about %s and the %s.",
}

var bought = []string{"lamp", "vase", "clock", "mirror", "chair"}

// recorded are the conversations of a topic.
func (r *recordedTopic) recorded() (questions []string) {
	for _, wording := range wordings {
		for _, thing := range bought {
			questions = append(questions, fmt.Sprintf(wording, r.name, thing))
		}
	}
	return questions
}

// reader is a model that says what the page about a question says, as it stands in the prompt.
func reader(r aitest.Request) aitest.Answer {
	about, at := "", -1
	for i := range recordedTopics {
		if last := recordedTopics[i].lastAsked(r.Data); last > at {
			about, at = recordedTopics[i].says, last
		}
	}
	if about == "" {
		return aitest.Answer{Text: "I do not know.", Tokens: 100}
	}
	page := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(about), "%d", `\d+`))
	return aitest.Answer{Text: page.FindString(r.System + "\n" + r.Data), Tokens: 100}
}

// lastAsked is where a visitor asks about the topic last, for whatever is bought; -1 for nowhere.
func (r *recordedTopic) lastAsked(data string) int {
	at := -1
	for _, wording := range wordings {
		question, _, _ := strings.Cut(fmt.Sprintf(wording, r.name, "\n"), "\n")
		at = max(at, strings.LastIndex(data, question))
	}
	return at
}

// TestRecordedConversations: of 300 conversations in 12 topics, three of them with a wrong page, exactly
// the nine safe topics are earned. Pages that become wrong and a worse model are caught, and no
// visitor reads a wrong answer.
func TestRecordedConversations(t *testing.T) {
	model := aitest.New(t, reader)
	s := newSite(t, dbtest.Memory(t), withModel(model))
	r := &recordedShop{site: s, pages: map[string]string{}}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "rehearse", "aiDailyTokens": 0, "aiTakeoverDelay": 0})
	s.must("POST", "/api/admin/operator/status", secretKey, object{"online": false})
	wrong := []string{"deposit", "samples", "workshops"}
	for i := range recordedTopics {
		topic := &recordedTopics[i]
		r.write(topic, topic.n+map[bool]int{true: 1}[slices.Contains(wrong, topic.name)])
	}
	r.record(0, 15)
	r.rehearse()
	r.record(15, 25)
	r.rehearse()
	for _, topic := range r.topics().Topics {
		if earned := topic.State == chat.TopicOffered; topic.Asked != 25 || earned == slices.Contains(wrong, topic.Name) {
			t.Errorf("%s: %d are asked, %d right, and it is %s", topic.Name, topic.Asked, topic.Right, topic.State)
		}
		if topic.State == chat.TopicOffered {
			s.must("POST", "/api/admin/sessions/"+topic.SessionID+"/commands", secretKey, object{"command": "!yes"})
		}
	}
	r.until("nine topics are earned", func(at rehearsedShop) bool { return at.in(chat.TopicAnswers) == 9 && len(at.Topics) == 12 })
	asked := map[string]string{}
	for i := range recordedTopics {
		asked[recordedTopics[i].name] = r.ask(fmt.Sprintf("Could you explain %s for a sofa?", recordedTopics[i].name))
	}
	for i := range recordedTopics {
		topic, session := &recordedTopics[i], asked[recordedTopics[i].name]
		if right := fmt.Sprintf(topic.says, topic.n); !slices.Contains(wrong, topic.name) {
			r.until(topic.name+" is answered", func(rehearsedShop) bool { return strings.Contains(r.read(session), right) })
		}
	}
	for _, name := range wrong {
		if said := r.read(asked[name]); strings.Contains(said, `"sender":"ai"`) {
			t.Errorf("a visitor reads %s", said)
		}
	}
	planted := []string{"shipping", "parking", "discount"}
	for i := range recordedTopics {
		if topic := &recordedTopics[i]; slices.Contains(planted, topic.name) {
			r.write(topic, topic.n+1)
		}
	}
	r.until("three pages are named and their topics fall", func(at rehearsedShop) bool {
		return len(at.Changed) == 3 && at.in(chat.TopicAnswers) == 6
	})
	for _, name := range planted {
		asked[name] = r.ask(fmt.Sprintf("Could you explain %s for a bench?", name))
	}
	last := r.ask("Could you explain returns for a bench?") // is answered behind them
	r.until("a topic that did not change is answered", func(rehearsedShop) bool { return strings.Contains(r.read(last), "30 days") })
	for _, name := range planted {
		if said := r.read(asked[name]); strings.Contains(said, `"sender":"ai"`) {
			t.Errorf("a visitor reads %s", said)
		}
	}
	before := r.topics().Worse
	model.Script(aitest.Says("I do not know."))
	r.rehearse()
	if at := r.topics(); at.Worse < before+100 {
		t.Errorf("with a worse model %d answers are worse, %d before", at.Worse, before)
	}
}

// recordedShop is a relay with what its team answered.
type recordedShop struct {
	*site
	pages map[string]string // the ids of the sources by topic
}

// write writes a topic's page with a number, in the place of the one before.
func (r *recordedShop) write(topic *recordedTopic, n int) {
	r.t.Helper()
	if old := r.pages[topic.name]; old != "" {
		r.must("DELETE", knowledgePath+"/sources/"+old, secretKey, nil)
	}
	title := strings.ToUpper(topic.name[:1]) + topic.name[1:]
	r.pages[topic.name] = r.must("POST", knowledgePath, secretKey, object{"title": title, "text": fmt.Sprintf(topic.says, n)}).text("id")
}

// record has people answer the conversations of each topic from one to another.
func (r *recordedShop) record(from, to int) {
	r.t.Helper()
	for i := from; i < to; i++ {
		for k := range recordedTopics {
			topic := &recordedTopics[k]
			session := r.ask(topic.recorded()[i])
			r.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": fmt.Sprintf(topic.says, topic.n)})
		}
	}
}

func (r *recordedShop) ask(question string) (session string) {
	r.t.Helper()
	session = r.open(chat.NewID())
	r.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": question})
	return session
}

// until waits until what is known of the topics holds.
func (r *recordedShop) until(what string, holds func(rehearsedShop) bool) {
	r.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(r.topics()); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("not in time: %s\n%+v", what, r.topics())
		}
	}
}

// read is what a visitor reads.
func (r *recordedShop) read(session string) string {
	r.t.Helper()
	return string(r.must("GET", "/api/widget/messages?sessionId="+session, publicKey, nil).body)
}

type rehearsedTopic struct {
	ID, Name, State, SessionID string
	Asked, Right, InARow       int
}

type rehearsedShop struct {
	Waiting int
	Topics  []rehearsedTopic
	Changed []chat.PageChange
	Worse   int
}

func (r *recordedShop) topics() (at rehearsedShop) {
	r.t.Helper()
	if err := json.Unmarshal(r.must("GET", "/api/admin/ai/rehearsal", secretKey, nil).body, &at); err != nil {
		r.t.Fatal(err)
	}
	return at
}

// in counts topics by their state.
func (at *rehearsedShop) in(state string) (n int) {
	for i := range at.Topics {
		if at.Topics[i].State == state {
			n++
		}
	}
	return n
}

// rehearse has the AI answer the newest questions and waits for it.
func (r *recordedShop) rehearse() {
	r.t.Helper()
	r.must("POST", "/api/admin/ai/rehearsal", secretKey, object{"count": 200})
	r.until("nothing is rehearsed any more", func(at rehearsedShop) bool { return at.Waiting == 0 })
}
