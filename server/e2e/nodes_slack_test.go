package e2e

import (
	"fmt"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/db/dbtest"
)

// TestNodesShareSlack lets Slack push to one node after the other, as a load balancer
// does, and one of them die: each answer arrives once, and one bot speaks.
func TestNodesShareSlack(t *testing.T) {
	t.Parallel()
	f := slacktest.New(t)
	environ := []string{"DATABASE_URL=" + dbtest.PostgresURL(t), "HOST=127.0.0.1", "RATE_LIMIT=false", "RELAY_PUBLIC_KEY=" + crashPublicKey,
		"RELAY_SECRET_KEY=" + crashSecretKey, "SLACK_BOT_TOKEN=" + f.BotToken, "SLACK_API_URL=" + f.URL,
		"METRICS_ADDR=127.0.0.1:0", "SLACK_CHANNEL_ID=" + f.Channel, "SLACK_SIGNING_SECRET=" + f.Secret}
	var nodes []*instance
	var backends []*url.URL
	for range 2 {
		in := launch(t, startLines, []string{"serve"}, environ)
		in.public, in.secret = crashPublicKey, crashSecretKey
		at, err := url.Parse(in.base)
		if err != nil {
			t.Fatal(err)
		}
		nodes, backends = append(nodes, in), append(backends, at)
	}
	var turn, alone atomic.Int64
	alone.Store(-1)
	f.PushTo(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		to := turn.Add(1) % 2
		if only := alone.Load(); only >= 0 {
			to = only
		}
		r.SetURL(backends[to])
		r.Out.URL.Path = "/api/webhooks/slack"
	}})
	session := nodes[0].say(t, "Is it free?")
	eventually(t, "the visitor's message is in a thread", func() bool { return len(f.Threads()) == 1 && len(f.Threads()[0].Messages) == 2 })
	thread := f.Threads()[0].Ref
	want := "Is it free?"
	answer := func(in *instance, what string) {
		t.Helper()
		for n := range 10 {
			text := fmt.Sprintf("%s %d.", what, n)
			f.Write(thread, "Ada", text, "")
			want += "|" + text
			eventually(t, text, func() bool { return strings.HasSuffix(in.history(t, session), text) })
		}
		if got := in.history(t, session); got != want {
			t.Errorf("%s: the visitor reads %s", what, got)
		}
	}
	answer(nodes[0], "by turns")
	f.Redeliver()
	answer(nodes[1], "by turns after a repetition")

	// Slack pushes to the node that is left at once, before it takes over.
	holder := 0
	if !nodes[0].serves(t, "slack") {
		holder = 1
	}
	left := nodes[1-holder]
	alone.Store(int64(1 - holder))
	nodes[holder].kill()
	answer2 := []string{}
	for n := range 10 {
		text := fmt.Sprintf("after a kill %d.", n)
		f.Write(thread, "Ada", text, "")
		answer2 = append(answer2, text)
	}
	want += "|" + strings.Join(answer2, "|")
	eventually(t, "the answers after a kill", func() bool { return left.history(t, session) == want })
	alone.Store(int64(1 - holder))
	left.call(t, "POST", left.base+"/api/widget/messages", left.public, map[string]any{"sessionId": session, "content": "Thanks"}, nil)
	eventually(t, "the visitor's thanks, once", func() bool { return strings.Count(shown(f), "Thanks") == 1 })
	for _, v := range f.Violations() {
		t.Error(v)
	}
}

// serves reports whether a node holds a lease.
func (in *instance) serves(t *testing.T, lease string) bool {
	t.Helper()
	_, scrape := fetch(t, in.metricsURL(t)+"/metrics")
	return strings.Contains(scrape, `relay_lease_held{lease="`+lease+`"} 1`)
}
