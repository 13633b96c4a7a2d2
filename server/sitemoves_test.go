package server_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/moving"
)

// send makes a request with bytes as its body.
func (s *site) send(method, path, contentType string, body []byte) answer {
	s.t.Helper()
	return s.call(method, path, secretKey, string(body), "Content-Type", contentType)
}

// exported returns the zip of a site.
func (s *site) exported(id string) []byte {
	s.t.Helper()
	return s.must("GET", "/api/admin/sites/"+id+"/export", secretKey, nil).body
}

// fullSite makes a site with something of everything, and returns its key and a session.
func fullSite(s *site) (key, session string) {
	s.t.Helper()
	key = s.addSite("Shop Berlin", "id", "berlin", "address", "https://berlin.example.com", "color", "#0b7285")
	s.must("PATCH", "/api/admin/sites/berlin/settings", secretKey, object{"welcomeMessage": "Servus", "eventsWebhookSecret": "whsec_aGlkZGVuLWhpZGRlbi1oaWRkZW4=", "telegramChatId": "-100777"})
	s.must("PUT", "/api/admin/saved-answers/hours?site=berlin", secretKey, object{"content": "In Berlin from 9 to 17."})
	s.must("POST", "/api/admin/knowledge?site=berlin", secretKey, object{"title": "Umbrellas", "text": "# Umbrellas\n\nThey are of nylon.\n\nAnd of wood."})
	s.must("POST", actionsPath+"?site=berlin", secretKey, object{"name": "parcel", "about": "Says where a parcel is.", "url": "https://berlin.example.com/parcels", "secret": "Bearer hidden"})
	s.must("PUT", "/api/admin/saved-answers/other", secretKey, object{"content": "Not Berlin's."})
	s.say(s.open("elsewhere"), "not of Berlin")
	for i := range 3 {
		session = s.openAt(key, fmt.Sprint("v", i))
		s.must("POST", "/api/widget/messages", key, object{"sessionId": session, "content": fmt.Sprint("umbrella ", i)})
	}
	file := s.upload("/api/admin/sessions/"+session+"/attachments", secretKey, "bill.txt", []byte("twelve euros"), "file", "").text("id")
	s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": "here it is", "attachmentIds": []string{file}, "operatorName": "Ada"})
	s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": "a note", "internal": true})
	s.must("POST", "/api/admin/sessions/"+session+"/close", secretKey, nil)
	s.must("PATCH", "/api/admin/sessions/"+session, secretKey, object{"tags": []string{"vip"}})
	s.must("PATCH", "/api/admin/sessions/"+session+"/contact", secretKey, object{"name": "Herr Bär", "fields": object{"Plan": "gold"}})
	s.must("POST", "/api/admin/sessions/"+session+"/contact/notes", secretKey, object{"content": "calls on Mondays"})
	return key, session
}

// told is a conversation as operators read it, without what differs between relays.
func (s *site) told(session string) string {
	s.t.Helper()
	a := s.must("GET", "/api/admin/sessions/"+session+"/messages", secretKey, nil)
	var b strings.Builder
	for _, m := range a.get("messages").([]any) {
		m := m.(map[string]any)
		fmt.Fprintln(&b, m["id"], m["sender"], m["content"], m["timestamp"], m["internal"], m["operatorName"])
		for _, f := range m["attachments"].([]any) {
			f := f.(map[string]any)
			fmt.Fprintln(&b, f["filename"], f["mimeType"], f["size"], string(s.must("GET", f["url"].(string), "", nil).body))
		}
	}
	fmt.Fprintln(&b, a.get("timeline"))
	view := s.must("GET", "/api/admin/sessions/"+session, secretKey, nil)
	fmt.Fprintln(&b, view.get("visitorId"), view.get("status"), view.get("tags"), view.get("createdAt"), view.get("lastActivity"))
	contact := s.must("GET", "/api/admin/sessions/"+session+"/contact", secretKey, nil)
	fmt.Fprintln(&b, contact.get("name"), contact.get("fields"), contact.first("notes", "content"), contact.first("notes", "createdAt"), contact.first("notes", "authorName"))
	return b.String()
}

// TestMoveSite: a site that is exported and imported elsewhere is there with all that was
// its own, and its visitors go on.
func TestMoveSite(t *testing.T) {
	eachSite(t, func(t *testing.T, from *site) {
		key, session := fullSite(from)
		packed := from.exported("berlin")
		for _, hidden := range []string{"hidden", "not of Berlin", "Not Berlin's", "-100777"} {
			if bytes.Contains(unzipped(t, packed), []byte(hidden)) {
				t.Errorf("the export has %q", hidden)
			}
		}
		dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
			from.t = t
			to := newSite(t, store)
			done := to.send("POST", "/api/admin/site-imports", "application/zip", packed)
			if done.status != 200 || done.get("conversations") != 3.0 || done.get("messages") != 5.0 || done.get("files") != 1.0 || done.text("site.id") != "berlin" || done.text("site.publicKey") != key {
				t.Fatalf("importing answers %d %s", done.status, done.body)
			}
			if here, there := from.told(session), to.told(session); here != there || !strings.Contains(here, "twelve euros") {
				t.Errorf("the conversation was\n%s\nand is\n%s", here, there)
			}
			if got := to.must("GET", "/api/widget/config", key, nil).text("welcomeMessage"); got != "Servus" {
				t.Errorf("it welcomes with %q", got)
			}
			if got := to.openAt(key, "v0"); got == "" || to.must("GET", "/api/widget/messages?sessionId="+got, key, nil).get("messages") == nil {
				t.Errorf("its visitor finds %s", got)
			}
			if got := string(to.must("GET", "/api/admin/saved-answers?site=berlin", secretKey, nil).body); !strings.Contains(got, "from 9 to 17") {
				t.Errorf("its saved answers are %s", got)
			}
			if got := string(to.must("GET", "/api/admin/knowledge/search?site=berlin&q=nylon", secretKey, nil).body); !strings.Contains(got, "of nylon") {
				t.Errorf("it knows %s", got)
			}
			actions := string(to.must("GET", actionsPath+"?site=berlin", secretKey, nil).body)
			if !strings.Contains(actions, `"name":"parcel"`) || !strings.Contains(actions, `"paused":true`) || !strings.Contains(actions, `"hasSecret":false`) ||
				!strings.Contains(string(done.body), "action “parcel” is paused: give it its secret") {
				t.Errorf("its AI may do %s; the import says %s", actions, done.body)
			}
			to.indexed()
			if got := to.must("GET", "/api/admin/search?site=berlin&q=umbrella", secretKey, nil).get("messages").([]any); len(got) != 3 {
				t.Errorf("the search finds %v", got)
			}
			again := to.send("POST", "/api/admin/site-imports", "application/zip", packed)
			if again.status != 200 || again.get("conversations") != 0.0 || again.get("known") != 3.0 || again.get("files") != 0.0 {
				t.Errorf("importing again answers %d %s", again.status, again.body)
			}
			if n := len(to.must("GET", "/api/admin/knowledge?site=berlin", secretKey, nil).get("sources").([]any)); n != 1 {
				t.Errorf("it has %d sources then", n)
			}
		})
	})
}

// TestCopySite: a site that is imported where it came from is a second one, with ids, key and
// files of its own.
func TestCopySite(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	key, session := fullSite(s)
	packed := s.exported("berlin")
	s.refused(s.send("POST", "/api/admin/site-imports", "application/zip", packed), 409, "There is a site called “Shop Berlin”")
	done := s.send("POST", "/api/admin/site-imports?id=copy&name=Copy", "application/zip", packed)
	if done.status != 200 || done.get("conversations") != 3.0 || done.get("files") != 1.0 || done.text("site.publicKey") == key {
		t.Fatalf("importing answers %d %s", done.status, done.body)
	}
	var copied string
	for _, of := range s.must("GET", "/api/admin/sessions?site=copy&status=all", secretKey, nil).get("sessions").([]any) {
		if of := of.(map[string]any); of["visitorId"] == "v2" {
			copied = of["id"].(string)
		}
	}
	if here, there := s.told(session), s.told(copied); copied == session || here != there {
		t.Errorf("the conversation is\n%s\nand its copy\n%s", here, there)
	}
	s.must("DELETE", "/api/admin/sessions/"+session, secretKey, nil)
	if left := s.told(copied); !strings.Contains(left, "twelve euros") {
		t.Errorf("without the first, the copy is\n%s", left)
	}
	if again := s.send("POST", "/api/admin/site-imports?id=copy&name=Copy", "application/zip", packed); again.get("known") != 3.0 {
		t.Errorf("importing again answers %s", again.body)
	}
}

// TestImportIsCutOff: what a cut-off import has stored is not stored again by the next one,
// which stores the rest.
func TestImportIsCutOff(t *testing.T) {
	from := newSite(t, dbtest.Memory(t))
	fullSite(from)
	packed := from.exported("berlin")
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		to := newSite(t, store)
		ctx, cut := context.WithCancel(t.Context())
		options := moving.Options{KeyTaken: func(string) bool { return false }, Imported: func(string) { cut() }}
		_, done, err := moving.Import(ctx, to.Engine, to.knowledge, bytes.NewReader(packed), int64(len(packed)), options)
		if !errors.Is(err, context.Canceled) || done.Conversations != 1 {
			t.Fatalf("the import is cut off with %v, %+v", err, done)
		}
		rest := to.send("POST", "/api/admin/site-imports", "application/zip", packed)
		if rest.status != 200 || rest.get("known") != 1.0 || rest.get("conversations") != 2.0 {
			t.Errorf("the rest is %d %s", rest.status, rest.body)
		}
		if n := len(to.must("GET", "/api/admin/sessions?site=berlin&status=all", secretKey, nil).get("sessions").([]any)); n != 3 {
			t.Errorf("it has %d conversations then", n)
		}
	})
}

// TestBadSiteFiles: a file that is not as it should be is refused with its place, and changes
// nothing.
func TestBadSiteFiles(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	fullSite(s)
	good := s.exported("berlin")
	other := newSite(t, dbtest.Memory(t))
	for name, tt := range map[string]struct {
		body []byte
		want string
	}{
		"no zip":           {[]byte("hello"), "is no zip"},
		"empty":            {nil, "is no zip"},
		"cut off":          {good[:len(good)/2], "is no zip"},
		"another zip":      {rezip(t, good, "site.json", nil), "has no site.json"},
		"no JSON":          {rezip(t, good, "site.json", func(string) string { return "{\n\n,}" }), "site.json: line 3"},
		"another format":   {rezip(t, good, "site.json", replace(`"format":1`, `"format":2`)), "the format 2"},
		"a wrong sender":   {rezip(t, good, "conversations/000001.json", replace(`"sender":"visitor"`, `"sender":"root"`)), "conversations/000001.json: message 1"},
		"a wrong status":   {rezip(t, good, "conversations/000002.json", replace(`"status":"open"`, `"status":"x"`)), "conversations/000002.json: its status"},
		"a missing file":   {rezip(t, good, "files/", nil), "is not in the zip"},
		"a NUL":            {rezip(t, good, "conversations/000003.json", replace("here it is", `here\u0000it is`)), "conversations/000003.json: it is not UTF-8 text"},
		"an order":         {rezip(t, good, "conversations/000003.json", replace(`"seq":2`, `"seq":1000000`)), "conversations/000003.json: message"},
		"a wrong timeline": {rezip(t, good, "conversations/000003.json", replace(`"type":"session_closed"`, `"type":"message"`)), "of its timeline is none"},
		"a visitor twice":  {rezip(t, good, "conversations/000002.json", replace(`"visitorId":"v1"`, `"visitorId":"v0"`)), "conversations/000002.json: the conversation, or its visitor's"},
		"a lot of actions": {rezip(t, good, "site.json", func(text string) string {
			return strings.Replace(text, `"actions":[`, `"actions":[`+strings.Repeat(`{},`, 20), 1)
		}), "or 20 actions"},
		"a site's name": {rezip(t, good, "site.json", replace("Shop Berlin", strings.Repeat("x", 61))), "at most 60 characters"},
	} {
		refused := other.send("POST", "/api/admin/site-imports", "application/zip", tt.body)
		if refused.status != 400 || !strings.Contains(string(refused.body), tt.want) {
			t.Errorf("%s: %d %s, want 400 with %q", name, refused.status, refused.body, tt.want)
		}
	}
	if n := len(other.must("GET", "/api/admin/sites", secretKey, nil).get("sites").([]any)); n != 1 {
		t.Errorf("there are %d sites then", n)
	}
}

func replace(from, to string) func(string) string {
	return func(text string) string { return strings.Replace(text, from, to, 1) }
}

// rezip changes the files of a zip whose names begin so, or leaves them out.
func rezip(t *testing.T, packed []byte, prefix string, change func(string) string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	changed := false
	eachFile(t, packed, func(name string, content []byte) {
		if strings.HasPrefix(name, prefix) {
			if change == nil {
				changed = true
				return
			}
			next := change(string(content))
			changed = changed || next != string(content)
			content = []byte(next)
		}
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := w.Close(); err != nil || !changed {
		t.Fatalf("nothing of %s was changed (%v)", prefix, err)
	}
	return out.Bytes()
}

func eachFile(t *testing.T, packed []byte, use func(name string, content []byte)) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		use(f.Name, content)
	}
}

// unzipped is all that a zip has.
func unzipped(t *testing.T, packed []byte) (all []byte) {
	t.Helper()
	eachFile(t, packed, func(name string, content []byte) { all = append(append(all, name...), content...) })
	return all
}
