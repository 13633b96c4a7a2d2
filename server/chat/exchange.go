package chat

import "strings"

// Exchange is what a visitor asked, in messages one behind the other, and what people answered.
type Exchange struct {
	// Before are the messages before the question.
	Before, Asked []Message
	// AI is what the AI said in between: an answer, or that it hands over.
	AI []Message
	// Answered is what people wrote to the visitor then, before anybody else wrote; empty if nobody did.
	Answered []Message
}

// Exchanges parts the messages of a conversation. What is deleted, internal or relay's own is in none.
func Exchanges(messages []Message) (list []Exchange) {
	var said []Message
	for i := range messages {
		if m := &messages[i]; m.DeletedAt == 0 && !m.Internal && !m.ByRelay() {
			said = append(said, *m)
		}
	}
	run := func(from int, sender Sender) int {
		for from < len(said) && said[from].Sender == sender {
			from++
		}
		return from
	}
	for from := 0; from < len(said); {
		asked := run(from, SenderVisitor)
		between := run(asked, SenderAI)
		answered := run(between, SenderOperator)
		if asked > from {
			list = append(list, Exchange{said[:from], said[from:asked], said[asked:between], said[between:answered]})
		}
		from = max(answered, from+1)
	}
	return list
}

// AnsweredTo is what people answered to what a visitor had asked up to a time, "" if nobody has.
func AnsweredTo(list []Exchange, asked Time) string {
	first := 0
	for i := range list {
		if list[i].Asked[0].Timestamp <= asked {
			first = i
		}
	}
	for i := first; i < len(list); i++ {
		if text := strings.TrimSpace(TextOf(list[i].Answered)); text != "" {
			return text
		}
	}
	return ""
}

// TextOf is what messages say.
func TextOf(messages []Message) string {
	texts := make([]string, len(messages))
	for i := range messages {
		texts[i] = strings.TrimSpace(messages[i].Content)
	}
	return strings.Join(texts, "\n")
}
