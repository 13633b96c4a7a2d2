package chat

import (
	"strings"
	"testing"
)

// TestExchanges: what a person answered is found by one rule, also where the AI handed over before.
func TestExchanges(t *testing.T) {
	senders := map[rune]Sender{'v': SenderVisitor, 'o': SenderOperator, 'a': SenderAI}
	for said, want := range map[string]string{
		"":                            "",
		"v1 o2":                       "1//2",
		"v1 v2 o3 o4":                 "1 2//3 4",
		"o1 v2 o3":                    "2//3",
		"v1 a2 o3":                    "1/2/3",
		"v1 a2 v3 o4":                 "1/2/|3//4",
		"v1 o2 a3 o4":                 "1//2",
		"v1 v2":                       "1 2//",
		"v1 deleted2 note3 relay4 o5": "1//5",
		"a1 o2":                       "",
	} {
		var messages []Message
		for i, one := range strings.Fields(said) {
			m := Message{Sender: senders[rune(one[0])], Content: one[len(one)-1:], Timestamp: Time(i + 1)}
			switch {
			case strings.HasPrefix(one, "deleted"):
				m.Sender, m.DeletedAt = SenderOperator, 9
			case strings.HasPrefix(one, "note"):
				m.Sender, m.Internal = SenderOperator, true
			case strings.HasPrefix(one, "relay"):
				m.Sender, m.SourceBridge = SenderOperator, SourceRelay
			}
			messages = append(messages, m)
		}
		var got []string
		for _, e := range Exchanges(messages) {
			text := func(part []Message) string { return strings.ReplaceAll(TextOf(part), "\n", " ") }
			got = append(got, text(e.Asked)+"/"+text(e.AI)+"/"+text(e.Answered))
		}
		if found := strings.Join(got, "|"); found != want {
			t.Errorf("%q is %q, want %q", said, found, want)
		}
	}
}

// TestAnsweredTo: the answer is to what was asked up to a time, or to what the visitor wrote next.
func TestAnsweredTo(t *testing.T) {
	list := Exchanges([]Message{
		{Sender: SenderVisitor, Timestamp: 1}, {Sender: SenderOperator, Content: "first", Timestamp: 2},
		{Sender: SenderVisitor, Timestamp: 3}, {Sender: SenderAI, Timestamp: 4}, {Sender: SenderVisitor, Timestamp: 5},
		{Sender: SenderOperator, Content: " second ", Timestamp: 6}, {Sender: SenderVisitor, Timestamp: 7},
	})
	for asked, want := range map[Time]string{0: "first", 1: "first", 2: "first", 3: "second", 4: "second", 5: "second", 7: "", 9: ""} {
		if got := AnsweredTo(list, asked); got != want {
			t.Errorf("up to %d it is %q, want %q", asked, got, want)
		}
	}
	if got := AnsweredTo(nil, 1); got != "" {
		t.Error(got)
	}
}
