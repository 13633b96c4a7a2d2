package server_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// answered is a conversation in which the AI has answered.
func (a *acting) answered() boundSession {
	a.t.Helper()
	v := a.visitor("")
	a.ask(v, "How long does shipping take?")
	a.until("an answer", v, func() bool { return strings.Contains(a.seen(v), `"sender":"ai"`) })
	tick()
	return v
}

var ships = aitest.Says(`{"sentences":[{"text":"We ship within 5 days.","passage":1,"quote":"We ship within 5 days.","restated":""}],"handOver":"no","act":{"name":"","arguments":""}}`)

// TestMergeKeepsAsking: who asked for a person waits for one, whatever the AI said, merged, separated and
// merged again; in which of the two the visitor goes on does not matter.
func TestMergeKeepsAsking(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(ships)
		other := a.answered()
		asks := a.answered()
		a.must("POST", "/api/widget/handoff", publicKey, object{"sessionId": asks.id}, "X-Session-Token", asks.token)
		since := a.waitsSince(asks)
		if since == "" {
			t.Fatal("who asks for a person does not wait")
		}
		a.is(asks, "open", 1, since)
		a.merged(other.id, asks.id, asks.id)
		a.is(asks, "open", 1, since)
		a.must("DELETE", mergePath(other.id), secretKey, nil)
		a.is(asks, "open", 1, since)
		a.is(other, "open", 0, "")
		a.merged(other.id, asks.id, asks.id)
		a.must("DELETE", mergePath(asks.id), secretKey, nil)
		a.is(asks, "open", 1, since)
		a.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "off"})
		a.merged(other.id, asks.id, asks.id)
		tick()
		a.ask(other, "Is anybody there?")
		a.is(other, "open", 2, since)
		a.is(asks, "closed", 0, "")
		a.must("DELETE", mergePath(other.id), secretKey, nil)
		a.is(asks, "open", 1, since)
		a.is(other, "open", 1, a.waitsSince(other))
	})
}

// TestMergeAnswerOfAI in another conversation answers nobody who asked for a person in this one.
func TestMergeAnswerOfAI(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(ships)
		asks := a.answered()
		a.must("POST", "/api/widget/handoff", publicKey, object{"sessionId": asks.id}, "X-Session-Token", asks.token)
		since := a.waitsSince(asks)
		tick()
		other := a.answered()
		a.merged(asks.id, other.id, other.id)
		a.is(other, "open", 1, since)
		a.answers(other, "I am a person")
		a.is(other, "open", 0, "")
	})
}

// TestMergeKeepsUnseen: what the AI had not seen when it answered still waits, and so does what somebody
// marked as unread.
func TestMergeKeepsUnseen(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, object{"operatorName": "Team"})
		other := s.talk("ann-desk", "hello")
		s.answers(other, "Hello")
		tick()
		unseen := s.talk("ann-phone", "first")
		seen := s.revision(unseen)
		tick()
		s.writes(unseen, "second")
		out, err := s.Engine.AIAnswer(t.Context(), engine.AIReply{SessionID: unseen.id, ClientID: "turn", Name: "AI", Content: "About the first", Seen: seen, Late: true})
		if err != nil || out != engine.AIStored {
			t.Fatal(out, err)
		}
		since := s.waitsSince(unseen)
		s.is(unseen, "open", 1, since)
		s.merged(other.id, unseen.id, unseen.id)
		s.is(unseen, "open", 1, since)
		tick()
		s.writes(other, "third")
		s.is(other, "open", 2, since)
		s.must("DELETE", mergePath(other.id), secretKey, nil)
		s.is(unseen, "open", 1, since)
		s.is(other, "open", 1, s.waitsSince(other))
		for _, v := range []boundSession{unseen, other} {
			s.answers(v, "Done")
		}
		s.must("POST", "/api/admin/sessions/"+unseen.id+"/unread", secretKey, nil)
		s.merged(unseen.id, other.id, other.id)
		s.is(other, "open", 1, "")
		s.must("DELETE", mergePath(unseen.id), secretKey, nil)
		s.is(other, "open", 1, "")
		s.is(unseen, "open", 0, "")
	})
}

func (s *site) revision(v boundSession) (rev int64) {
	s.t.Helper()
	s.stored(func(tx chat.Tx) error {
		session, err := tx.Session(v.id)
		rev = session.Rev
		return err
	})
	return rev
}

// TestMergeDisprovedWaits: who proves to be somebody else is separated as by hand: each waits again
// by its own messages. What a crash left is done behind the next message.
func TestMergeDisprovedWaits(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.talk("one", "where is my order?")
		first := s.waitsSince(one)
		tick()
		two := s.talk("two", "hello")
		second := s.waitsSince(two)
		s.prove(one, "u-1")
		s.merged(one.id, two.id, two.id)
		s.is(two, "open", 2, first)
		s.prove(two, "u-2")
		s.is(one, "open", 1, first)
		s.is(two, "open", 1, second)
		s.apart(one, two)

		tick()
		three := s.talk("three", "hello")
		s.merged(one.id, three.id, three.id)
		s.stored(func(tx chat.Tx) error { // as when relay stopped right behind the proof
			session, err := tx.Lock(three.id)
			session.Person, session.Verified = "u-3", true
			return errors.Join(err, tx.SaveSession(&session))
		})
		s.writes(one, "still waiting")
		s.is(one, "open", 2, first)
		s.is(three, "open", 1, s.waitsSince(three))
		s.apart(one, three)
	}, identitySecret)
}

// apart checks that conversations are not merged, and that the team may write in each.
func (s *site) apart(all ...boundSession) {
	s.t.Helper()
	for _, v := range all {
		if a := s.sessionOf(v.id); a.get("mergedWith") != nil || a.get("goesOnIn") != nil {
			s.t.Errorf("it is still merged: %s", a.body)
		}
		if a := s.call("POST", "/api/admin/sessions/"+v.id+"/messages", secretKey, object{"content": "a note", "internal": true}); a.status != 200 {
			s.t.Errorf("%d %s", a.status, a.body)
		}
	}
}

// TestMergeErased: once the conversation that goes on is erased, the others go on without it.
func TestMergeErased(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.talk("one", "where is my order?")
		first := s.waitsSince(one)
		tick()
		two := s.talk("two", "hello")
		second := s.waitsSince(two)
		tick()
		three := s.talk("three", "hello again")
		s.merged(one.id, two.id, two.id)
		s.merged(two.id, three.id, three.id)
		s.must("DELETE", "/api/admin/sessions/"+three.id, secretKey, nil)
		s.is(two, "open", 2, first)
		s.is(one, "closed", 0, "")
		s.must("DELETE", "/api/admin/sessions/"+two.id, secretKey, nil)
		s.is(one, "open", 1, first)
		s.apart(one)

		tick()
		four := s.talk("four", "me")
		s.merged(one.id, four.id, four.id)
		s.must("DELETE", "/api/admin/sessions/"+one.id, secretKey, nil)
		s.apart(four)
		if a := s.sessionOf(four.id); a.text("status") != "open" || a.get("unread") == 0.0 || a.get("waitingSince") == nil || second == "" {
			t.Errorf("what went on does not wait any more: %s", a.body)
		}
	})
}

// TestMergeNoLaterConversation: nothing later is begun for one browser of those that are merged.
func TestMergeNoLaterConversation(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.talk("one", "first")
		tick()
		two := s.talk("two", "second")
		s.merged(one.id, two.id, two.id)
		next := "/api/admin/sessions/" + two.id + "/next"
		s.refused(s.call("POST", next, secretKey, object{"content": "Something else"}), 409, "This conversation is merged with another one")
		s.must("DELETE", mergePath(one.id), secretKey, nil)
		s.must("POST", next, secretKey, object{"content": "Something else"})
	})
}
