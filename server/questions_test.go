package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestLearnFromPeople: what asks the same is one entry, which begins with what a person answered in
// the conversation, without what is personal, and one answer ends all of them.
func TestLearnFromPeople(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		session := s.open("v")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": "Do you sell gift cards?"})
		for _, q := range []chat.Question{{Question: "Do you sell gift cards?"}, {Question: "Are gift cards sold?", Context: "My name is Grace Hopper"}, {Question: "Who is your boss?"}} {
			q.SessionID = session
			if err := s.knowledge.Unanswered(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		path := knowledgePath + "/questions"
		read := func() (list []chat.Question) {
			t.Helper()
			var answer struct{ Questions []chat.Question }
			if err := json.Unmarshal(s.must("GET", path, secretKey, nil).body, &answer); err != nil {
				t.Fatal(err)
			}
			return answer.Questions
		}
		list := read()
		if len(list) != 2 || list[0].Count != 2 || len(list[0].Alike) != 1 || len(list[1].Alike) != 0 || strings.Contains(fmt.Sprint(list), "Grace") {
			t.Fatalf("the questions are %+v", list)
		}
		head, other := list[0].ID, list[0].Alike[0].ID
		if none := s.must("GET", path+"/"+head, secretKey, nil); none.get("proposal.text") != "" {
			t.Errorf("without an answer it proposes %s", none.body)
		}
		for _, text := range []string{"Yes, from 10 € on.", "Write to ada@example.com for one."} {
			s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": text})
		}
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": "Thank you!"})
		s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": "Bye."})
		begun := s.must("GET", path+"/"+other, secretKey, nil)
		if begun.text("question.id") != head || begun.text("proposal.title") != begun.text("question.question") || begun.text("proposal.text") != "Yes, from 10 € on.\nWrite to […] for one." {
			t.Errorf("it begins with %s", begun.body)
		}
		s.refused(s.call("POST", path+"/"+head+"/answer", secretKey, object{"text": "Yes.", "alike": []string{"x"}}), 400, "alike must be the ids of questions")
		s.must("POST", path+"/"+head+"/answer", secretKey, object{"text": "Yes.", "alike": []string{other}})
		if left := read(); len(left) != 1 || left[0].Question != "Who is your boss?" {
			t.Errorf("left are %+v", left)
		}
	})
}
