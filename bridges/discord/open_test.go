package discord_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// The thread that is answered is the one that is written to, also when the answer
// to its first message or to itself was lost.
func TestThreadOfAnotherID(t *testing.T) {
	for _, lost := range []string{"", "/messages", "/threads"} {
		t.Run(lost, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				f.OwnIDs = true
				b, _ := makeBridge(t, f, func(c *discord.Config) {
					next := c.Transport
					c.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
						resp, err := next.RoundTrip(r)
						if lost != "" && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, lost) {
							return nil, io.ErrUnexpectedEOF
						}
						return resp, err
					})
				})
				op := chat.Op{Kind: chat.OpOpen, Title: "Ben", Text: "Page", Key: key(), Since: chat.Now()}
				ref, err := b.Do(t.Context(), chat.Thread{}, op)
				if (err != nil) != (lost != "") {
					t.Fatal(err)
				}
				b, log := makeBridge(t, f)
				if time.Sleep(10 * time.Minute); lost != "" {
					op.Ambiguous = true
					ref = bridgetest.Must(t, b, chat.Thread{}, op)
				}
				bridgetest.Must(t, b, chat.Thread{Ref: ref}, post("hello there"))
				if shown := thread(t, f, ref).Messages; len(shown) != 2 || len(f.Threads()) != 1 || f.Strays() != 0 {
					t.Errorf("it shows %+v; %d threads, %d first messages without one", shown, len(f.Threads()), f.Strays())
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// A thread that Discord does not open as it is to be is opened without what the
// visitor said.
func TestOpensBare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *discord.Config) {
			next := c.Transport
			c.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Body != nil {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return nil, err
					}
					if bytes.Contains(body, []byte("badword")) {
						return answer(http.StatusBadRequest, `{"code":200000,"message":"Message was blocked by automatic moderation"}`, nil, r), nil
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
				}
				return next.RoundTrip(r)
			})
		})
		th := open(t, b, "badword", "")
		if got := thread(t, f, th.Ref); strings.Contains(got.Title, "badword") || !strings.Contains(log.String(), "rejected a thread") {
			t.Errorf("it is %+v", got)
		}
		bridgetest.Clean(t, f, log)
	})
}

// deniedSearch has Discord deny what relay looks up, with an error or for lack of a right.
func deniedSearch(c *discord.Config, paths ...string) {
	next, n := c.Transport, 0
	c.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		for _, path := range paths {
			if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, path) {
				continue
			}
			if n++; n%2 == 0 {
				return answer(http.StatusForbidden, `{"code":50001,"message":"Missing Access"}`, nil, r), nil
			}
			return answer(http.StatusBadRequest, `{"code":50035,"message":"Invalid Form Body"}`, nil, r), nil
		}
		return next.RoundTrip(r)
	})
}

// A denied search for a thread or a message that may have been made is no refusal of it:
// it is made, and nobody else waits.
func TestDeniedSearch(t *testing.T) {
	for _, forum := range []bool{false, true} {
		t.Run(fmt.Sprint("forum ", forum), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				f.Forum = forum
				b, log := makeBridge(t, f, func(c *discord.Config) { deniedSearch(c, "/messages", "/threads/active") })
				for range 2 {
					op := chat.Op{Kind: chat.OpOpen, Title: "Ben", Text: "Page", Key: key(), Since: chat.Now(), Ambiguous: true}
					time.Sleep(10 * time.Minute)
					ref := bridgetest.Must(t, b, chat.Thread{}, op)
					words := post("hello there")
					words.Since, words.Ambiguous = chat.Now(), true
					time.Sleep(10 * time.Minute)
					bridgetest.Must(t, b, chat.Thread{Ref: ref}, words)
				}
				if n := len(f.Threads()); n != 2 {
					t.Errorf("%d threads", n)
				}
				if !strings.Contains(log.String(), "denies the search") || strings.Contains(log.String(), "rejected a thread") {
					t.Errorf("the log says %s", log)
				}
			})
		})
	}
}

// An unknown refusal of the look at the channel holds up one conversation, not all, and is
// no fault of the visitor's words.
func TestDeniedChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *discord.Config) { deniedSearch(c, "/channels/"+f.Channel) })
		_, err := b.Do(t.Context(), chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Ben", Text: "Page", Key: key()})
		bridgetest.ExpectError(t, "open", err, bridgetest.ErrRetried, 0)
		if strings.Contains(log.String(), "rejected a thread") {
			t.Errorf("the log says %s", log)
		}
	})
}
