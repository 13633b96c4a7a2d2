package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// hooked is an answer to the making of a hook, of either kind.
type hooked struct{ ID, Secret, URL string }

// addHook adds a webhook beside the first.
func (in *instance) addHook(t *testing.T, url string, events ...string) (made hooked) {
	t.Helper()
	in.call(t, http.MethodPost, in.base+"/api/admin/hooks", in.secret, map[string]any{"name": "hook", "url": url, "events": events}, &made)
	return made
}

// addIncoming adds an incoming hook.
func (in *instance) addIncoming(t *testing.T, may ...string) (made hooked) {
	t.Helper()
	in.call(t, http.MethodPost, in.base+"/api/admin/incoming-hooks", in.secret, map[string]any{"name": "hook", "may": may}, &made)
	return made
}

// taker is a service of others: it keeps the requests that it took.
type taker struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	auth   string
}

func take(t *testing.T, answer string) *taker {
	k := &taker{}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		k.mu.Lock()
		k.bodies, k.auth = append(k.bodies, r.Method+" "+r.URL.EscapedPath()+" "+string(body)), r.Header.Get("Authorization")
		k.mu.Unlock()
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(k.Close)
	return k
}

func (k *taker) taken() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.bodies)
}

// notes are the notes of a session.
func (in *instance) notes(t *testing.T, session string) string {
	t.Helper()
	var page struct {
		Messages []struct {
			Content  string
			Internal bool
		}
	}
	in.get(t, in.base+"/api/admin/sessions/"+session+"/messages", in.secret, &page)
	var notes []string
	for _, m := range page.Messages {
		if m.Internal {
			notes = append(notes, m.Content)
		}
	}
	return strings.Join(notes, "|")
}

// recipe returns the code below a heading of the guide.
func recipe(t *testing.T, heading, language string) string {
	t.Helper()
	guide, err := os.ReadFile("../../assets/guides/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`(?m)^## .*` + heading + `.*$`).FindIndex(guide)
	if at == nil {
		t.Fatalf("the guide has no recipe %q", heading)
	}
	return codeBlock(t, string(guide[at[1]:]), language)
}

// runRecipe starts a recipe as a program beside relay and returns its address.
func runRecipe(t *testing.T, code, file, program string, environ map[string]string) (url string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("this machine has no %s to run the guide's recipe with", program)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range environ {
		t.Setenv(name, value)
	}
	return startReceiverAt(t, dir, freePort(t), []string{program, file}, environ["WEBHOOK_SECRET"])
}

// recipes are relay and what the recipes of the guide need.
type recipes struct{ *instance }

// TestGuideRecipes runs the recipes of the guide against relay and stand-ins for the services of others.
func TestGuideRecipes(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs other programs")
	}
	codes := map[string]string{"issue": recipe(t, "an issue from", "js"), "contact": recipe(t, "a contact from", "python"), "workflow": recipe(t, "start a workflow", "js"),
		"node": recipe(t, "check the signature", "js"), "note": recipe(t, "write a note", "js")}
	t.Chdir(t.TempDir())
	r := recipes{boot(t, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8")}
	t.Run("issue", func(t *testing.T) { r.issue(t, codes["issue"]) })
	t.Run("contact", func(t *testing.T) { r.contact(t, codes["contact"]) })
	t.Run("workflow", func(t *testing.T) { r.workflow(t, codes["workflow"]) })
	t.Run("node", func(t *testing.T) { r.node(t, codes["node"]) })
	t.Run("note", func(t *testing.T) { r.note(t, codes["note"]) })
}

// secretOf makes a webhook whose receiver does not run yet, so that it can get the secret at its start.
func (r recipes) secretOf(t *testing.T, events ...string) hooked {
	return r.addHook(t, "http://127.0.0.1:9/", events...)
}

// point lets a webhook post to a receiver.
func (r recipes) point(t *testing.T, hook hooked, url string) {
	t.Helper()
	r.call(t, http.MethodPatch, r.base+"/api/admin/hooks/"+hook.ID, r.secret, map[string]any{"url": url}, nil)
}

func (r recipes) issue(t *testing.T, code string) {
	service := take(t, `{"html_url":"https://example.com/issues/7"}`)
	var key struct{ Key string }
	r.call(t, http.MethodPost, r.base+"/api/admin/api-keys", r.secret, map[string]any{"name": "issues", "scopes": []string{"read"}}, &key)
	hook := r.secretOf(t, "session_tagged")
	r.point(t, hook, runRecipe(t, code, "issue.mjs", "node", map[string]string{"WEBHOOK_SECRET": hook.Secret, "RELAY": r.base, "RELAY_KEY": key.Key,
		"HOOK_URL": r.addIncoming(t, "note").URL, "GITHUB_API": service.URL, "GITHUB_REPO": "shop/bugs", "GITHUB_TOKEN": "token"}))
	session := r.say(t, "The basket is empty @everyone")
	tag := func(name string) {
		r.call(t, http.MethodPatch, r.base+"/api/admin/sessions/"+session, r.secret, map[string]any{"addTags": []string{name}}, nil)
	}
	tag("shop")
	tag("bug")
	tag("later")
	eventually(t, "a note names the issue", func() bool { return r.notes(t, session) == "Issue: https://example.com/issues/7" })
	r.delivered(t, hook, 3)
	if got := service.taken(); len(got) != 1 || !strings.HasPrefix(got[0], "POST /repos/shop/bugs/issues ") || !strings.Contains(got[0], `    visitor: The basket is empty`) || service.auth != "Bearer token" {
		t.Errorf("the service got %q with %q", got, service.auth)
	}
}

// delivered waits until a webhook has got so many events.
func (in *instance) delivered(t *testing.T, hook hooked, n int) {
	t.Helper()
	eventually(t, fmt.Sprint(n, " events are delivered"), func() bool {
		var log struct{ Deliveries []struct{ State string } }
		in.get(t, in.base+"/api/admin/hooks/"+hook.ID+"/deliveries?state=done", in.secret, &log)
		return len(log.Deliveries) == n
	})
}

func (r recipes) contact(t *testing.T, code string) {
	service := take(t, `{}`)
	hook := r.secretOf(t, "identity_update")
	r.point(t, hook, runRecipe(t, code, "contact.py", "python3", map[string]string{"WEBHOOK_SECRET": hook.Secret, "CRM_URL": service.URL, "CRM_TOKEN": "token",
		"HOOK_URL": r.addIncoming(t, "tag").URL}))
	session := r.sayAs(t, "visitor-crm", "ada+shop@example.com", "Hello")
	eventually(t, "the conversation has the tag", func() bool {
		var s struct{ Tags []string }
		r.get(t, r.base+"/api/admin/sessions/"+session, r.secret, &s)
		return slices.Equal(s.Tags, []string{"crm"})
	})
	if got := service.taken(); len(got) != 1 || !strings.HasPrefix(got[0], "PUT /contacts/ada%2Bshop%40example.com {") || service.auth != "Bearer token" {
		t.Errorf("the CRM got %q with %q", got, service.auth)
	}
}

func (r recipes) workflow(t *testing.T, code string) {
	service := take(t, `ok`)
	hook := r.secretOf(t, "visitor_message")
	r.point(t, hook, runRecipe(t, code, "workflow.mjs", "node", map[string]string{"WEBHOOK_SECRET": hook.Secret, "RELAY": r.base, "WORKFLOW_URL": service.URL}))
	session := r.say(t, "Is <!channel> open?")
	eventually(t, "the workflow is started", func() bool { return len(service.taken()) == 1 })
	var got struct{ Visitor, Text, Link string }
	_, body, _ := strings.Cut(service.taken()[0], "{")
	if err := json.Unmarshal([]byte("{"+body), &got); err != nil || got.Text != "Is &lt;!channel&gt; open?" || got.Link != r.base+"/console#/sessions/"+session {
		t.Errorf("the workflow got %+v, %v", got, err)
	}
}

// node runs the code of a workflow's node with what its host gives it, on a genuine request and on forged ones.
func (r recipes) node(t *testing.T, code string) {
	hook := r.secretOf(t, "visitor_message")
	posts := make(chan signedPost, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		posts <- signedPost{req.Header, body}
	}))
	defer receiver.Close()
	r.point(t, hook, receiver.URL)
	session := r.say(t, "Grüße")
	genuine := <-posts
	const host = `
const [code, secret, raw, headers] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const AsyncFunction = (async () => {}).constructor;
const self = { helpers: { getBinaryDataBuffer: async () => Buffer.from(raw) } };
new AsyncFunction("$input", "$env", "require", code).call(self, { first: () => ({ json: { headers } }) }, { RELAY_WEBHOOK_SECRET: secret }, require)
  .then((items) => console.log(JSON.stringify(items)), (error) => console.log(error.message));`
	headers := map[string]string{}
	for name := range genuine.header {
		headers[strings.ToLower(name)] = genuine.header.Get(name)
	}
	run := func(raw string) string {
		in, _ := json.Marshal([]any{code, hook.Secret, raw, headers})
		return runNode(t, host, string(in))
	}
	if got := run(string(genuine.body)); !strings.Contains(got, `"type":"visitor_message"`) || !strings.Contains(got, session) || !strings.Contains(got, `"id":"msg_`) {
		t.Errorf("the node answers %s", got)
	}
	if got := run(string(genuine.body) + " "); got != "wrong signature\n" {
		t.Errorf("a forged request: %s", got)
	}
}

// note runs a step of code with its input, twice: the note is written once.
func (r recipes) note(t *testing.T, code string) {
	session := r.say(t, "Where is my order?")
	in, _ := json.Marshal([]any{code, map[string]string{"hook": r.addIncoming(t, "note").URL, "session": session, "text": "Order 7 was shipped", "id": "7"}})
	const host = `
const [code, inputData] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const AsyncFunction = (async () => {}).constructor;
new AsyncFunction("inputData", "let output;\n" + code + "\nreturn output;")(inputData).then((output) => console.log(JSON.stringify(output)), (error) => console.log(error.message));`
	first := runNode(t, host, string(in))
	if again := runNode(t, host, string(in)); again != first || !strings.HasPrefix(first, `[{"messageId":"`) || r.notes(t, session) != "Order 7 was shipped" {
		t.Errorf("the step answers %s, then %s; the notes are %s", first, again, r.notes(t, session))
	}
}

// runNode runs a script and returns what it prints.
func runNode(t *testing.T, script, in string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("this machine has no node to run the guide's recipe with")
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", script)
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestHooksOutliveNodes: two nodes on one database, of which one after the other is killed: every
// event arrives, those of a session in order, and an incoming hook that was deleted at one node is
// gone at the other.
func TestHooksOutliveNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills relay")
	}
	t.Chdir(t.TempDir())
	service := take(t, "")
	environ := []string{"DATABASE_URL=" + dbtest.PostgresURL(t), "HOST=127.0.0.1", "RATE_LIMIT=false", "RELAY_PUBLIC_KEY=" + crashPublicKey,
		"RELAY_SECRET_KEY=" + crashSecretKey, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8"}
	var nodes []*instance
	for range 2 {
		in := launch(t, startLines, []string{"serve"}, environ)
		in.public, in.secret = crashPublicKey, crashSecretKey
		nodes = append(nodes, in)
	}
	hook := nodes[1].addHook(t, service.URL, "operator_message")
	dead := nodes[0].addHook(t, "http://127.0.0.1:9/", "operator_message")
	session := nodes[0].say(t, "hi")
	write := func(in *instance, n int) {
		t.Helper()
		in.call(t, http.MethodPost, in.base+"/api/admin/sessions/"+session+"/messages", in.secret, map[string]any{"content": fmt.Sprint("answer ", n)}, nil)
	}
	n := 0
	for range 5 {
		write(nodes[n%2], n)
		n++
	}
	for _, i := range []int{0, 1} {
		write(nodes[i], n)
		n++
		nodes[i].kill()
		for range 3 {
			write(nodes[1-i], n)
			n++
		}
		nodes[i].stdout = &buffer{}
		nodes[i].run(nodes[i].port())
	}
	nodes[0].delivered(t, hook, n)
	var order []string
	for _, body := range service.taken() {
		content := regexp.MustCompile(`answer \d+`).FindString(body)
		if !slices.Contains(order, content) { // what was under way when relay was killed may come twice
			order = append(order, content)
		}
	}
	for i := range order {
		if order[i] != fmt.Sprint("answer ", i) {
			t.Fatalf("they came as %v", order)
		}
	}
	if len(order) != n {
		t.Errorf("%d of %d came", len(order), n)
	}
	in := nodes[0].addIncoming(t, "note")
	at := nodes[1].base + in.URL[strings.Index(in.URL, "/hooks/"):]
	note := map[string]any{"action": "note", "sessionId": session, "content": "x"}
	if code := nodes[1].call(t, http.MethodPost, at, "", note, nil); code != http.StatusOK {
		t.Errorf("at the other node it answers %d", code)
	}
	nodes[0].call(t, http.MethodDelete, nodes[0].base+"/api/admin/incoming-hooks/"+in.ID, nodes[0].secret, nil, nil)
	if code := nodes[1].call(t, http.MethodPost, at, "", note, nil); code != http.StatusNotFound {
		t.Errorf("deleted, it answers %d at the other node", code)
	}
	nodes[1].call(t, http.MethodDelete, nodes[1].base+"/api/admin/hooks/"+dead.ID, nodes[1].secret, nil, nil)
}
