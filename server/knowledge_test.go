package server_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

const knowledgePath = "/api/admin/knowledge"

// read has the knowledge base read all that waits.
func (s *site) read() {
	s.t.Helper()
	for {
		worked, err := s.knowledge.Step(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if !worked {
			return
		}
	}
}

// sendFile posts a form with a file.
func (s *site) sendFile(field, name, content string) answer {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return s.call("POST", knowledgePath+"/files", secretKey, body.String(), "Content-Type", form.FormDataContentType())
}

// found returns the text of the best passage for a question, "" for none.
func (s *site) found(question string) string {
	s.t.Helper()
	list, _ := s.must("GET", knowledgePath+"/search?q="+question, secretKey, nil).get("passages").([]any)
	if len(list) == 0 {
		return ""
	}
	text, _ := list[0].(map[string]any)["text"].(string)
	return text
}

func TestKnowledgeTexts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if got := string(s.must("GET", knowledgePath, secretKey, nil).body); got != `{"sources":[]}` {
			t.Errorf("empty, it is %s", got)
		}
		added := s.must("POST", knowledgePath, secretKey, object{"title": "Parking", "text": "You can park behind the house.", "url": "https://shop.example/parking#x"})
		if added.text("kind") != "text" || added.get("passages") != 1.0 || added.text("url") != "https://shop.example/parking" {
			t.Errorf("added: %s", added.body)
		}
		if got := s.found("parking"); got != "You can park behind the house." {
			t.Errorf("found %q", got)
		}
		s.refused(s.call("POST", knowledgePath+"/sources/"+added.text("id")+"/refresh", secretKey, nil), 409, "Only web pages")
		one := s.must("GET", knowledgePath+"/sources/"+added.text("id"), secretKey, nil)
		if one.text("source.title") != "Parking" || !strings.Contains(string(one.body), `"state":"read"`) {
			t.Errorf("read: %s", one.body)
		}
		s.must("DELETE", knowledgePath+"/sources/"+added.text("id"), secretKey, nil)
		if got := s.found("parking"); got != "" {
			t.Errorf("removed, it finds %q", got)
		}
		for _, method := range []string{"GET", "DELETE"} {
			s.refused(s.call(method, knowledgePath+"/sources/"+added.text("id"), secretKey, nil), 404, "Source not found")
		}
		s.refused(s.call("POST", knowledgePath+"/sources/x/refresh", secretKey, nil), 404, "Source not found")
	})
}

func TestKnowledgeRefusals(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for body, want := range map[string]string{
			`{}`:                                     "url, or title and text are required",
			`{"title":"x"}`:                          "text is required",
			`{"text":"x"}`:                           "title is required",
			`{"title":"x","text":"…"}`:               "text has no words",
			`{"title":"x","text":7}`:                 "text must be",
			`{"title":"x","text":"x","url":"ftp:/"}`: "url must be",
			`{"url":"shop.example"}`:                 "url must be",
			`{"url":"https://u:p@shop.example/"}`:    "url must be",
			`{"url":"file:///etc/passwd"}`:           "url must be",
			`{"url":"http://127.0.0.1:9/"}`:          "127.0.0.1 is in a private network; add 127.0.0.1 to WEBHOOK_ALLOW_CIDRS",
			`{"url":"http://localhost/"}`:            "is in a private network",
			`{"url":"http://169.254.169.254/"}`:      "relay never connects to 169.254.169.254",
		} {
			s.refused(s.call("POST", knowledgePath, secretKey, body), 400, want)
		}
		s.refused(s.call("GET", knowledgePath+"/search?q=%20", secretKey, nil), 400, "q is required")
		s.refused(s.sendFile("file", "a.exe", "MZ"), 415, "none of .md, .txt, .html and .pdf")
		s.refused(s.sendFile("file", "a.pdf", "no"), 415, "not a PDF")
		s.refused(s.sendFile("file", "a.txt", ""), 400, "empty")
		s.refused(s.sendFile("other", "a.txt", "x"), 400, "file is required")
		s.refused(s.sendFile("file", "a.txt", strings.Repeat("x", 10<<20+1)), 413, "at most 10 MB")
		s.refused(s.sendFile("file", "a.txt", strings.Repeat("x", 11<<20)), 413, "at most 10 MB")
		s.refused(s.call("POST", knowledgePath+"/files", secretKey, "{}"), 415, "multipart/form-data")
		s.refused(s.call("POST", knowledgePath+"/files", secretKey, "broken", "Content-Type", "multipart/form-data; boundary=x"), 400, "")
		s.refused(s.call("POST", knowledgePath+"/questions/x/answer", secretKey, object{"text": "x"}), 404, "Question not found")
		s.refused(s.call("DELETE", knowledgePath+"/questions/x", secretKey, nil), 404, "Question not found")
		if got := string(s.must("GET", knowledgePath, secretKey, nil).body); got != `{"sources":[]}` {
			t.Errorf("what was refused left %s", got)
		}
	})
}

func TestKnowledgeFile(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		added := s.sendFile("file", `C:\help\guide.md`, "# Gift cards\n\nThey are valid for two years.\n")
		if added.status != 200 || added.text("title") != "guide.md" || added.get("waiting") != 1.0 {
			t.Fatalf("added: %d %s", added.status, added.body)
		}
		s.read()
		if got := s.found("gift"); got != "They are valid for two years." {
			t.Errorf("found %q", got)
		}
	})
}

// TestKnowledgeSite: pages are fetched beside the requests, and again on request.
func TestKnowledgeSite(t *testing.T) {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Shop</title><p>We sell lamps made of clay.</p>`))
	}))
	defer shop.Close()
	eachSite(t, func(t *testing.T, s *site) {
		added := s.must("POST", knowledgePath, secretKey, object{"url": shop.URL})
		if added.text("kind") != "page" || added.get("waiting") != 1.0 || added.text("refreshAt") == "" {
			t.Errorf("added: %s", added.body)
		}
		step := func() {
			t.Helper()
			if worked, err := s.knowledge.Step(t.Context()); err != nil || !worked {
				t.Fatal(worked, err)
			}
		}
		step()
		list := s.must("GET", knowledgePath, secretKey, nil)
		if !strings.Contains(string(list.body), `"title":"Shop"`) || s.found("clay") != "We sell lamps made of clay." {
			t.Errorf("read: %s", list.body)
		}
		s.must("POST", knowledgePath+"/sources/"+added.text("id")+"/refresh", secretKey, nil)
		if again := s.must("GET", knowledgePath+"/sources/"+added.text("id"), secretKey, nil); again.get("source.waiting") != 1.0 || again.get("source.passages") != 1.0 {
			t.Errorf("being fetched again: %s", again.body)
		}
	}, func(c *config.Config) { c.WebhookAllowCIDRs = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
}

// TestUnansweredQuestions: what had no answer is listed until somebody writes one,
// which can be found at once.
func TestUnansweredQuestions(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		session := s.open("v")
		for _, q := range []string{"Do you sell carpets?", "do you sell CARPETS", "Who is your boss?"} {
			if err := s.knowledge.Unanswered(t.Context(), chat.Question{SessionID: session, Question: q}); err != nil {
				t.Fatal(err)
			}
		}
		var list []any
		read := func() []any {
			list, _ = s.must("GET", knowledgePath+"/questions", secretKey, nil).get("questions").([]any)
			return list
		}
		if len(read()) != 2 {
			t.Fatalf("the questions are %v", list)
		}
		first := list[0].(map[string]any)
		if first["question"] != "Do you sell carpets?" || first["count"] != 2.0 || first["sessionId"] != session {
			t.Errorf("the first question is %v", first)
		}
		answer := knowledgePath + "/questions/" + first["id"].(string) + "/answer"
		s.refused(s.call("POST", answer, secretKey, object{"text": " "}), 400, "text is required")
		written := s.must("POST", answer, secretKey, object{"text": "No, we only sell lamps."})
		if written.text("title") != "Do you sell carpets?" || s.found("carpets") != "No, we only sell lamps." {
			t.Errorf("the answer is %s", written.body)
		}
		s.refused(s.call("POST", answer, secretKey, object{"text": "Twice."}), 404, "Question not found")
		s.must("DELETE", knowledgePath+"/questions/"+read()[0].(map[string]any)["id"].(string), secretKey, nil)
		if len(read()) != 0 {
			t.Errorf("left are %v", list)
		}
		if err := s.knowledge.Unanswered(t.Context(), chat.Question{SessionID: session, Question: "Where is the parcel of ada@example.com, +44 20 7946 0958?"}); err != nil {
			t.Fatal(err)
		}
		id := read()[0].(map[string]any)["id"].(string)
		if written := s.must("POST", knowledgePath+"/questions/"+id+"/answer", secretKey, object{"text": "Parcels are shown in your account."}); written.text("title") != "Where is the parcel of […], […]?" {
			t.Errorf("others read %s", written.body)
		}
		if err := s.knowledge.Unanswered(t.Context(), chat.Question{SessionID: session, Question: "Where do you live?"}); err != nil {
			t.Fatal(err)
		}
		s.must("DELETE", "/api/admin/sessions/"+session, secretKey, nil)
		if len(read()) != 0 {
			t.Errorf("its session was deleted, the question is left: %v", list)
		}
		if sources := string(s.must("GET", knowledgePath, secretKey, nil).body); strings.Contains(sources, "parcel") || strings.Contains(sources, "carpets") || s.found("carpets") != "" {
			t.Errorf("its visitor's words are still the titles of answers: %s", sources)
		}
		if got := s.found("lamps"); got != "No, we only sell lamps." {
			t.Errorf("the answer went with the question: %q is found", got)
		}
		if err := s.knowledge.Unanswered(t.Context(), chat.Question{SessionID: session, Question: "x"}); err == nil || err.Error() != "note a question: "+chat.ErrSessionNotFound.Error() {
			t.Errorf("of a session that is gone: %v", err)
		}
	})
}
