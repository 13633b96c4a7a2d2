package knowledge_test

import (
	"testing"

	"github.com/relay-chat/relay/bridges/knowledge"
)

// TestTopics: a question belongs to the topic of what is most alike, and to none where that is not
// clear or it is another site's.
func TestTopics(t *testing.T) {
	var topics knowledge.Topics
	for topic, questions := range map[string][]string{
		"hours":    {"What are your opening hours?", "When do you open on Sundays?", "opening hours on Christmas"},
		"shipping": {"How long does shipping take?", "shipping time to Austria", "What does shipping cost?"},
		"gifts":    {"Do you sell gift cards?"},
		"cards":    {"Do you take credit cards?"},
	} {
		for _, q := range questions {
			topics.Add("", q, "", topic)
		}
	}
	topics.Add("berlin", "Is there parking?", "", "parking")
	for _, tt := range []struct{ site, question, before, want string }{
		{"", "opening hours?", "", "hours"},
		{"", "Your OPENING hours on Monday please", "", "hours"},
		{"", "shipping costs to Germany?", "", "shipping"},
		{"", "Are gift cards sold?", "", "gifts"},
		{"", "A refund, please!", "", ""},
		{"", "Is there parking?", "", ""},
		{"berlin", "parking", "", "parking"},
		{"berlin", "opening hours?", "", ""},
		{"", "Are you sure?", "What are your opening hours?", "hours"},
		{"", "", "", ""},
	} {
		if got := topics.Of(tt.site, tt.question, tt.before); got != tt.want {
			t.Errorf("%q at %q is about %q, not %q", tt.question, tt.site, got, tt.want)
		}
	}
}

// TestTopicName: a topic is called by the words that most of its questions have.
func TestTopicName(t *testing.T) {
	for want, questions := range map[string][]string{
		"opening hours": {"What are your opening hours?", "opening hours on Christmas", "Opening hours, please! Is there parking, too?"},
		"parking bikes": {"Is there parking for bikes?"},
		"refund":        {"A refund", "refunds to cards", "When do I get my refund back?"},
		"Who are you?":  {"Who are you?"},
		"":              nil,
	} {
		if got := knowledge.TopicName(questions); got != want {
			t.Errorf("%q are called %q, not %q", questions, got, want)
		}
	}
}
