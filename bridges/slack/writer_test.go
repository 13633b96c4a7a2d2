package slack_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// Each kind of message, with and without the right to write under names.
func TestLooks(t *testing.T) {
	for _, c := range []struct {
		name  string
		op    chat.Op
		named string // with chat:write.customize
		plain string
	}{
		{"visitor", chat.Op{Kind: chat.OpPost, Text: "*hi* <!channel> & bye"}, "Visitor\n*hi* <!channel> & bye", "*hi* <!channel> & bye"},
		{"operator", chat.Op{Kind: chat.OpPost, Text: "hello", From: "Ada (telegram)"}, "Ada (telegram)\nhello", "Ada (telegram):\nhello"},
		{"marks in a name", chat.Op{Kind: chat.OpPost, Text: "hello", From: "*A_d*a\n<!here>"}, "*A_d*a <!here>\nhello", "Ada <!here>:\nhello"},
		{"edited", chat.Op{Kind: chat.OpPost, Text: "hello", Edited: true}, "Visitor\n✏️ edited:\nhello", "✏️ edited:\nhello"},
		{"note", chat.Op{Kind: chat.OpNote, Text: "the visitor left"}, "ℹ️ the visitor left", "ℹ️ the visitor left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, scopes := range [][]string{slacktest.AllScopes, slacktest.SeedScopes} {
				f := slacktest.NewInBubble(t)
				f.Grant(scopes...)
				b, log := makeBridge(t, f)
				th := open(t, b, "Grace", "")
				want := c.named
				if len(scopes) == len(slacktest.SeedScopes) {
					want = c.plain
				}
				bridgetest.Must(t, b, th, c.op)
				if got := shown(f, th.Ref); got != want {
					t.Errorf("%q, want %q", got, want)
				}
				bridgetest.Clean(t, f, log)
			}
		})
	}
}

// A quote follows what it quotes, and an edit keeps it.
func TestQuotesFollow(t *testing.T) {
	f := slacktest.NewInBubble(t)
	f.Grant(slacktest.SeedScopes...)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "my number is 1234", Key: "K1"})
	second := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "is that right?", ReplyTo: first, Key: "K2"})
	expect := func(want string) {
		t.Helper()
		if got := shown(f, th.Ref); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	expect("my number is 1234 | ↩ “my number is 1234”\nis that right?")
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: second, Text: "right?"})
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: first, Text: "my number is 5"})
	expect("my number is 5 | ↩ “my number is 5”\nright?")
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpDelete, Remote: first})
	expect("right?")
	bridgetest.Clean(t, f, log)
}

// Operators' messages are quoted too: they are read from the thread.
func TestOperatorIsQuoted(t *testing.T) {
	f := slacktest.NewInBubble(t)
	f.Grant(slacktest.SeedScopes...)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	theirs := f.Write(th.Ref, "Ada", "5 < 6 & https://example.com/?a=1", "")
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "yes", ReplyTo: theirs})
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "no", ReplyTo: "946684800.000099"})
	if got := shown(f, th.Ref); !strings.HasSuffix(got, "| ↩ “5 < 6 & https://example.com/?a=1”\nyes | no") {
		t.Error(got)
	}
	bridgetest.Clean(t, f, log)
}

// A message of before a restart is quoted without what stands above its words.
func TestQuotesOfQuotes(t *testing.T) {
	for name, scopes := range map[string][]string{"named": slacktest.AllScopes, "by the app": slacktest.SeedScopes} {
		t.Run(name, func(t *testing.T) {
			f := slacktest.NewInBubble(t)
			f.Grant(scopes...)
			b, _ := makeBridge(t, f)
			th := open(t, b, "Grace", "")
			first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "one", Key: "K1"})
			second := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "two", From: "Ada", ReplyTo: first, Edited: true, Key: "K2"})
			b, log := makeBridge(t, f)
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "three", ReplyTo: second, Key: "K3"})
			if got := shown(f, th.Ref); !strings.HasSuffix(got, "↩ “two”\nthree") {
				t.Error(got)
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// Without files:write a file is a link; so is one that Slack would not take.
func TestFilesAsLinks(t *testing.T) {
	for _, c := range []struct {
		name   string
		scopes []string
		change func(f *chat.OpFile)
		want   string
	}{
		{"link", slacktest.SeedScopes, func(f *chat.OpFile) { f.URL = "https://chat.example.com/files/x" }, "📎 a.txt (5 B): https://chat.example.com/files/x"},
		{"no address", slacktest.SeedScopes, func(*chat.OpFile) {}, "📎 a.txt (5 B) cannot be shown here: the app lacks the scope files:write, and relay has no PUBLIC_URL for a link; the console shows it"},
		{"empty", slacktest.AllScopes, func(f *chat.OpFile) { f.Size = 0 }, "Visitor\n📎 a.txt (0 B) is empty"},
		{"huge", slacktest.AllScopes, func(f *chat.OpFile) { f.Size = 2 << 30 }, "Visitor\n📎 a.txt (2147.5 MB) is too large for Slack"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := slacktest.NewInBubble(t)
			f.Grant(c.scopes...)
			b, log := makeBridge(t, f)
			th := open(t, b, "Grace", "")
			file := bridgetest.File("a.txt", "text/plain", "hello")
			c.change(file)
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: file})
			if got := shown(f, th.Ref); got != c.want {
				t.Error(got)
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// A file is shown with its author, and deleted with its message.
func TestFiles(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	remote := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.txt", "text/plain", "hello"), From: "Ada (console)"})
	m := f.Threads()[0].Messages[1]
	if m.Text != "Ada (console):" || m.Filename != "a.txt" || string(m.Data) != "hello" {
		t.Errorf("it is shown as %+v", m)
	}
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpReact, Remote: remote, Receipt: "read"}) // has none
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpDelete, Remote: remote})
	if got := shown(f, th.Ref); got != "" {
		t.Error(got)
	}
	if _, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpDelete, Remote: remote}); !errors.Is(err, chat.ErrMessageGone) {
		t.Error(err)
	}
	bridgetest.Clean(t, f, log)
}

// A closed session is marked at the thread's first message, whose text and
// metadata stay.
func TestMarks(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace <3", "session-1")
	title := func() string { return f.Threads()[0].Title }
	for _, c := range []struct {
		op   chat.OpKind
		want string
	}{{chat.OpClose, "[closed] 💬 Grace <3"}, {chat.OpClose, "[closed] 💬 Grace <3"}, {chat.OpReopen, "💬 Grace <3"}, {chat.OpReopen, "💬 Grace <3"}} {
		bridgetest.Must(t, b, th, chat.Op{Kind: c.op})
		if title() != c.want {
			t.Errorf("%q, want %q", title(), c.want)
		}
	}
	if n := len(f.Requests("chat.update")); n != 2 {
		t.Errorf("%d updates", n)
	}
	fresh, _ := makeBridge(t, f)
	if id, err := fresh.Owner(t.Context(), th); id != "session-1" || err != nil {
		t.Errorf("owned by %q, %v", id, err)
	}
	bridgetest.Clean(t, f, log)
}

// In a thread that was deleted nothing stays behind in the channel, also when
// nobody knows whether it was written.
func TestStraysAreRemoved(t *testing.T) {
	for name, fail := range map[string]bool{"answered": false, "answer lost": true} {
		t.Run(name, func(t *testing.T) {
			f := slacktest.NewInBubble(t)
			b, log := makeBridge(t, f)
			th := open(t, b, "Grace", "")
			f.DeleteSilently(th.Ref)
			op := chat.Op{Kind: chat.OpPost, Text: "hello", Key: "K1"}
			if fail {
				f.Fail(1, bridgetest.FaultAnswerLost)
				if _, err := b.Do(t.Context(), th, op); !errors.Is(err, chat.ErrAmbiguous) {
					t.Error(err)
				}
				op.Ambiguous = true
			}
			if _, err := b.Do(t.Context(), th, op); !errors.Is(err, chat.ErrThreadGone) {
				t.Error(err)
			}
			for _, file := range []bool{false, true} {
				op := chat.Op{Kind: chat.OpClose}
				if file {
					op = chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.txt", "text/plain", "hello")}
				}
				if _, err := b.Do(t.Context(), th, op); !errors.Is(err, chat.ErrThreadGone) {
					t.Error(err)
				}
			}
			if n := len(f.Threads()); n != 0 {
				t.Errorf("%d messages stay in the channel", n)
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// A message of an attempt whose answer was lost is found, and not
// written again, by the same bridge and by one that remembers nothing.
func TestLostAnswers(t *testing.T) {
	ops := map[string]chat.Op{
		"open": {Kind: chat.OpOpen, Title: "Hedy", Key: "K1"},
		"post": {Kind: chat.OpPost, Text: "hello", Key: "K1"},
		"file": {Kind: chat.OpPost, File: bridgetest.File("a.txt", "text/plain", "hello"), Key: "K1"},
	}
	for name, op := range ops {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " restarted ", restarted), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := slacktest.NewInBubble(t)
					b, log := makeBridge(t, f)
					th := open(t, b, "Grace", "")
					if op.File != nil { // another of the same looks
						bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: op.File, Key: "K0"})
						time.Sleep(48 * time.Hour)
					}
					cut := &cutting{RoundTripper: f.Transport()}
					b, _ = makeBridge(t, f, func(c *slack.Config) { c.Transport = cut })
					if _, err := b.Do(t.Context(), th, op); !errors.Is(err, chat.ErrAmbiguous) {
						t.Fatal(err)
					}
					if time.Sleep(10 * time.Hour); restarted {
						b, _ = makeBridge(t, f)
					}
					before := jsonOf(f.Threads())
					again := op
					again.Ambiguous = true
					if remote := bridgetest.Must(t, b, th, again); remote == "" || !strings.Contains(before, remote) && op.File == nil {
						t.Errorf("it is %q", remote)
					}
					if after := jsonOf(f.Threads()); after != before {
						t.Errorf("it is there twice:\n%s", after)
					}
					bridgetest.Clean(t, f, log)
				})
			})
		}
	}
}

// cutting loses the first answer to a call that shows something.
type cutting struct {
	http.RoundTripper
	done bool
}

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if c.done || !strings.HasSuffix(r.URL.Path, "chat.postMessage") && !strings.HasSuffix(r.URL.Path, "completeUploadExternal") {
		return resp, err
	}
	c.done = true
	if err == nil {
		resp.Body.Close()
	}
	return nil, io.ErrUnexpectedEOF
}

// Nobody who was not lost is looked for: an op that never arrived is written.
func TestNothingArrived(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "hello", Key: "K1", Ambiguous: true})
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.txt", "text/plain", "x"), Key: "K2", Ambiguous: true})
	bridgetest.Must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Hedy", Key: "K3", Ambiguous: true})
	if n := len(f.Threads()); n != 2 || len(f.Threads()[0].Messages) != 3 {
		t.Errorf("the channel has %+v", f.Threads())
	}
	bridgetest.Clean(t, f, log)
}

// The app joins a public channel when it may.
func TestJoins(t *testing.T) {
	f := slacktest.NewInBubble(t)
	f.Leave()
	b, log := makeBridge(t, f)
	open(t, b, "Grace", "")
	f.Leave()
	f.Grant(slacktest.SeedScopes...)
	b, _ = makeBridge(t, f)
	_, err := b.Do(t.Context(), chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Hedy", Key: "K"})
	var wrong *chat.Misconfigured
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Fix, "/invite") {
		t.Error(err)
	}
	bridgetest.Clean(t, f, log)
}

// Messages keep to a second each, with short bursts; an early caller learns when
// to come.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		f.Paced = true
		b, log := makeBridge(t, f, func(c *slack.Config) { c.Pause = 0 })
		th := open(t, b, "Grace", "")
		begun, early := time.Now(), 0
		for n := 0; n < 60; {
			_, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Text: "hello"})
			var wait *chat.RetryAfter
			if errors.As(err, &wait) {
				early++
				time.Sleep(wait.After)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if took := time.Since(begun); took < 50*time.Second || took > 60*time.Second || f.Limited() > 0 || early > 60 {
			t.Errorf("60 messages took %s, %d came early, Slack said no to %d", took, early, f.Limited())
		}
		bridgetest.Clean(t, f, log)
	})
}
