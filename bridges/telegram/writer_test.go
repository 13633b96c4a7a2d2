package telegram_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// Each op makes the calls of its golden file.
func TestOps(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	for name, run := range map[string]func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string){
		"open": func(t *testing.T, b *telegram.Bridge, _ chat.Thread, _ string) {
			parts := b.Split(chat.Op{Kind: chat.OpOpen, Title: "Ada <b>\n", SessionID: "s-1", Text: "Page: https://example.com/?a&b"})
			th := chat.Thread{Ref: bridgetest.Must(t, b, chat.Thread{}, parts[0])}
			bridgetest.Must(t, b, th, parts[1])
		},
		"open_community": func(t *testing.T, b *telegram.Bridge, _ chat.Thread, _ string) {
			bridgetest.Must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Ada #somebody"})
		},
		"post": func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "1 < 2 & @everyone <script>", ReplyTo: first})
		},
		"post_from": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "Hello", From: "Ada <3 (slack)", Edited: true})
		},
		"post_photo": func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "look & see", ReplyTo: first, File: bridgetest.File("a \"b\".png", "image/png", png)})
		},
		"post_voice": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, From: "Ada", File: bridgetest.File("v.ogg", "audio/ogg", "OggS")})
		},
		"post_recording": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("v.ogg", "audio/ogg", bridgetest.Recording(make([]int, 125)...))})
		},
		"post_document": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("Größe.pdf", "application/pdf", "%PDF")})
		},
		"post_not_a_photo": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.png", "image/png", "no picture")})
		},
		"post_too_large": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "see", File: &chat.OpFile{Filename: "a.iso", Size: 60 << 20, URL: "https://r.example/f"}})
		},
		"note": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpNote, Text: "The visitor left <&>"})
		},
		"edit": func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: first, Text: "better"})
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: first, Text: "better"}) // not modified is no error
		},
		"edit_caption": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			photo := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "a", File: bridgetest.File("a.png", "image/png", png)})
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: photo, Text: "b"})
		},
		"delete": func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpDelete, Remote: first})
		},
		"react": func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpReact, Remote: first, Receipt: "delivered"})
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpReact, Remote: first, Receipt: "read"})
		},
		"close": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpClose})
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpClose}) // already closed is no error
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpReopen})
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpReopen})
		},
		"typing": func(t *testing.T, b *telegram.Bridge, th chat.Thread, _ string) {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpTyping})
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpTyping}) // too soon: dropped
		},
		"post_long": func(t *testing.T, b *telegram.Bridge, th chat.Thread, first string) {
			for _, op := range b.Split(chat.Op{Kind: chat.OpPost, From: "Ada", Text: long, ReplyTo: first, File: bridgetest.File("a.txt", "text/plain", "a")}) {
				bridgetest.Must(t, b, th, op)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := telegramtest.NewInBubble(t)
			b, log := makeBridge(t, f)
			th := open(t, b, "Grace", "s-0")
			first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "first"})
			before := len(f.Requests(""))
			run(t, b, th, first)
			bridgetest.Golden(t, "telegram/requests/"+name+".json", f.Requests("")[before:])
			bridgetest.Clean(t, f, log)
		})
	}
}

// Changes that people make in the group are repaired or reported.
func TestGroupFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*telegramtest.Platform, chat.Thread)
		op    chat.Op
		want  any // an error, or *chat.Misconfigured, or nil
		human string
	}{
		{"thread deleted", func(f *telegramtest.Platform, th chat.Thread) { f.DeleteThread(th.Ref) }, chat.Op{Kind: chat.OpPost, Text: "a"}, chat.ErrThreadGone, ""},
		{"thread deleted, close", func(f *telegramtest.Platform, th chat.Thread) { f.DeleteThread(th.Ref) }, chat.Op{Kind: chat.OpClose}, chat.ErrThreadGone, ""},
		{"thread deleted, edit", func(f *telegramtest.Platform, th chat.Thread) { f.DeleteThread(th.Ref) }, chat.Op{Kind: chat.OpEdit, Remote: "2", Text: "b"}, chat.ErrMessageGone, ""},
		{"thread closed", func(f *telegramtest.Platform, th chat.Thread) { f.Shut(); f.CloseThread(th.Ref) }, chat.Op{Kind: chat.OpPost, Text: "a"}, chat.ErrThreadClosed, ""},
		{"message gone", func(f *telegramtest.Platform, _ chat.Thread) { f.Remove("2") }, chat.Op{Kind: chat.OpEdit, Remote: "2", Text: "b"}, chat.ErrMessageGone, ""},
		{"message gone, delete", func(f *telegramtest.Platform, _ chat.Thread) { f.Remove("2") }, chat.Op{Kind: chat.OpDelete, Remote: "2"}, chat.ErrMessageGone, ""},
		{"topics off, post", func(f *telegramtest.Platform, _ chat.Thread) { f.SwitchTopics(false) }, chat.Op{Kind: chat.OpPost, Text: "a"}, nil, "topics are switched off"},
		{"topics off, open", func(f *telegramtest.Platform, _ chat.Thread) { f.SwitchTopics(false) }, chat.Op{Kind: chat.OpOpen, Title: "a"}, nil, "has no topics"},
		{"demoted", func(f *telegramtest.Platform, _ chat.Thread) { f.Demote(true) }, chat.Op{Kind: chat.OpOpen, Title: "a"}, nil, "may not open topics"},
		{"kicked", func(f *telegramtest.Platform, _ chat.Thread) { f.Kick() }, chat.Op{Kind: chat.OpPost, Text: "a"}, nil, "was removed from the group"},
		{"token revoked", func(f *telegramtest.Platform, _ chat.Thread) { f.Fail(1, bridgetest.FaultUnauthorized) }, chat.Op{Kind: chat.OpPost, Text: "a"}, nil, "does not accept the bot token"},
		{"answer lost", func(f *telegramtest.Platform, _ chat.Thread) { f.Fail(1, bridgetest.FaultAnswerLost) }, chat.Op{Kind: chat.OpPost, Text: "a"}, chat.ErrAmbiguous, ""},
		{"not a ref", func(*telegramtest.Platform, chat.Thread) {}, chat.Op{Kind: chat.OpDelete, Remote: "x"}, chat.ErrMessageGone, ""},
		{"empty", func(*telegramtest.Platform, chat.Thread) {}, chat.Op{Kind: chat.OpPost, Text: " \n"}, chat.ErrPermanent, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := telegramtest.NewInBubble(t)
			b, log := makeBridge(t, f)
			th := open(t, b, "Grace", "")
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "first"})
			c.spoil(f, th)
			_, err := b.Do(t.Context(), th, c.op)
			if want, ok := c.want.(error); ok && !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			var misconfigured *chat.Misconfigured
			if c.human != "" && (!errors.As(err, &misconfigured) || !strings.Contains(err.Error(), c.human)) {
				t.Errorf("got %v, want a misconfiguration with: %s", err, c.human)
			}
			if err != nil && strings.Contains(err.Error(), "AAcanary") {
				t.Error("the token is in the error")
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// In a group whose topics were switched off, no message stays where all members see it.
func TestNothingIsLeftOutsideTheTopic(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	b, _ := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	f.SwitchTopics(false)
	_, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Text: "private"})
	var misconfigured *chat.Misconfigured
	if !errors.As(err, &misconfigured) || len(f.Requests("deleteMessage")) != 1 {
		t.Errorf("%v after %v", err, f.Requests("deleteMessage"))
	}
}

// Only sends can be ambiguous: edits may be repeated.
func TestOnlySendsAreAmbiguous(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	b, _ := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "first"})
	for _, op := range []chat.Op{{Kind: chat.OpEdit, Remote: first, Text: "b"}, {Kind: chat.OpReact, Remote: first}, {Kind: chat.OpClose}, {Kind: chat.OpDelete, Remote: first}} {
		f.Fail(1, bridgetest.FaultAnswerLost)
		if _, err := b.Do(t.Context(), th, op); err == nil || errors.Is(err, chat.ErrAmbiguous) {
			t.Errorf("op %d: %v", op.Kind, err)
		}
	}
}

// A group that gets a new id is followed automatically.
func TestMigratedGroupIsFollowed(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	f.Migrate(-1009999999999)
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "still here"})
	if b.Channel() != "-1009999999999" {
		t.Errorf("the channel is %s", b.Channel())
	}
	bridgetest.Clean(t, f, log)
}

// shown returns the texts of a thread.
func shown(th bridgetest.Thread) string {
	var texts []string
	for _, m := range th.Messages {
		texts = append(texts, m.Text)
	}
	return strings.Join(texts, "|")
}
