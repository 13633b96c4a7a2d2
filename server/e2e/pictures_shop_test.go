//go:build pictures

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// shopTalk are the conversations that the pictures show.
var shopTalk = []struct {
	id, name string
	ago      time.Duration
	said     []string // by the visitor and Ada in turns
	note     string
}{
	{id: "c-1017", name: "Tom Becker", ago: 47 * time.Minute, said: []string{
		"Is the night colour back in stock next week?", "Yes, on Tuesday. Shall I put one aside?", "Please do!"}},
	{id: "c-1038", name: "Chiara Conti", ago: 26 * time.Minute, said: []string{
		"How long does delivery to Milan take?", "Delivery is free and takes 2–3 working days."}},
	{id: "c-1041", name: "Jonas Reiter", ago: 9 * time.Minute, said: []string{"Can I return the lamp if it does not fit my shelf?"}},
	{id: "c-1042", name: "Maya Lindqvist", ago: 3 * time.Minute, said: []string{
		"Hi! Does the Aro lamp dim far enough for a bedroom?", "It does: a long touch takes it down to candlelight.",
		"Lovely. And how long is delivery to Bergen?", "2–3 working days, and it is free.", "Great, I’ll take the sage one.",
	}, note: "Promised her the care card for sage."},
}

// shopAnswers are what the shop is asked again and again; its AI knows them too.
var shopAnswers = []struct{ question, about, answer string }{
	{"How long does delivery take?", "Delivery", "Delivery is free and takes 2–3 working days."},
	{"Can I return the lamp?", "Returns", "Yes, returns are free for 60 days."},
	{"Which bulb does the lamp need?", "Bulbs", "An E14 bulb; a warm one is included."},
}

// openShop starts a relay with a month of conversations behind it.
func openShop(t *testing.T, browser context.Context) *fixture {
	s := &fixture{bootIn(t, t.TempDir(), "RATE_LIMIT=false"), browser}
	ada := s.newOperator(t, "Ada")
	times := map[string]chat.Time{}
	for day := range 29 {
		for n := range []int{3, 1, 4, 2, 5, 3, 6, 2, 4, 1, 3}[day%11] {
			qa := shopAnswers[(day+n*2)%len(shopAnswers)]
			session := s.talk(ada, fmt.Sprintf("c-%d", day*10+n), "", qa.question, qa.answer)
			if n%2 == 0 {
				rating := map[string]any{"sessionId": session, "score": 5 - day%2}
				s.call(t, http.MethodPost, s.base+"/api/widget/csat", s.public, rating, nil)
			}
			s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+session+"/close", s.secret, map[string]any{}, nil)
			times[session] = chat.TimeOf(pictureTime.Add(-time.Duration(24*(day+1)-(n*5)%8) * time.Hour))
		}
	}
	for _, talk := range shopTalk {
		session := s.talk(ada, talk.id, talk.name, talk.said...)
		if talk.note != "" {
			ada.answer(session, talk.note, true)
		}
		times[session] = chat.TimeOf(time.Now().Add(-talk.ago))
	}
	s.stop()
	moveTimes(t, filepath.Join(s.dir, "relay.db"), times)
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "AI_BASE_URL="+aitest.New(t, shopModel).Listen(),
		"AI_MODEL=gpt-4o-mini", "AI_MODE=off", "AI_TOKEN_PRICE=0.60 €")
	for _, qa := range shopAnswers {
		s.call(t, http.MethodPost, s.base+"/api/admin/knowledge", s.secret, map[string]any{"title": qa.about, "text": qa.answer}, nil)
	}
	return s
}

// shopModel answers what the shop's answers say, and hands over the rest.
func shopModel(r aitest.Request) aitest.Answer {
	for _, qa := range shopAnswers {
		if strings.Contains(r.Raw[max(0, len(r.Raw)-600):], qa.question) {
			return aitest.Answer{Text: qa.answer + " [0]", Tokens: 240}
		}
	}
	return aitest.Answer{Text: "HANDOVER unsure", Tokens: 220}
}

// talk lets a visitor and the operator of a console write in turns.
func (s *fixture) talk(operator *tab, id, name string, said ...string) (session string) {
	operator.Helper()
	widget := func(call string, body map[string]any, answer any) {
		if code := s.call(operator.T, http.MethodPost, s.base+"/api/widget/"+call, s.public, body, answer); code != http.StatusOK {
			operator.Fatalf("%s answers %d", call, code)
		}
	}
	var opened struct{ SessionID string }
	widget("init", map[string]any{"visitorId": id, "url": "https://halden-loft.example/lamps/aro"}, &opened)
	identity := map[string]any{"id": id}
	if name != "" {
		identity["name"], identity["email"] = name, strings.ToLower(strings.Fields(name)[0])+"@mail.example"
	}
	widget("identify", map[string]any{"sessionId": opened.SessionID, "identity": identity}, nil)
	for i, text := range said {
		if i%2 == 1 {
			operator.answer(opened.SessionID, text, false)
		} else {
			widget("messages", map[string]any{"sessionId": opened.SessionID, "content": text}, nil)
		}
	}
	return opened.SessionID
}

// answer writes a message or a note as the console does.
func (b *tab) answer(session, text string, note bool) {
	b.Helper()
	b.run(fmt.Sprintf(`fetch("/api/admin/sessions/%s/messages", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({content: %q, internal: %v})}).then((r) => { if (!r.ok) throw Error(r.status); })`, session, text, note))
}

// moveTimes lets conversations have begun at other times, while relay does not run.
func moveTimes(t *testing.T, file string, times map[string]chat.Time) {
	t.Helper()
	store, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for session, begun := range times {
		answered := begun.Add(time.Minute)
		if begun < chat.TimeOf(pictureTime) { // long ago, at hours that are the same in every run
			answered = begun.Add(time.Duration(2+int64(begun)/time.Hour.Milliseconds()%9) * time.Minute)
		}
		for _, change := range []string{
			`UPDATE messages AS m SET created_at =
				CASE (SELECT COUNT(*) FROM messages e WHERE e.session = m.session AND e.seq < m.seq) WHEN 0 THEN ?1
				ELSE ?2 + 20000 * (SELECT COUNT(*) - 1 FROM messages e WHERE e.session = m.session AND e.seq < m.seq) END
				WHERE session = (SELECT number FROM sessions WHERE id = ?3)`,
			`UPDATE timeline SET at = ?2 + ?1 * 0 WHERE session = (SELECT number FROM sessions WHERE id = ?3)`,
			`UPDATE sessions SET created_at = ?1, started_at = ?1, last_activity = ?2, answered_at = min(answered_at, ?2),
				waiting_since = min(waiting_since, ?1), listed_at = min(listed_at, ?2), csat_responded_at = min(csat_responded_at, ?2)
				WHERE id = ?3`,
		} {
			if _, err := store.ExecContext(t.Context(), change, int64(begun), int64(answered), session); err != nil {
				t.Fatal(err)
			}
		}
	}
}
