package discord_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// source is a file that counts how much of it was read.
type source struct {
	left, read int64
	closed     bool
	fails      error // instead of its end
}

func (s *source) Read(p []byte) (int, error) {
	if s.left == 0 {
		if s.fails != nil {
			return 0, s.fails
		}
		return 0, io.EOF
	}
	n := min(int64(len(p)), s.left)
	clear(p[:n])
	s.left, s.read = s.left-n, s.read+n
	return int(n), nil
}

func (s *source) Close() error {
	s.closed = true
	return nil
}

// A file is read as it is sent: no more of it is held than is on its way.
func TestFileStreams(t *testing.T) {
	file := &source{left: 10 << 20}
	b := bridgeTo(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		var sent int64
		buf := make([]byte, 4096)
		for {
			n, err := r.Body.Read(buf)
			if sent += int64(n); file.read-sent > 64<<10 {
				t.Fatalf("%d bytes were read when %d were sent", file.read, sent)
			}
			if err != nil {
				break
			}
		}
		if sent != r.ContentLength {
			t.Errorf("%d bytes were sent, %d announced", sent, r.ContentLength)
		}
		_ = r.Body.Close()
		return answer(http.StatusOK, `{"id":"1234567890"}`, nil, r), nil
	}))
	op := chat.Op{Kind: chat.OpPost, Key: "K", File: &chat.OpFile{Filename: "a.bin", Size: 10 << 20, Open: func(context.Context) (io.ReadCloser, error) { return file, nil }}}
	if remote, err := b.Do(t.Context(), chat.Thread{Ref: "1234567"}, op); err != nil || remote != "1234567890" {
		t.Errorf("it is %q, %v", remote, err)
	}
	if !file.closed {
		t.Error("the file is still open")
	}
}

// A file that is not as it was said to be is shown as it is, or a link stands
// for it; one that cannot be read is tried again and surely not there yet.
func TestFileIsAnother(t *testing.T) {
	for name, c := range map[string]struct {
		size, reported int64
		fails          error
		shows          string // "" for the file
	}{
		"as reported":       {1000, 1000, nil, ""},
		"longer":            {1000, 10, nil, ""},
		"shorter":           {10, 1000, nil, ""},
		"not reported":      {1000, 0, nil, ""},
		"empty":             {0, 0, nil, ""},
		"too large":         {11 << 20, 5, nil, "is too large for Discord: https://relay.example/f"},
		"not reported, too": {11 << 20, 0, nil, "is too large for Discord: https://relay.example/f"},
		"cut off":           {1000, 2000, errors.New("the disk is away"), "the disk is away"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				b, log := makeBridge(t, f)
				th := open(t, b, "Grace", "")
				op := chat.Op{Kind: chat.OpPost, Key: key(), File: &chat.OpFile{Filename: "a.bin", Size: c.reported, URL: "https://relay.example/f",
					Open: func(context.Context) (io.ReadCloser, error) { return &source{left: c.size, fails: c.fails}, nil }}}
				_, err := b.Do(t.Context(), th, op)
				shown := thread(t, f, th.Ref).Messages
				last := shown[len(shown)-1]
				switch {
				case c.fails != nil:
					if err == nil || errors.Is(err, chat.ErrAmbiguous) || !strings.Contains(err.Error(), c.shows) || len(shown) != 1 {
						t.Errorf("%v, and %d messages", err, len(shown))
					}
					return // the fake holds a form without an end against the bridge
				case err != nil:
					t.Error(err)
				case c.shows == "" && !bytes.Equal(last.Data, make([]byte, c.size)), c.shows != "" && !strings.Contains(last.Text, c.shows):
					t.Errorf("it shows %q, %d bytes", last.Text, len(last.Data))
				}
				if c.reported == c.size {
					bridgetest.Clean(t, f, log)
				}
			})
		})
	}
}

// On a network, too: a form of unknown length, and one that has no end.
func TestFileOnNetwork(t *testing.T) {
	f := discordtest.New(t)
	b, _ := makeBridge(t, f, func(c *discord.Config) { c.APIURL, c.Transport = f.URL+"/api/v10", nil })
	th := open(t, b, "Grace", "")
	send := func(size, reported int64, fails error) error {
		_, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Key: key(), File: &chat.OpFile{Filename: "a.bin", Size: reported,
			Open: func(context.Context) (io.ReadCloser, error) { return &source{left: size, fails: fails}, nil }}})
		return err
	}
	for _, reported := range []int64{300_000, 0, 7, 400_000} {
		if err := send(300_000, reported, nil); err != nil {
			t.Errorf("reported as %d: %v", reported, err)
		}
	}
	for _, reported := range []int64{300_000, 0} {
		if err := send(200_000, reported, errors.New("the disk is away")); err == nil || errors.Is(err, chat.ErrAmbiguous) || !strings.Contains(err.Error(), "the disk is away") {
			t.Errorf("a file that cannot be read: %v", err)
		}
	}
	if shown := thread(t, f, th.Ref).Messages; len(shown) != 5 || len(shown[4].Data) != 300_000 {
		t.Errorf("it shows %d messages", len(shown))
	}
}
