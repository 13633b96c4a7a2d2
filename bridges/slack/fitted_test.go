package slack_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
)

// oddFields has Slack send fields of other types than documented, and a message that is
// none.
type oddFields struct{ http.RoundTripper }

func (o oddFields) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := o.RoundTripper.RoundTrip(r)
	if err != nil || !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	for was, is := range map[string]string{
		`"mode":"hosted"`:            `"initial_comment":"look","mode":"hosted"`,
		`"messages":[`:               `"messages":["odd",{"ts":17,"text":{"a":1}},`,
		`"text":"We bake at night."`: `"inviter":{"id":"U1"},"reply_count":"two","text":"We bake at night."`,
	} {
		body = bytes.ReplaceAll(body, []byte(was), []byte(is))
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, err
}

// A field that relay cannot read costs that field, not the page of messages in which it
// stands, and is told once.
func TestOddFields(t *testing.T) {
	withConfig(t, func(c *slack.Config) { c.Transport = oddFields{c.Transport} }, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		h.Write(th, "Ada", "before", "")
		time.Sleep(time.Minute)
		h.Storm(bridgetest.Storm{Seed: 1, All: 1})
		h.Attach(th, "Ada", "list.txt", "text/plain", []byte("bread"), "The list")
		h.Write(th, "Ada", "We bake at night.", "")
		time.Sleep(time.Hour)
		h.Storm(bridgetest.Storm{})
		time.Sleep(10 * time.Minute)
		if got := strings.Join(h.received(session), " | "); got != "before | The list | We bake at night." {
			t.Errorf("the visitor reads %q", got)
		}
		if list := h.Messages(session); len(list[2].Attachments.V) != 1 {
			t.Errorf("the file is missing: %+v", list[2])
		}
	})
}
