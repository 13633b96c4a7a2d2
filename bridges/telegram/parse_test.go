package telegram_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// parser is a bridge that speaks to nobody.
func parser(t testing.TB) *telegram.Bridge {
	b, err := telegram.New(telegram.Config{Token: "7000000001:AAcanary", ChatID: "-1001234567890"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParse(t *testing.T) {
	b := parser(t)
	for name, raw := range bridgetest.Recorded(t, "telegram/updates") {
		t.Run(name, func(t *testing.T) {
			list, err := b.Parse(raw)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "none_") {
				if len(list) > 0 {
					t.Errorf("means %+v", list)
				}
				return
			}
			bridgetest.Golden(t, "telegram/inbound/"+name+".json", summary(list))
		})
	}
}

// A command for another bot is none of relay's.
func TestCommandsOfOthers(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	b, _ := makeBridge(t, f)
	b.Check(t.Context()) // learns the bot's name
	for text, want := range map[string]string{
		"/close@relay_support_bot":    "/close",
		"/close@Relay_Support_Bot ok": "/close ok",
		"/ban@other_bot":              "",
		"/close":                      "/close",
		"/etc/passwd":                 "/etc/passwd",
		"mail me@example.com":         "mail me@example.com",
		"/":                           "/",
	} {
		raw := strings.Replace(string(bridgetest.Recorded(t, "telegram/updates")["text"]), jsonOf("Hello 👋 <b>&amp;"), jsonOf(text), 1)
		raw = strings.Replace(raw, `"Hello 👋 <b>&amp;"`, jsonOf(text), 1)
		list, err := b.Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(list) > 0 {
			got = list[0].Text
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, raw := range bridgetest.Recorded(f, "telegram/updates") {
		f.Add(raw)
	}
	f.Add([]byte(`{"update_id":1,"message":{"message_id":1e3}}`))
	b := parser(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, err := b.Parse(raw)
		if err != nil && !errors.Is(err, chat.ErrPermanent) {
			t.Fatalf("an update that cannot be read would be tried again: %v", err)
		}
		if err != nil && json.Valid(raw) && len(list) > 0 {
			t.Fatal("both an error and a meaning")
		}
		for _, in := range list {
			if in.Thread.Channel != "-1001234567890" || in.Thread.Bridge != telegram.Name {
				t.Fatalf("of another chat: %+v", in)
			}
			if in.Kind != chat.InboundChannelMoved && (in.Thread.Ref == "" || in.Remote == "" || in.Remote == "0") {
				t.Fatalf("of no thread: %+v", in)
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
