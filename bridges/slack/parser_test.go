package slack_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// parser is a bridge that knows nobody's name.
func parser(t testing.TB) *slack.Bridge {
	b, err := slack.New(slack.Config{BotToken: "xoxb-1", ChannelID: "C0SUPPORT1", Transport: answers{Err: errors.New("no network")}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParse(t *testing.T) {
	for name, raw := range bridgetest.Recorded(t, "slack/events") {
		t.Run(name, func(t *testing.T) {
			list, err := parser(t).Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "none_") {
				if len(list) > 0 {
					t.Errorf("means %+v", list)
				}
				return
			}
			bridgetest.Golden(t, "slack/inbound/"+name+".json", summary(list))
		})
	}
}

// Slack brings again what it could not deliver, minutes later: then what became
// of the message came before. It ends as it was left.
func TestParseOutOfOrder(t *testing.T) {
	const words = `{"type":"message","user":"U1","ts":"5.1","thread_ts":"4.1","text":%q,"edited":%s}`
	event := func(format string, args ...any) []byte {
		return fmt.Appendf(nil, `{"type":"event_callback","event":{"type":"message","channel":"C0SUPPORT1",`+format+`}}`, args...)
	}
	written := event(`"user":"U1","ts":"5.1","thread_ts":"4.1","text":"one"`)
	edit := func(ts, text string) []byte {
		return event(`"subtype":"message_changed","message":`+words+`,"previous_message":`+words, text, `{"ts":"`+ts+`"}`, "one", "null")
	}
	deleted := event(`"subtype":"message_deleted","deleted_ts":"5.1","previous_message":`+words, "one", "null")
	for _, c := range []struct {
		name string
		come [][]byte
		want string // the last text, "" when it is gone or never came
	}{
		{"in order", [][]byte{written, edit("6.1", "two"), edit("7.1", "three")}, "three"},
		{"an edit before its message", [][]byte{edit("6.1", "two"), written}, "two"},
		{"an edit behind a later one", [][]byte{written, edit("7.1", "three"), edit("6.1", "two")}, "three"},
		{"a delete before its message", [][]byte{deleted, written}, ""},
		{"a delete before an edit", [][]byte{written, deleted, edit("6.1", "two")}, ""},
		{"backwards", [][]byte{deleted, edit("7.1", "three"), edit("6.1", "two"), written}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, text := parser(t), ""
			for _, raw := range c.come {
				list, err := b.Parse(raw)
				if err != nil {
					t.Fatal(err)
				}
				for _, in := range list {
					text = in.Text
				}
			}
			if text != c.want {
				t.Errorf("it ends as %q, want %q", text, c.want)
			}
		})
	}
}

// A person's name is asked for once an hour, and once a minute while Slack does
// not return.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f)
		th := open(t, b, "Grace", "")
		f.WriteRaw(th.Ref, "Ada", "ask <@U0NOBODY>")
		f.Write(th.Ref, "Ada", "or me", "")
		for range 2 {
			for _, raw := range f.Emitted() {
				list, err := b.Parse(raw)
				if err != nil {
					t.Fatal(err)
				}
				for _, in := range list {
					if in.Operator != "Ada" || in.Text != "ask @somebody" && in.Text != "or me" {
						t.Errorf("%q by %q", in.Text, in.Operator)
					}
				}
			}
			time.Sleep(30 * time.Second)
		}
		if n := len(f.Requests("users.info")); n != 2 {
			t.Errorf("asked %d times", n)
		}
		bridgetest.Clean(t, f, log)
	})
}

func FuzzParse(f *testing.F) {
	for _, raw := range bridgetest.Recorded(f, "slack/events") {
		f.Add(raw)
	}
	b := parser(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := b.Parse(raw)
		if err != nil && !errors.Is(err, chat.ErrPermanent) {
			t.Fatalf("an event that cannot be read would be tried again: %v", err)
		}
		for _, in := range list {
			if in.Thread.Channel != "C0SUPPORT1" || in.Thread.Bridge != slack.Name || in.Thread.Ref == "" {
				t.Fatalf("of no thread of the channel: %+v", in)
			}
			if in.Kind != chat.InboundThreadDeleted && in.Remote == "" {
				t.Fatalf("of no message: %+v", in)
			}
			if in.Kind == chat.InboundMessage && in.Text == "" && len(in.Files) == 0 {
				t.Fatalf("an empty message: %+v", in)
			}
			if !utf8.ValidString(in.Text) {
				t.Fatalf("broken text: %q", in.Text)
			}
		}
	})
}
