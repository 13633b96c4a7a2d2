package server_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestVisitors: a visitor is found by its id or e-mail address with all of its
// conversations, exported with its files for people and programs, and erased: streams
// end, and the others stay.
func TestVisitors(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ann, bob := s.open("v-ann"), s.open("v-bob")
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": ann, "email": "ann@example.com", "name": "<b>Ann</b>"})
		file := s.upload("/api/widget/attachments", publicKey, "list.txt", []byte("one, two"), "sessionId", ann, "file", "").text("id")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": ann, "content": "I am <Ann>", "attachmentIds": []string{file}})
		s.must("POST", "/api/admin/sessions/"+ann+"/messages", secretKey, object{"content": "a note", "internal": true})
		s.say(bob, "I am Bob")
		for _, who := range []string{"v-ann", "Ann@Example.com", "%20ann@example.com"} {
			a := s.must("GET", "/api/admin/visitors?visitor="+who, secretKey, nil)
			list := a.get("conversations").([]any)
			if len(list) != 1 || list[0].(map[string]any)["id"] != ann {
				t.Fatalf("%q finds %s", who, a.body)
			}
		}
		files := unzip(t, s.must("GET", "/api/admin/visitors/export?visitor=ann@example.com", secretKey, nil).body)
		dir := "sessions/" + ann + "/"
		for name, want := range map[string]string{dir + "session.json": "ann@example.com", dir + "messages.json": "a note", dir + "timeline.json": "[",
			dir + "conversation.html": "I am &lt;Ann&gt;", dir + "files/" + file + "-list.txt": "one, two", "index.html": `<a href="` + dir + `conversation.html">`} {
			if !strings.Contains(files[name], want) {
				t.Errorf("%s has no %q: %q", name, want, files[name])
			}
		}
		if strings.Contains(files[dir+"conversation.html"], "<b>") {
			t.Error("what a visitor wrote is markup in the page")
		}
		stream := s.Hub.Subscribe(ann)
		defer stream.Close()
		a := s.must("DELETE", "/api/admin/visitors?visitor=ann@example.com", secretKey, nil)
		if a.get("conversations") != 1.0 || len(a.get("remains").([]any)) < 2 {
			t.Errorf("erased: %s", a.body)
		}
		told := false
		for e := range stream.C { // which ends
			told = told || e.Type == chat.StateSessionErased
		}
		if !told {
			t.Error("the open stream was not told")
		}
		s.refused(s.call("GET", "/api/admin/sessions/"+ann, secretKey, nil), 404, "")
		s.must("GET", "/api/admin/sessions/"+bob, secretKey, nil)
		for _, method := range []string{"GET", "DELETE"} {
			s.refused(s.call(method, "/api/admin/visitors", secretKey, nil), 400, "visitor is required")
		}
		s.refused(s.call("DELETE", "/api/admin/visitors?visitor=ann@example.com", secretKey, nil), 404, "No conversations of this visitor")
		s.refused(s.call("GET", "/api/admin/visitors/export?visitor=ann@example.com", secretKey, nil), 404, "No conversations of this visitor")
	})
}

// unzip reads all files of an archive.
func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}
