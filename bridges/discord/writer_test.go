package discord_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// Every request that the bridge makes, as Discord sees it.
func TestRequests(t *testing.T) {
	for name, forum := range map[string]bool{"text": false, "forum": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				f.Forum = forum
				if forum {
					f.RequireTag("123456789")
				}
				b, log := makeBridge(t, f)
				do := func(th chat.Thread, op chat.Op) string { return bridgetest.Must(t, b, th, op) }
				ref := do(chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Ann *", SessionID: "session-1", Text: "Page: https://shop.example\nName: _Ann_", Key: "OPEN"})
				th := chat.Thread{Ref: ref}
				first := do(th, chat.Op{Kind: chat.OpPost, Text: "hello @everyone <@1>", Key: "A"})
				do(th, chat.Op{Kind: chat.OpPost, Text: "a reply", From: "Olga (console)", ReplyTo: first, Key: "B"})
				do(th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.txt", "text/plain", "some text"), From: "AI", Key: "C"})
				do(th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("voice-message.ogg", "audio/ogg", speech), ReplyTo: first, Key: "V"})
				do(th, chat.Op{Kind: chat.OpNote, Text: "The visitor left.\n\nReally.", Key: "D"})
				do(th, chat.Op{Kind: chat.OpEdit, Remote: first, Text: "good day"})
				do(th, chat.Op{Kind: chat.OpReact, Remote: first, Receipt: "read"})
				do(th, chat.Op{Kind: chat.OpDelete, Remote: first})
				do(th, chat.Op{Kind: chat.OpTyping})
				do(th, chat.Op{Kind: chat.OpTyping}) // too early to be shown again
				do(th, chat.Op{Kind: chat.OpClose})
				do(th, chat.Op{Kind: chat.OpReopen})
				bridgetest.Golden(t, "discord/requests-"+name+".json", f.Requests(""))
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// Files: what is too large for Discord, or may not be attached, goes as a link.
func TestFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		th := open(t, b, "Ann", "")
		file := bridgetest.File("film.mp4", "video/mp4", "")
		file.Size, file.URL = 11<<20, "https://relay.example/f/1_2"
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: file, Key: key()})
		shown := thread(t, f, th.Ref).Messages
		if got := shown[len(shown)-1].Text; got != "📎 film.mp4 (11.5 MB) is too large for Discord: https://relay.example/f/1_2" {
			t.Errorf("it is shown as %q", got)
		}
		f.Deny(1 << 15)
		file = bridgetest.File("photo.png", "image/png", "a picture")
		file.URL = "https://relay.example/f/3_4"
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: file, Key: key()})
		shown = thread(t, f, th.Ref).Messages
		if got := shown[len(shown)-1].Text; got != "📎 photo.png (9 B) is not shown: the bot lacks Attach Files: https://relay.example/f/3_4" {
			t.Errorf("it is shown as %q", got)
		}
		broken := bridgetest.File("a.txt", "", "")
		broken.Open = func(context.Context) (io.ReadCloser, error) { return nil, chat.ErrAttachmentNotFound }
		if _, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, File: broken, Key: key()}); !errors.Is(err, chat.ErrAttachmentNotFound) {
			t.Errorf("it is %v", err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// Operators' files are fetched with a fresh address and without the token.
func TestFetch(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.Attach(l.thread.Ref, "Ada", "manual.txt", "text/plain; charset=utf-8", []byte("read this"), "")
		bridgetest.Settled(1_000_000_000)
		list := l.in.Inbounds(t, l.bridge)
		if len(list) != 1 || len(list[0].Files) != 1 || list[0].Files[0].MimeType != "text/plain" || list[0].Files[0].Size != 9 {
			t.Fatalf("it is %+v", list)
		}
		ref := list[0].Files[0].Ref
		file, err := l.bridge.Fetch(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if data, err := io.ReadAll(file); err != nil || string(data) != "read this" {
			t.Errorf("it holds %q (%v)", data, err)
		}
		l.Delete(l.thread.Ref, "Ada", list[0].Remote)
		for _, ref := range []string{ref, "1/2", "123456/123456/123456"} {
			if _, err := l.bridge.Fetch(t.Context(), ref); !errors.Is(err, chat.ErrPermanent) {
				t.Errorf("%s: %v", ref, err)
			}
		}
	})
}

// A thread that an operator locked is unlocked, or given up where the bot may
// not.
func TestLocked(t *testing.T) {
	for name, may := range map[string]bool{"may manage threads": true, "may not": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				b, log := makeBridge(t, f)
				th := open(t, b, "Ann", "")
				f.LockThread(th.Ref)
				if !may {
					f.Demote()
					if _, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Text: "a", Key: key()}); !errors.Is(err, chat.ErrThreadClosed) {
						t.Errorf("writing: %v", err)
					}
				}
				_, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpReopen})
				if may && err != nil || !may && !errors.Is(err, chat.ErrPermanent) {
					t.Errorf("reopening: %v", err)
				}
				if thread(t, f, th.Ref).Closed == may {
					t.Error("the thread is not as it should be")
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// Replies work without the right to read the history, as plain messages.
func TestNoHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		f.ForbidHistory()
		b, log := makeBridge(t, f)
		th := open(t, b, "Ann", "")
		first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "one", Key: key()})
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "two", ReplyTo: first, Key: key()})
		if shown := thread(t, f, th.Ref).Messages; shown[len(shown)-1].Text != "two" {
			t.Errorf("it shows %+v", shown)
		}
		bridgetest.Clean(t, f, log)
	})
}

// A server that is full of open threads gets room by archiving the quietest.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		f.Fill(12)
		var refs []string
		for range 12 {
			refs = append(refs, open(t, b, "Ann", "").Ref)
		}
		bridgetest.Must(t, b, chat.Thread{Ref: refs[0]}, chat.Op{Kind: chat.OpPost, Text: "still here", Key: key()})
		open(t, b, "Zoe", "")
		for i, ref := range refs {
			if closed := thread(t, f, ref).Closed; closed != (i >= 1 && i <= 10) {
				t.Errorf("thread %d is closed: %v", i, closed)
			}
		}
		if f.Strays() != 0 || !strings.Contains(log.String(), "quietest") {
			t.Error("a first message has no thread, or no error says so")
		}
		bridgetest.Clean(t, f, log)
	})
}

// A channel that was deleted needs a human; nothing is opened elsewhere.
func TestChannelDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		th := open(t, b, "Ann", "")
		f.DeleteChannel()
		var misconfigured *chat.Misconfigured
		for _, op := range []chat.Op{{Kind: chat.OpPost, Text: "a", Key: key()}, {Kind: chat.OpOpen, Title: "Ben", Key: key()}} {
			if _, err := b.Do(t.Context(), th, op); !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, "DISCORD_CHANNEL_ID") {
				t.Errorf("it is %v", err)
			}
		}
		bridgetest.Clean(t, f, log)
	})
}
