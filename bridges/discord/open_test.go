package discord_test

import (
	"bytes"
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
