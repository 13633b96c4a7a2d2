package assets_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets/build/bundle"
)

func TestNPMIsFresh(t *testing.T) {
	files, err := bundle.NPM(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if got, err := os.ReadFile(filepath.Join("npm", f.Name)); err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("npm/%s is not what the sources give (%v): run go generate ./assets", f.Name, err)
		}
	}
}

// TestTypesNameTheAPI: the types and the API have the same members.
func TestTypesNameTheAPI(t *testing.T) {
	_, b := ready(t, "")
	b.until(`RelayChat.version`)
	source, err := os.ReadFile("widget/relay-chat.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, declared, _ := strings.Cut(string(source), "export interface RelayChat {")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  (?:readonly )?(\w+)[(<:]`).FindAllStringSubmatch(declared, -1) {
		named[m[1]] = true
	}
	for _, name := range eval[[]string](b, `[...Object.keys(RelayChat), "isOpen", "unread"]`) {
		if !named[name] {
			t.Errorf("the types do not name %s", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("RelayChat has no %s", name)
	}
}

func TestModule(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), ""))
	b.visit("/")
	b.run(`import("` + f.url() + `/widget.mjs").then((m) => (window.chat = m.default))`)
	b.is(`chat === RelayChat && !host`)
	b.run(`(window.heard = [], document.addEventListener("relay:open", () => heard.push("open")), chat.init({ apiKey: "pk_test", position: "left" }), chat.open())`)
	b.until(`shown(".panel") && host.dataset.side === "left" && heard.join() === "open"`)
	b.write("from a module")
	b.until(`$(".own.sent")`)
	b.clean()
}

// TestPackage: the npm package loads the widget from relay, once, and again after a failure.
func TestPackage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), ""))
	b.visit("/")
	index, err := os.ReadFile("npm/index.mjs")
	if err != nil {
		t.Fatal(err)
	}
	code, _ := json.Marshal(string(index))
	b.run(`import(URL.createObjectURL(new Blob([` + string(code) + `], { type: "text/javascript" }))).then((m) => (window.load = m.loadRelayChat))`)
	b.is(`await load({ apiUrl: "http://127.0.0.1:1", apiKey: "pk_test" }).then(() => false, () => true)`)
	b.run(`Promise.all([load({ apiUrl: "` + f.url() + `/", apiKey: "pk_test" }), load({ apiUrl: "` + f.url() + `", apiKey: "pk_test" })]).then(([a, z]) => (window.same = a === z && a === RelayChat))`)
	b.is(`same && document.querySelectorAll("relay-chat").length === 1`)
	b.open()
}

func TestOwnLauncherAndPrefetch(t *testing.T) {
	f, b := ready(t, `data-launcher="false" data-launcher-selector="a[href='#x']" data-prefetch`)
	b.until(`["core-", "panel-"].every((n) => performance.getEntriesByType("resource").some((r) => r.name.includes("/widget/" + n)))`)
	if n := f.total(); n != 0 {
		t.Errorf("%d API calls before the opening", n)
	}
	b.until(`(document.querySelector("a").click(), RelayChat.isOpen)`)
	b.until(`shown(".panel") && location.hash === "#part"`)
	b.run(`document.querySelector("a").click()`)
	b.until(`!shown(".panel")`)
	b.run(`RelayChat.destroy()`)
	b.run(`document.querySelector("a").click()`)
	b.is(`location.hash === "#x"`)
	b.clean()
}

func TestAttributesAndUpload(t *testing.T) {
	f, b := ready(t, "")
	b.run(`(RelayChat.setAttributes({ plan: "gold" }), RelayChat.setAttributes({ seats: 3 }))`)
	if n := f.total(); n != 0 {
		t.Errorf("attributes made %d calls before the opening", n)
	}
	b.open()
	b.eventually("identify", func() bool { return f.count("POST identify") == 1 })
	if said := f.bodies("POST identify")[0]["identity"].(object); said["plan"] != "gold" || said["seats"] != 3.0 {
		t.Errorf("identity: %v", said)
	}
	b.run(`(window.parts = [], RelayChat.uploadFile(new File(["some notes"], "notes.txt", { type: "text/plain" }), (p) => parts.push(p))
		.then((a) => RelayChat.sendMessage("see", { attachments: [a] })))`)
	b.until(`$(".own.sent .file")?.download === "notes.txt" && parts.at(-1) === 1`)
	if got := f.bodies("POST messages")[0]["attachmentIds"].([]any); len(got) != 1 || got[0] != "notes.txt" {
		t.Errorf("attachments: %v", got)
	}
	b.is(`await RelayChat.uploadFile(new File(["<svg/>"], "x.svg", { type: "image/svg+xml" })).then(() => "", (e) => e.message) .then((m) => m.includes("not accepted"))`)
	b.clean()
}

// TestEveryEvent: each is a CustomEvent on the document, too.
func TestEveryEvent(t *testing.T) {
	f, b := ready(t, "")
	b.run(`(window.heard = new Set(), "open close unread message sent messageEdited messageDeleted typing presence connection csat identify error".split(" ")
		.forEach((n) => { RelayChat.on(n, () => heard.add(n)); document.addEventListener("relay:" + n, () => heard.add("relay:" + n)) }))`)
	b.open()
	b.run(`RelayChat.identify({ id: "u1" })`)
	b.write("hi")
	b.until(`$(".own.sent") && heard.has("relay:connection")`)
	f.reply(t, "hello")
	b.until(`heard.has("relay:message")`)
	f.do(t, func(s *fakeSession) {
		m := s.messages[1]
		m["content"], m["editedAt"] = "hello!", now()
		s.fact("message_edited", m)
		m["content"], m["deletedAt"] = "", now()
		s.fact("message_deleted", m)
		s.csat = object{"askedAt": now()}
		s.fact("csat_request", object{"at": now()})
	})
	f.state(t, "typing", object{"active": true, "operatorName": "Ana"})
	f.state(t, "operator_status", object{"online": false})
	b.until(`shown(".csat")`)
	b.run(`$$(".csat input")[3].click()`)
	b.click(".csat .main")
	b.until(`heard.has("relay:csat")`)
	f.refuse("POST messages", refusal{400, 0, "no"})
	b.run(`RelayChat.sendMessage("refused").catch(() => {})`)
	b.until(`heard.has("relay:error")`)
	b.run(`RelayChat.close()`)
	f.reply(t, "are you there?")
	b.until(`heard.size === 26`)
}
