package slack_test

import (
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// event is what golden files hold of an Inbound.
type event struct {
	Kind     string             `json:"kind"`
	Thread   string             `json:"thread"`
	Remote   string             `json:"remote,omitempty"`
	Operator string             `json:"operator,omitempty"`
	Text     string             `json:"text,omitempty"`
	Files    []chat.InboundFile `json:"files,omitempty"`
	At       string             `json:"at,omitempty"`
}

func summary(list []chat.Inbound) (out []event) {
	kinds := map[chat.InboundKind]string{chat.InboundMessage: "message", chat.InboundEdited: "edited", chat.InboundDeleted: "deleted", chat.InboundThreadDeleted: "thread deleted"}
	for _, in := range list {
		e := event{Kind: kinds[in.Kind], Thread: in.Thread.Ref, Remote: in.Remote, Operator: in.Operator, Text: in.Text, Files: in.Files}
		if in.At != 0 {
			e.At = in.At.Std().UTC().Format(time.RFC3339Nano)
		}
		out = append(out, e)
	}
	return out
}
