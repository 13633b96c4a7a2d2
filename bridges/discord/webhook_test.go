package discord_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
)

// RFC 8032 begins with this key; any would do.
var (
	private = ed25519.NewKeyFromSeed([]byte("a seed that is of 32 bytes, yes!"))
	public  = hex.EncodeToString(private.Public().(ed25519.PublicKey))
)

// push posts a body to a bridge's webhook, signed, and changed then.
func push(b *discord.Bridge, in *bridgetest.Receiver, body string, change func(*http.Request)) (status int, answer map[string]any) {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/webhooks/discord", strings.NewReader(body))
	r.Header.Set("X-Signature-Timestamp", at)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(private, []byte(at+body))))
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	b.Webhook(in).ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Header().Get("Content-Type") != "application/json" {
		return w.Code, nil
	}
	return w.Code, answer
}

// Only what Discord signed is accepted.
func TestSignature(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *discord.Config) { c.PublicKey = public })
		th := open(t, b, "Grace", "")
		in := new(bridgetest.Receiver)
		body := jsonOf(f.Command(th.Ref, "Ada", "close", ""))
		now := time.Now().Unix()
		signed := func(at, body string) string {
			return hex.EncodeToString(ed25519.Sign(private, []byte(at+body)))
		}
		kept := func(at string) func(*http.Request) { // one that somebody sends again
			return func(r *http.Request) {
				r.Header.Set("X-Signature-Timestamp", at)
				r.Header.Set("X-Signature-Ed25519", signed(at, body))
			}
		}
		set := func(name, value string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set(name, value) }
		}
		other := ed25519.NewKeyFromSeed([]byte("another seed that is of 32 bytes"))
		for name, change := range map[string]func(*http.Request){
			"no signature":  func(r *http.Request) { r.Header.Del("X-Signature-Ed25519") },
			"no time":       func(r *http.Request) { r.Header.Del("X-Signature-Timestamp") },
			"another time":  set("X-Signature-Timestamp", strconv.FormatInt(now+1, 10)),
			"not hex":       set("X-Signature-Ed25519", "signature"),
			"too short":     set("X-Signature-Ed25519", "abcd"),
			"another's key": set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(other, []byte(strconv.FormatInt(now, 10)+body)))),
			"another body":  set("X-Signature-Ed25519", signed(strconv.FormatInt(now, 10), "{}")),
			"too old":       kept(strconv.FormatInt(now-301, 10)),
			"of tomorrow":   kept(strconv.FormatInt(now+301, 10)),
			"never":         kept("-9223372036854775808"),
			"no number":     kept("yesterday"),
		} {
			if status, answer := push(b, in, body, change); status != 401 || answer["error"] != "Unauthorized" {
				t.Errorf("%s: %d %v", name, status, answer)
			}
		}
		if status, _ := push(b, in, body, func(r *http.Request) { r.Method = http.MethodGet }); status != 405 {
			t.Errorf("GET is answered %d", status)
		}
		if status, _ := push(b, in, strings.Repeat(" ", 2<<20), nil); status != 413 {
			t.Errorf("a large body is answered %d", status)
		}
		for _, body := range []string{`{`, `{"type":3}`, `[]`} {
			if status, answer := push(b, in, body, nil); status != 400 || answer["error"] == nil {
				t.Errorf("%s is answered %d", body, status)
			}
		}
		unkeyed, _ := makeBridge(t, f)
		if status, answer := push(unkeyed, in, body, nil); status != 503 || !strings.Contains(answer["error"].(string), "DISCORD_PUBLIC_KEY") {
			t.Errorf("without a key the answer is %d %v", status, answer)
		}
		if len(in.Updates) > 0 {
			t.Errorf("it had an effect: %v", in.Updates)
		}
		bridgetest.Clean(t, f, log)
	})
}

// Discord asks whether anybody is there before it saves the address.
func TestPing(t *testing.T) {
	b := bridgeTo(t, answers{})
	if status, _ := push(b, nil, `{"type":1}`, nil); status != 503 {
		t.Errorf("without a key: %d", status)
	}
	b, err := discord.New(discord.Config{Token: canary, ChannelID: "111111111", PublicKey: strings.ToUpper(public)})
	if err != nil {
		t.Fatal(err)
	}
	if status, answer := push(b, nil, `{"id":"1","type":1,"version":1}`, nil); status != 200 || answer["type"] != 1.0 || len(answer) != 1 {
		t.Errorf("it is answered %d %v", status, answer)
	}
}

// A slash command is stored as what the operator would have written, and
// answered to nobody else.
func TestSlashCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *discord.Config) { c.PublicKey, c.Gateway = public, false })
		in := new(bridgetest.Receiver)
		if err := b.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if way, _ := b.Receiving(); way != "webhook" {
			t.Errorf("reception is %q", way)
		}
		if menu := f.Commands(); !slices.Contains(menu, "close") || slices.Contains(menu, "delete") {
			t.Errorf("the menu is %q", menu)
		}
		th := open(t, b, "Grace", "")
		note := f.Command(th.Ref, "Ada", "note", "very angry")
		for range 2 { // Discord may ask again
			status, answer := push(b, in, jsonOf(note), nil)
			data, _ := answer["data"].(map[string]any)
			if status != 200 || answer["type"] != 4.0 || data["flags"] != 64.0 {
				t.Errorf("it is answered %d %v", status, answer)
			}
		}
		if _, answer := push(b, in, jsonOf(f.Command(f.Channel, "Ada", "close", "")), nil); !strings.Contains(jsonOf(answer), "threads that relay opens") {
			t.Errorf("outside of a thread it is answered %v", answer)
		}
		for _, where := range []string{th.Ref, f.Channel, f.MakeThread("Lunch")} { // an interaction that does not say what its channel is
			bare := f.Command(where, "Ada", "info", "")
			delete(bare, "channel")
			wanted := map[bool]string{true: "Done", false: "threads that relay opens"}[where == th.Ref]
			if status, answer := push(b, in, jsonOf(bare), nil); status != 200 || !strings.Contains(jsonOf(answer), wanted) {
				t.Errorf("without its channel it is answered %d %v", status, answer)
			}
		}
		list := in.Inbounds(t, b)
		if len(list) != 2 || list[0].Text != "!note very angry" || list[0].Operator != "Ada" || list[0].Thread.Ref != th.Ref || list[0].Remote != note["id"] {
			t.Errorf("it means %+v", list)
		}
		for _, u := range in.Updates {
			if strings.Contains(string(u.Raw), "canary") {
				t.Error("the interaction's token is stored")
			}
		}
		in.Failing = 1
		if status, answer := push(b, in, jsonOf(f.Command(th.Ref, "Ada", "close", "")), nil); status != 200 || !strings.Contains(jsonOf(answer), "try again") {
			t.Errorf("while nothing can be stored: %d %v", status, answer)
		}
		bridgetest.Clean(t, f, log)
	})
}

// Without an address to push to, slash commands come by the gateway.
func TestSlashCommandsByGateway(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.Emit("INTERACTION_CREATE", l.Command(l.thread.Ref, "Ada", "close", ""))
		elsewhere := maps.Clone(l.Command(l.thread.Ref, "Eve", "close", ""))
		elsewhere["channel_id"] = "800000000000000006"
		elsewhere["channel"] = map[string]any{"id": "800000000000000006", "type": 0}
		l.Emit("INTERACTION_CREATE", elsewhere)
		l.expect(t, "!close")
		if said := l.Answers(); len(said) != 2 || strings.Count(jsonOf(said), "Done") != 1 || strings.Count(jsonOf(said), "threads that relay opens") != 1 {
			t.Errorf("the answers are %v", said)
		}
	})
}
