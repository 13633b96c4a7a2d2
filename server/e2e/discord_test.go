package e2e

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/discord/discordtest"
)

// An operator answers from Discord: the whole program against the fake server,
// by the gateway over a network, over a restart.
func TestDiscord(t *testing.T) {
	f := discordtest.New(t)
	environ := []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "DISCORD_BOT_TOKEN=" + f.Token,
		"DISCORD_CHANNEL_ID=" + f.Channel, "ENABLE_DISCORD_GATEWAY=true", "DISCORD_API_URL=" + f.URL}
	in := boot(t, environ...)
	session := in.say(t, "Is it *free*, @everyone?")
	eventually(t, "the visitor's message is in a thread", func() bool { return strings.Contains(shown(f), "Is it *free*, @everyone?") })
	eventually(t, "the gateway is open", f.Connected)
	thread := f.Threads()[0].Ref
	f.Write(thread, "Ada", "It is.", "")
	f.Write(thread, "Ada", "!note a pity", "")
	f.Attach(thread, "Ada", "price.txt", "text/plain", []byte("0"), "See this")
	eventually(t, "the operator's answer arrives", func() bool {
		return in.history(t, session) == "Is it *free*, @everyone?|It is.|See this"
	})
	if code := in.stop(); code != 0 {
		t.Fatalf("relay ends with %d", code)
	}
	f.Write(thread, "Ada", "Anything else?", "")
	in2 := boot(t, environ...)
	in.base = in2.base
	eventually(t, "what was written meanwhile arrives", func() bool { return strings.HasSuffix(in.history(t, session), "|See this|Anything else?") })
	f.DeleteThread(thread)
	in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": session, "content": "Hello?"}, nil)
	continues(t, f, thread, "Hello?")
	unharmed(t, f, in, in2)
}

// relay doctor tells what is missing at Discord, and the link that invites the
// bot.
func TestDiscordIsSetUp(t *testing.T) {
	f := discordtest.New(t)
	environ := []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "DISCORD_BOT_TOKEN=" + f.Token,
		"DISCORD_CHANNEL_ID=" + f.Channel, "ENABLE_DISCORD_GATEWAY=true", "DISCORD_API_URL=" + f.URL}
	if code, out, errs := runCommand(t, environ, "doctor"); code != 0 || !strings.Contains(out, "#support") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	f.SwitchIntent(false)
	f.Kick()
	code, out, errs := runCommand(t, environ, "doctor")
	if code != 1 || !strings.Contains(out, "https://discord.com/oauth2/authorize?client_id=") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	if strings.Contains(out+errs, "canary") {
		t.Error("a token is shown")
	}
	t.Log(out, errs)
}
