package slack_test

import (
	"testing"

	"github.com/slack-go/slack/slacktest"

	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/server/chat"
)

// slack-go's own test server understands what the bridge says. It knows no
// threads and no scopes; it knows no more.
func TestAgainstSlacktest(t *testing.T) {
	server := slacktest.NewTestServer()
	server.Start()
	defer server.Stop()
	b, err := slack.New(slack.Config{BotToken: "xoxb-1", ChannelID: "C024BE91L", APIURL: server.GetAPIURL()})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := b.Do(t.Context(), chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Grace <3", Key: "K"})
	if err != nil || ref == "" {
		t.Fatalf("%q, %v", ref, err)
	}
	if _, err := b.Do(t.Context(), chat.Thread{Ref: ref}, chat.Op{Kind: chat.OpReact, Remote: ref, Receipt: "read"}); err != nil {
		t.Error(err)
	}
}
