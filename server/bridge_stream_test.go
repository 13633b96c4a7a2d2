package server_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// operatorWrites stores an operator's message as a bridge does.
func (s *site) operatorWrites(sessionID, id, content string) {
	s.t.Helper()
	by := chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Olga"}
	if _, err := s.Send(s.t.Context(), by, engine.Post{SessionID: sessionID, ID: id, Content: content}); err != nil {
		s.t.Fatal(err)
	}
}

// The stream shows what operators do, by default only messages, edits and deletions.
func TestBridgeStreamCarriesOperatorEvents(t *testing.T) {
	s := newBridgeSite(t, withKey)
	s.must("POST", "/api/sessions", backendKey, reduced)
	s.must("POST", "/api/sessions", backendKey, object{"id": "s2"})
	next, all, other := s.stream("/api/events/stream", backendKey), s.stream("/api/events/stream?types=all", backendKey), s.stream("/api/events/stream?sessionId=s2", backendKey)
	ada := chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Olga"}
	s.must("POST", "/api/messages", backendKey, object{"message": hello, "session": reduced})
	s.must("POST", "/api/messages", backendKey, object{"message": without(without(hello, "id", "own"), "sender", "operator"), "session": reduced})
	file := chat.Attachment{Filename: "a.png", MimeType: "image/png", Size: 7, URL: "/files/token"}
	sent, err := s.Send(t.Context(), ada, engine.Post{SessionID: "s1", ID: "tg:1:5", Content: "Hi", ReplyTo: "m1", Files: chat.Attachments{file}})
	if err != nil {
		t.Fatal(err)
	}
	steps := []error{
		s.Typing(t.Context(), ada, "s1", true),
		s.MarkRead(t.Context(), ada, "s1", []string{"m1"}),
		func() error { _, err := s.Edit(t.Context(), ada, "s1", "tg:1:5", "Hi!"); return err }(),
		s.Delete(t.Context(), ada, "s1", "tg:1:5"),
		s.AskCSAT(t.Context(), ada, "s1"),
		s.Close(t.Context(), ada, "s1"),
		s.Reopen(t.Context(), ada, "s1"),
	}
	for i, err := range steps {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	s.operatorWrites("s2", "tg:1:6", "Another session")
	for _, want := range []string{
		`{"type":"operator_message","sessionId":"s1","messageId":"tg:1:5","content":"Hi","sourceBridge":"telegram","operatorName":"Olga","timestamp":"SENT","replyTo":"m1","attachments":[{"filename":"a.png","mimeType":"image/png","size":7,"url":"/files/token"}]}`,
		`{"type":"operator_message_edited","sessionId":"s1","messageId":"tg:1:5","content":"Hi!","sourceBridge":"telegram","operatorName":"Olga","timestamp":"SENT","editedAt":"TIME"}`,
		`{"type":"operator_message_deleted","sessionId":"s1","messageId":"tg:1:5","sourceBridge":"telegram","operatorName":"Olga","timestamp":"SENT","deletedAt":"TIME"}`,
		`{"type":"operator_message","sessionId":"s2","messageId":"tg:1:6","content":"Another session","sourceBridge":"telegram","operatorName":"Olga","timestamp":"TIME"}`,
	} {
		f := next()
		if got := timeForm.ReplaceAllString(strings.Replace(f.data, `"timestamp":"`+sent.Timestamp.String(), `"timestamp":"SENT`, 1), `"TIME"`); got != want || f.event != "" || f.id == "" {
			t.Errorf("event %q id %q\n got %s\nwant %s", f.event, f.id, got, want)
		}
	}
	var kinds []string
	for range 9 {
		kinds = append(kinds, fmt.Sprint(all().get("type")))
	}
	if got, want := strings.Join(kinds, " "), "operator_message operator_typing message_read operator_message_edited operator_message_deleted csat_request session_closed session_reopened operator_message"; got != want {
		t.Errorf("all types:\n got %s\nwant %s", got, want)
	}
	if f := other(); f.get("sessionId") != "s2" {
		t.Errorf("the stream of s2 carries %s", f.data)
	}
	s.refused(s.call("GET", "/api/events/stream?types=some", backendKey, nil), 400, "types")
}

func TestBridgeStreamResumes(t *testing.T) {
	s := newBridgeSite(t)
	s.must("POST", "/api/sessions", "", reduced)
	next := s.stream("/api/events/stream", "")
	for i := range 5 {
		s.operatorWrites("s1", fmt.Sprint("tg:1:", i), "Hi")
	}
	var ids []string
	for range 5 {
		ids = append(ids, next().id)
	}
	boot, _, _ := strings.Cut(ids[0], "-")
	for id, want := range map[string]string{ids[1]: "tg:1:2", ids[3]: "tg:1:4", boot + "-0": "tg:1:0", "1-1": "tg:1:0", "1k3p9x-77": "tg:1:0"} {
		if got := s.stream("/api/events/stream", "", "Last-Event-ID", id)().get("messageId"); got != want {
			t.Errorf("behind %s comes %v, want %s", id, got, want)
		}
		if got := s.stream("/api/events/stream?lastEventId="+id, "")().get("messageId"); got != want {
			t.Errorf("behind ?lastEventId=%s comes %v, want %s", id, got, want)
		}
	}
	late := s.stream("/api/events/stream", "", "Last-Event-ID", ids[4])
	s.operatorWrites("s1", "tg:1:9", "Late")
	if got := late().get("messageId"); got != "tg:1:9" {
		t.Errorf("behind the newest comes %v", got)
	}
	for _, id := range []string{"nonsense", "0", "undefined", boot + "-99", boot + "--1", boot + "-", "-1", "A-1", "1-01"} {
		s.refused(s.call("GET", "/api/events/stream", "", nil, "Last-Event-ID", id), 400, "Last-Event-ID")
		s.refused(s.call("GET", "/api/events/stream?lastEventId="+id, "", nil), 400, "Last-Event-ID")
	}
}

// A reader that is cut off before it saw any event comes back with the id that
// its stream began with and misses nothing; what was said before its first
// stream is not for it.
func TestBridgeStreamBeginsWithAnID(t *testing.T) {
	s := newBridgeSite(t)
	s.must("POST", "/api/sessions", "", reduced)
	s.operatorWrites("s1", "tg:1:0", "Before")
	for _, query := range []string{"", "?sessionId=s1", "?types=all", "?sessionId=another"} {
		place := firstFrame(t, s.body("/api/events/stream"+query, ""))
		if place.id == "" || place.data != "" || place.event != "" {
			t.Fatalf("%q: the stream begins with %+v, want an id alone", query, place)
		}
		said := "tg:1:" + query
		s.operatorWrites("s1", said, "While it was away")
		if got := s.stream("/api/events/stream", "", "Last-Event-ID", place.id)().get("messageId"); got != said {
			t.Errorf("%q: back again, it reads %v, want %s", query, got, said)
		}
		if again := firstFrame(t, s.body("/api/events/stream", "", "Last-Event-ID", place.id)); again.id != place.id {
			t.Errorf("%q: back again, its stream begins at %s, before what is repeated: %s", query, again.id, place.id)
		}
	}
}

// firstFrame reads a stream up to its first blank line.
func firstFrame(t *testing.T, stream io.Reader) (f frame) {
	t.Helper()
	lines := bufio.NewScanner(stream)
	for lines.Scan() && lines.Text() != "" {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "id":
			f.id = value
		case "data":
			f.data = value
		case "event":
			f.event = value
		}
	}
	return f
}
