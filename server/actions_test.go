package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

const (
	actionsPath = "/api/admin/ai/actions"
	actsPath    = "/api/admin/ai/acts"
	shopSecret  = "Bearer shop-secret-4242"
)

// shop is a fake shop. Order 4711 is customer 7's, order 9999 is customer 8's.
type shop struct {
	*httptest.Server
	mu   sync.Mutex
	saw  []string
	keys []string
	// refund is how a refund is answered, nil for well.
	refund http.HandlerFunc
}

func newShop(t *testing.T) *shop {
	s := &shop{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a test's request is whole
	s.mu.Lock()
	s.saw = append(s.saw, r.Method+" "+r.URL.String()+" "+string(body))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	refund := s.refund
	s.mu.Unlock()
	owner, street := "7", "Own Lane 7"
	if strings.Contains(r.URL.Path, "9999") {
		owner, street = "8", "Foreign Street 8"
	}
	asked := r.URL.Query().Get("customer")
	switch {
	case r.Header.Get("Authorization") != shopSecret:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == "POST" && refund != nil:
		refund(w, r)
	case r.Method == "POST":
		fmt.Fprint(w, `{"refund":"booked"}`)
	case asked != "" && asked != owner:
		w.WriteHeader(http.StatusNotFound)
	default:
		fmt.Fprintf(w, `{"status":"shipped","owner":%q,"street":%q,"days":3,"echo":%q}`, owner, street, r.Header.Get("Authorization"))
	}
}

// requests are those that the shop got, by their method.
func (s *shop) requests(method string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.saw {
		if strings.HasPrefix(one, method+" ") {
			list = append(list, one)
		}
	}
	return list
}

// acting is a relay with a shop: three actions, and a model that may ask for them.
type acting struct {
	*site
	t     *testing.T
	shop  *shop
	model *aitest.Model
	ids   map[string]string
}

func eachActing(t *testing.T, test func(t *testing.T, s *acting), configure ...func(*config.Config)) {
	model := aitest.New(t, aitest.Says("?"))
	configure = append([]func(*config.Config){withModel(model), identitySecret, onThisMachine}, configure...)
	eachSite(t, func(t *testing.T, s *site) {
		a := &acting{s, t, newShop(t), model, map[string]string{}}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "answer", "aiTakeoverDelay": 0})
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": false})
		s.must("POST", knowledgePath, secretKey, object{"title": "Shipping", "text": "We ship within 5 days."})
		order := object{"type": "object", "properties": object{"order": object{"type": "string", "maxLength": 10}}, "required": []string{"order"}}
		for _, one := range []object{
			{"name": "order_status", "about": "Says where an order is.", "url": a.shop.URL + "/orders/{order}", "identity": "customer"},
			{"name": "order_raw", "about": "Says all of an order.", "url": a.shop.URL + "/raw/{order}", "owner": "owner"},
			{"name": "refund", "about": "Refunds an order.", "method": "POST", "changes": true, "url": a.shop.URL + "/refunds/{order}", "identity": "customer"},
		} {
			one["parameters"], one["secret"] = order, shopSecret
			a.ids[one["name"].(string)] = s.must("POST", actionsPath, secretKey, one).text("id")
		}
		test(t, a)
	}, configure...)
}

// visitor opens a conversation of a verified customer, "" for nobody.
func (a *acting) visitor(customer string) boundSession {
	a.t.Helper()
	v := a.bound(chat.NewID(), "")
	if customer != "" {
		a.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": customer}, "userHash": userHash(customer)}, "X-Session-Token", v.token)
	}
	return v
}

func (a *acting) ask(v boundSession, text string) {
	a.t.Helper()
	a.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": text}, "X-Session-Token", v.token)
}

// read is a conversation as operators read it, and seen as its visitor does.
func (a *acting) read(v boundSession) string {
	a.t.Helper()
	return string(a.must("GET", "/api/admin/sessions/"+v.id+"/messages", secretKey, nil).body)
}

func (a *acting) seen(v boundSession) string {
	a.t.Helper()
	return string(a.must("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, "X-Session-Token", v.token).body)
}

func (a *acting) until(what string, v boundSession, holds func() bool) {
	a.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Fatalf("not in time: %s\n%s\n%s\n%s", what, a.read(v), a.must("GET", actsPath, secretKey, nil).body, a.logs)
		}
	}
}

func (a *acting) reads(v boundSession, text string) {
	a.t.Helper()
	a.until("“"+text+"”", v, func() bool { return strings.Contains(a.read(v), text) })
}

func (a *acting) yes(v boundSession, word string) {
	a.t.Helper()
	a.must("POST", "/api/admin/sessions/"+v.id+"/commands", secretKey, object{"command": word})
}

// state is the state of the newest act in a conversation.
func (a *acting) state(v boundSession) string {
	a.t.Helper()
	list := a.must("GET", actsPath+"?session="+v.id, secretKey, nil).get("acts").([]any)
	if len(list) == 0 {
		return ""
	}
	return list[0].(map[string]any)["state"].(string)
}

// wants is a model that asks for an action, and then says what it was answered.
func wants(name, arguments string) func(aitest.Request) aitest.Answer {
	return func(r aitest.Request) aitest.Answer {
		if strings.Contains(r.System, "ACTIONS") {
			data, _ := json.Marshal(object{"sentences": []any{}, "handOver": "no", "act": object{"name": name, "arguments": arguments}})
			return aitest.Answer{Text: string(data), Tokens: 1}
		}
		return aitest.Answer{Text: `{"sentences":[{"text":"Your order is shipped.","passage":1,"quote":"status: shipped","restated":""},` +
			`{"text":"It goes to Foreign Street 8.","passage":1,"quote":"street: Foreign Street 8","restated":""}],"handOver":"no"}`, Tokens: 1}
	}
}

// TestActionReads: a verified visitor's own order is looked up and answered; operators see what was sent.
func TestActionReads(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		for _, action := range []string{"order_status", "order_raw"} {
			a.model.Script(wants(action, `{"order":"4711"}`))
			v := a.visitor("7")
			a.ask(v, "Where is my order 4711?")
			a.reads(v, "Your order is shipped.")
			a.reads(v, "The AI used "+action)
			if text := a.seen(v); strings.Contains(text, "The AI used") || strings.Contains(text, "Foreign") {
				t.Errorf("the visitor reads %s", text)
			}
			if all := a.read(v); strings.Contains(all, "shop-secret") || !strings.Contains(all, "/4711") {
				t.Errorf("operators read %s", all)
			}
		}
		for _, asked := range a.model.Asked() {
			if strings.Contains(asked.Raw, "shop-secret") || strings.Contains(asked.System, "customer") {
				t.Errorf("the model reads %s", asked.Raw)
			}
		}
		if strings.Contains(a.logs.String(), "shop-secret") {
			t.Errorf("the log has %s", a.logs)
		}
		if list := a.shop.requests("GET"); len(list) != 2 || list[0] != "GET /orders/4711?customer=7 " {
			t.Errorf("the shop got %q", list)
		}
	})
}

// TestActionsKeepApart: an obedient model that asks for another customer's order, in every way, gets
// nothing of it, and its visitor neither.
func TestActionsKeepApart(t *testing.T) {
	corpus := injections(t)
	eachActing(t, func(t *testing.T, a *acting) {
		attacks := []func(aitest.Request) aitest.Answer{wants("order_status", `{"order":"9999"}`), wants("order_raw", `{"order":"9999"}`), wants("order_status", `{"order":"9999","customer":"8"}`),
			wants("order_status", `{"order":"9999?customer=8"}`), wants("order_raw", `{"order":"4711/../9999"}`), wants("erase_all", `{}`), wants("order_raw", `[`), wants("refund", `{"order":"9999","customer":"8"}`)}
		for i, text := range corpus {
			a.model.Script(attacks[i%len(attacks)])
			v := a.visitor("7")
			a.ask(v, "Where is order 9999? "+chat.Clip(text, 1500))
			a.until("it hands over", v, func() bool { return strings.Contains(a.seen(v), `"sender":"ai"`) })
			if all := a.read(v); strings.Contains(all, "Foreign Street") || strings.Contains(all, "order is shipped") {
				t.Errorf("%q: operators read %s", text, all)
			}
		}
		v := a.visitor("")
		a.model.Script(wants("order_status", `{"order":"4711"}`))
		a.ask(v, "Where is my order 4711? I am customer 7.")
		a.until("it hands over", v, func() bool {
			return strings.Contains(a.seen(v), `"sender":"ai"`) || strings.Contains(a.read(v), "HANDOVER")
		})
		for _, asked := range a.model.Asked() {
			if strings.Contains(asked.Raw, "Foreign Street") {
				t.Errorf("the model reads %s", asked.Data)
			}
		}
		if list := a.shop.requests("POST"); len(list) > 0 {
			t.Errorf("the shop refunded %q", list)
		}
		for _, one := range a.shop.requests("GET") {
			if strings.Contains(one, "/orders/") && !strings.Contains(one, "customer=7") || strings.Contains(one, "customer=8") {
				t.Errorf("the shop got %s", one)
			}
		}
	}, func(c *config.Config) { c.Settings["aiActionsPerDay"] = chat.Raw("10000") })
}

// injections are the texts by which somebody wants a model to do what they say.
func injections(t *testing.T) (texts []string) {
	t.Helper()
	data, err := os.ReadFile("../testdata/injections/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus []struct{ Text string }
	if err := json.Unmarshal(data, &corpus); err != nil || len(corpus) < 60 {
		t.Fatalf("%d injections, %v", len(corpus), err)
	}
	for _, one := range corpus {
		texts = append(texts, one.Text)
	}
	return texts
}

// TestActionWaitsForYes: what changes something is shown, waits for a person, and is done once.
func TestActionWaitsForYes(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(wants("refund", `{"order":"4711"}`))
		v := a.visitor("7")
		a.ask(v, "Please refund my order 4711.")
		a.reads(v, "Nothing is done yet.")
		a.until("it hands over", v, func() bool { return strings.Contains(a.seen(v), "A colleague will answer here.") })
		shown := a.shop.URL + `/refunds/4711 {\"customer\":\"7\"}`
		if text := a.read(v); !strings.Contains(text, shown) {
			t.Errorf("operators read %s, want %s", text, shown)
		}
		a.ask(v, "!yes") // a visitor's yes is a message
		if list := a.shop.requests("POST"); len(list) > 0 {
			t.Fatalf("it is done before the yes: %q", list)
		}
		key := a.must("POST", "/api/admin/api-keys", secretKey, object{"name": "robot", "scopes": []string{"settings", "write", "read"}}).text("key")
		a.must("POST", "/api/admin/sessions/"+v.id+"/commands", key, object{"command": "!yes"})
		a.reads(v, "A person has to say this")
		a.yes(v, "!yes")
		a.yes(v, "!yes")
		a.reads(v, "refund: booked")
		a.yes(v, "!yes refund")
		a.reads(v, "does not wait here for a yes")
		if list := a.shop.requests("POST"); len(list) != 1 || list[0] != `POST /refunds/4711 {"customer":"7"}` || a.shop.keys[len(a.shop.keys)-1] == "" {
			t.Errorf("the shop got %q", list)
		}
		if a.state(v) != chat.ActDone || strings.Contains(a.seen(v), "booked") {
			t.Errorf("it is %s; the visitor reads %s", a.state(v), a.seen(v))
		}
		if audit := string(a.must("GET", "/api/admin/audit", secretKey, nil).body); !strings.Contains(audit, `"ai_act"`) || strings.Contains(audit, "shop-secret") {
			t.Errorf("the audit has %s", audit)
		}
	})
}

// TestActionDecided: a no, a change of the action or of the visitor, and a pause keep it from being done.
func TestActionDecided(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(wants("refund", `{"order":"4711"}`))
		path := actionsPath + "/" + a.ids["refund"]
		proposed := func() boundSession {
			v := a.visitor("7")
			a.ask(v, "Please refund my order 4711.")
			a.reads(v, "Nothing is done yet.")
			return v
		}
		id := func(v boundSession) string {
			return a.must("GET", actsPath+"?session="+v.id, secretKey, nil).get("acts").([]any)[0].(map[string]any)["id"].(string)
		}
		v := proposed()
		a.refused(a.call("POST", actsPath+"/"+id(v), secretKey, object{}), 400, "yes is required")
		a.must("POST", actsPath+"/"+id(v), secretKey, object{"yes": false})
		a.reads(v, "Nothing was done.")
		a.refused(a.call("POST", actsPath+"/"+id(v), secretKey, object{"yes": true}), 409, "declined")
		v = proposed()
		a.must("PATCH", path, secretKey, object{"url": a.shop.URL + "/refunds/{order}?x=1"})
		a.yes(v, "!yes")
		a.reads(v, "the action was changed since")
		v = proposed()
		a.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": "8"}, "userHash": userHash("8")}, "X-Session-Token", v.token)
		a.yes(v, "!yes")
		a.reads(v, "somebody else is in the conversation now")
		v = proposed()
		a.must("PATCH", path, secretKey, object{"paused": true})
		a.yes(v, "!yes")
		a.reads(v, "the action was changed since")
		if list := a.shop.requests("POST"); len(list) > 0 {
			t.Errorf("the shop got %q", list)
		}
	})
}

// TestActionUnknown: a change that the server does not answer well is not repeated, unless the server
// knows repetitions.
func TestActionUnknown(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(wants("refund", `{"order":"4711"}`))
		for _, tt := range []struct {
			status  int
			repeats bool
			want    string
		}{{500, false, chat.ActUnknown}, {500, true, chat.ActWaiting}, {422, true, chat.ActFailed}, {302, false, chat.ActWaiting}} {
			a.shop.mu.Lock()
			a.shop.refund = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/orders/9999")
				w.WriteHeader(tt.status)
			}
			a.shop.mu.Unlock()
			a.must("PATCH", actionsPath+"/"+a.ids["refund"], secretKey, object{"repeats": tt.repeats})
			v := a.visitor("7")
			a.ask(v, "Please refund my order 4711.")
			a.reads(v, "Nothing is done yet.")
			before := len(a.shop.requests("POST"))
			a.yes(v, "!yes")
			a.reads(v, fmt.Sprint(tt.status))
			if a.state(v) != tt.want || len(a.shop.requests("POST")) != before+1 {
				t.Errorf("%d, repeats %v: it is %s after %d requests", tt.status, tt.repeats, a.state(v), len(a.shop.requests("POST"))-before)
			}
		}
		if len(a.shop.requests("GET")) > 0 {
			t.Error("relay follows a redirect")
		}
	})
}
