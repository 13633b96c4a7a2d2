package server_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// story is a talk with a relay that has one website: requests with their answers, in which
// what is random or of the moment has the name of its first appearance.
type story struct {
	s     *site
	text  bytes.Buffer
	names map[string]string
}

// randoms is what differs from run to run: times, random ids and tokens, durations, ports.
var randoms = regexp.MustCompile(`\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d UTC|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z|\d{4}-\d\d-\d\d|[A-Za-z0-9_-]{16,}|127\.0\.0\.1:\d+|exp=\d+(?:&|\\u0026)sig=[A-Za-z0-9_-]+`)

// measured is what takes its time.
var measured = regexp.MustCompile(`"(\w+Seconds|\w+Ms)":[\d.]+`)

// telling are the headers that belong to an answer; others are the connection's.
var telling = []string{"Access-Control-Allow-Origin", "Cache-Control", "Content-Disposition", "Content-Type", "Location", "Retry-After", "Vary", "X-Content-Type-Options"}

// name replaces what is random by what it is and a number.
func (st *story) name(found string) string {
	switch {
	case strings.HasPrefix(found, "exp="):
		return "exp=N&sig=S" // another one each second
	case strings.HasPrefix(found, "127."):
		return "HOST"
	case regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(found):
		return "DAY"
	case regexp.MustCompile(`^\d{4}-| UTC$`).MatchString(found):
		return "TIME"
	case !strings.ContainsAny(found, "0123456789") && found != strings.ToUpper(found), found == publicKey, found == secretKey:
		return found // words
	}
	if st.names[found] == "" {
		st.names[found] = fmt.Sprint("ID", len(st.names)+1)
	}
	return st.names[found]
}

// tell makes a request and writes down what came of it.
func (st *story) tell(method, path, key string, body any) answer {
	a := st.s.call(method, path, key, body)
	plain := func(text string) string { return randoms.ReplaceAllStringFunc(text, st.name) }
	fmt.Fprintf(&st.text, "%s %s\n%d\n", method, plain(path), a.status)
	for _, name := range telling {
		if value := a.header.Get(name); value != "" {
			fmt.Fprintf(&st.text, "%s: %s\n", name, plain(value))
		}
	}
	text := measured.ReplaceAllString(since.ReplaceAllString(string(a.body), ""), `"$1":N`)
	fmt.Fprintf(&st.text, "\n%s\n\n", plain(strings.TrimSpace(text)))
	return a
}

// since are settings, fields and a command that came after the file was written.
var since = regexp.MustCompile(`"(unanswered|autoCloseDays|autoCloseText|outsideHours|hiddenPages|pageRules|darkPrimaryColor|darkHeaderColor|darkFooterColor|darkChatBackground|liveVisitors|mailTranscript|typingPreview|launcherLabel|launcherPicture|launcherHidden|smtpUrl|mailFrom|mailPerMinute|imapUrl|imapMoveTo|mailReplyTo|mailInbox|mailOauth|mailOauthClient|mailOauthSecret|mailOauthToken|oidcIssuer|oidcClient|oidcSecret|oidcName|oidcDomains|oidcGroups|oidcGroupsClaim|oidcScopes|oidcOnly|requireTotp|agentsEnabled|assistantName|aiTone|aiOpening|aiHandOver|aiTopics|aiTokenPrice|aiActionsPerDay|aiTopicRow)":("default"|\[\]|0|10|60|null|200|false|"chat"|"groups"|"neutral"),|,"(answersToday|handedOverToday)":0|\\n!(yes|no) [^\\]+`)

// TestOneSiteAnswers: a relay with one website answers byte for byte as before there could be
// several: the file was written by the program before.
func TestOneSiteAnswers(t *testing.T) {
	st := &story{s: newSite(t, dbtest.Memory(t)), names: map[string]string{}}
	st.visitor()
	st.team()
	st.administration()
	st.files()
	st.people()
	st.knowledge()
	st.events(t)
	path := filepath.Join("..", "testdata", "golden", "one-site.txt")
	if *update {
		if err := os.WriteFile(path, st.text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(st.text.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s", i+1, strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""), strings.Join(wanted[min(i, len(wanted)):min(i+1, len(wanted))], ""))
		}
	}
}

// visitor tells what a widget asks for.
func (st *story) visitor() {
	st.tell("GET", "/api/widget/config", publicKey, nil)
	st.tell("GET", "/api/widget/config", "pk_none", nil)
	st.tell("POST", "/api/widget/init", "", object{"visitorId": "v1"})
	id := st.tell("POST", "/api/widget/init", publicKey, object{"visitorId": "v1", "url": "https://shop.example.com/shoes"}).text("sessionId")
	st.tell("POST", "/api/widget/init", publicKey, object{"visitorId": "v2", "useSessionToken": true})
	m := st.tell("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "Hello", "clientId": "c1"}).text("id")
	st.tell("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": ""})
	st.tell("POST", "/api/widget/messages", publicKey, object{"sessionId": "none", "content": "Hello"})
	st.tell("PATCH", "/api/widget/messages/"+m, publicKey, object{"sessionId": id, "content": "Hello!"})
	second := st.tell("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "Anybody?"}).text("id")
	st.tell("DELETE", "/api/widget/messages/"+second+"?sessionId="+id, publicKey, nil)
	for path, body := range ordered(
		"identify", object{"sessionId": id, "identity": object{"id": "7", "email": "ada@example.com", "name": "Ada"}},
		"typing", object{"sessionId": id, "active": true}, "page", object{"sessionId": id, "url": "https://shop.example.com/cart"},
		"events", object{"sessionId": id, "name": "cart", "data": object{"sum": 42}}, "read", object{"sessionId": id, "messageIds": []string{m}},
		"prechat", object{"sessionId": id, "answers": object{"order": "12"}}, "csat", object{"sessionId": id, "score": 4},
		"handoff", object{"sessionId": id}, "disconnect", object{"sessionId": id}, "close", object{"sessionId": id}) {
		st.tell("POST", "/api/widget/"+path, publicKey, body)
	}
	st.tell("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
	st.tell("GET", "/api/widget/proactive", publicKey, nil)
	st.tell("OPTIONS", "/api/widget/init", "", nil)
}

// ordered are pairs of a name and a body, one after the other.
func ordered(pairs ...any) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for pair := range slices.Chunk(pairs, 2) {
			if !yield(pair[0].(string), pair[1]) {
				return
			}
		}
	}
}

// team tells what people who answer ask for.
func (st *story) team() {
	list := st.tell("GET", "/api/admin/sessions", secretKey, nil)
	id := list.get("sessions").([]any)[0].(map[string]any)["id"].(string)
	own := "/api/admin/sessions/" + id
	st.tell("GET", "/api/admin/sessions?status=waiting", secretKey, nil)
	st.tell("GET", "/api/admin/sessions?q=ada", secretKey, nil)
	st.tell("GET", "/api/admin/sessions?status=strange", secretKey, nil)
	st.tell("GET", own, secretKey, nil)
	st.tell("GET", "/api/admin/sessions/none", secretKey, nil)
	st.tell("GET", own+"/messages", secretKey, nil)
	m := st.tell("POST", own+"/messages", secretKey, object{"content": "Hi Ada", "operatorName": "Grace"}).text("id")
	st.tell("POST", own+"/messages", secretKey, object{"content": "she is in a hurry", "internal": true})
	st.tell("PATCH", own+"/messages/"+m, secretKey, object{"content": "Hi, Ada"})
	st.tell("PATCH", own, secretKey, object{"tags": []string{"vip"}, "snoozedUntil": "2099-01-01T00:00:00Z"})
	st.tell("PATCH", own, secretKey, object{"snoozedUntil": "yesterday"})
	st.tell("GET", "/api/admin/counts", secretKey, nil)
	for _, command := range []string{"!info", "!help", "!site", "!tag parcel", "!save ship We ship within two days."} {
		st.tell("POST", own+"/commands", secretKey, object{"command": command})
	}
	st.tell("GET", "/api/admin/saved-answers", secretKey, nil)
	st.tell("DELETE", "/api/admin/saved-answers/none", secretKey, nil)
	for _, verb := range []string{"close", "reopen", "block", "unblock", "read", "csat"} {
		st.tell("POST", own+"/"+verb, secretKey, nil)
	}
	st.tell("DELETE", own+"/messages/"+m, secretKey, nil)
	st.tell("GET", "/api/admin/operator/status", secretKey, nil)
	st.tell("POST", "/api/admin/operator/status", secretKey, object{"online": true})
	st.tell("GET", "/api/admin/search?q=hello", secretKey, nil)
	st.tell("GET", "/api/admin/search", secretKey, nil)
}

// administration tells what administrators ask for.
func (st *story) administration() {
	st.tell("GET", "/api/admin/settings", secretKey, nil)
	st.tell("PATCH", "/api/admin/settings", secretKey, object{"welcomeMessage": "Servus", "theme": "dark"})
	st.tell("PATCH", "/api/admin/settings", secretKey, object{"theme": "red", "aiMaxAnswers": 0})
	st.tell("PATCH", "/api/admin/settings", secretKey, object{"welcomeMessage": nil})
	st.tell("GET", "/api/widget/config", publicKey, nil)
	for _, path := range []string{"stats", "statistics?from=2026-01-01&to=2026-01-02", "statistics.csv?from=2026-01-01&to=2026-01-02&table=days", "export", "bridges", "deliveries",
		"knowledge", "widget", "visitors?visitor=ada@example.com", "push", "me", "people", "invitations", "sign-ins", "audit", "none"} {
		st.tell("GET", "/api/admin/"+path, secretKey, nil)
	}
	st.tell("GET", "/api/admin/settings", "sk_wrong", nil)
	st.tell("GET", "/api/admin/settings", publicKey, nil)
	st.tell("POST", "/api/admin/webhooks/test", secretKey, nil)
	st.tell("DELETE", "/api/admin/visitors?visitor=ada@example.com", secretKey, nil)
	st.tell("GET", "/api/admin/sessions", secretKey, nil)
	st.tell("GET", "/health", "", nil)
}

// files tells of what is sent and fetched, and of a conversation that goes.
func (st *story) files() {
	id := st.tell("POST", "/api/widget/init", publicKey, object{"visitorId": "v3"}).text("sessionId")
	st.tell("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "A file, please"})
	sent := st.s.upload("/api/admin/sessions/"+id+"/attachments", secretKey, "hours.txt", []byte("nine to five"), "file", "").text("id")
	m := st.tell("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "Here", "attachmentIds": []string{sent}})
	file := m.get("attachments").([]any)[0].(map[string]any)["url"].(string)
	st.tell("GET", file, "", nil)
	st.tell("GET", strings.Replace(file, "hours", "house", 1), "", nil)
	st.tell("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
	st.tell("DELETE", "/api/admin/sessions/"+id, secretKey, nil)
	st.tell("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
	st.tell("GET", file, "", nil)
}

// people tells of the team's changes.
func (st *story) people() {
	ada := st.tell("POST", "/api/admin/people", secretKey, object{"name": "Ada", "email": "ada@example.com", "password": goodPassword, "role": "administrator"}).text("id")
	mia := st.tell("POST", "/api/admin/people", secretKey, object{"name": "Mia", "email": "mia@example.com", "password": goodPassword, "role": "operator"}).text("id")
	st.tell("POST", "/api/admin/people", secretKey, object{"name": "Mia", "email": "x", "password": "short", "role": "none"})
	st.tell("PATCH", "/api/admin/people/"+mia, secretKey, object{"platformNames": []object{{"bridge": "telegram", "name": "@mia"}}})
	st.tell("PATCH", "/api/admin/people/"+ada, secretKey, object{"role": "operator"})
	st.tell("GET", "/api/admin/people", secretKey, nil)
	st.tell("GET", "/api/admin/sign-ins?person="+mia, secretKey, nil)
	st.tell("DELETE", "/api/admin/people/"+mia, secretKey, nil)
	st.tell("DELETE", "/api/admin/people/"+mia, secretKey, nil)
	st.tell("POST", "/api/admin/invitations", secretKey, object{"role": "owner"})
	st.tell("GET", "/api/admin/audit?limit=3", secretKey, nil)
}

// knowledge tells of what the AI answers from.
func (st *story) knowledge() {
	id := st.tell("POST", "/api/admin/knowledge", secretKey, object{"title": "Hours", "text": "We open at nine."}).text("id")
	st.tell("POST", "/api/admin/knowledge", secretKey, object{"title": "Hours"})
	st.tell("GET", "/api/admin/knowledge", secretKey, nil)
	st.tell("GET", "/api/admin/knowledge/sources/"+id, secretKey, nil)
	st.tell("GET", "/api/admin/knowledge/search?q=open", secretKey, nil)
	st.tell("DELETE", "/api/admin/knowledge/sources/"+id, secretKey, nil)
	st.tell("GET", "/api/admin/knowledge/questions", secretKey, nil)
}

// events tells what streams and the webhook get of a conversation.
func (st *story) events(t *testing.T) {
	url, posts := receiver(t, nil)
	st.s = newSite(t, dbtest.Memory(t), webhookTo(url))
	st.s.serveWebhook()
	plain := func(text string) string { return randoms.ReplaceAllStringFunc(text, st.name) }
	id := st.tell("POST", "/api/widget/init", publicKey, object{"visitorId": "v9", "url": "https://shop.example.com/shoes"}).text("sessionId")
	next := st.s.stream("/api/widget/stream?sessionId="+id, publicKey)
	for _, step := range []struct {
		path, key string
		body      object
		seen      int // events on the visitor's stream
	}{
		{"/api/widget/messages", publicKey, object{"sessionId": id, "content": "Hello"}, 2}, // with the stream's own first one
		{"/api/admin/sessions/" + id + "/messages", secretKey, object{"content": "Hi", "operatorName": "Grace"}, 1},
		{"/api/admin/sessions/" + id + "/messages", secretKey, object{"content": "a note", "internal": true}, 0},
		{"/api/admin/sessions/" + id + "/csat", secretKey, nil, 1},
		{"/api/widget/csat", publicKey, object{"sessionId": id, "score": 5, "comment": "fine"}, 0},
		{"/api/admin/sessions/" + id + "/close", secretKey, nil, 1},
	} {
		st.tell("POST", step.path, step.key, step.body)
		for range step.seen {
			for f := next(); ; f = next() {
				if f.event != "operator_status" { // whenever somebody acted
					fmt.Fprintf(&st.text, "stream %s %s\n%s\n\n", f.event, f.id, plain(f.data))
					break
				}
			}
		}
	}
	for range 5 {
		p := arrived(t, posts)
		fmt.Fprintf(&st.text, "webhook %s\n%s\n\n", plain(p.header.Get("X-Webhook-Event")), plain(string(p.body)))
	}
}
