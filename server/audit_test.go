package server_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// audited says of every route of the API that is not for reading which actions the audit
// list gets from it; "-" and a reason when none.
var audited = map[string]string{
	"PATCH /api/admin/settings":                                 chat.AuditSettingsChanged,
	"POST /api/admin/sites":                                     chat.AuditSiteAdded,
	"PATCH /api/admin/sites/{site}":                             chat.AuditSiteChanged,
	"DELETE /api/admin/sites/{site}":                            chat.AuditSiteErased,
	"POST /api/admin/sites/{site}/key":                          chat.AuditKeyRotated,
	"PATCH /api/admin/sites/{site}/settings":                    chat.AuditSettingsChanged,
	"POST /mcp":                                                 "- what its tools do is done by the other routes",
	"POST /api/admin/sessions":                                  "- the message says who wrote it", // and what a key does is listed
	"PATCH /api/admin/sessions/{session}":                       "- the conversation's timeline says who assigned, tagged or snoozed it",
	"POST /api/admin/session-changes":                           "- each conversation's timeline says who did it", // and what a key does is listed
	"POST /api/admin/live-visitors/{visitor}/messages":          "- the message says who wrote it",                // and what a key does is listed
	"DELETE /api/admin/sessions/{session}":                      chat.AuditErased,
	"POST /api/admin/sessions/{session}/messages":               "- the message says who wrote it",
	"PATCH /api/admin/sessions/{session}/messages/{id}":         chat.AuditMessageEdited,
	"DELETE /api/admin/sessions/{session}/messages/{id}":        chat.AuditMessageDeleted,
	"POST /api/admin/sessions/{session}/next":                   "- the message says who wrote it",
	"POST /api/admin/sessions/{session}/merge":                  chat.AuditMerged,
	"DELETE /api/admin/sessions/{session}/merge":                chat.AuditSeparated,
	"POST /api/admin/sessions/{session}/attachments":            "- it is part of a message",
	"POST /api/admin/sessions/{session}/commands":               chat.AuditBlocked, // others are in the timeline
	"POST /api/admin/sessions/{session}/close":                  "- in the timeline",
	"POST /api/admin/sessions/{session}/reopen":                 "- in the timeline",
	"POST /api/admin/sessions/{session}/block":                  chat.AuditBlocked,
	"POST /api/admin/sessions/{session}/unblock":                chat.AuditUnblocked,
	"POST /api/admin/sessions/{session}/read":                   "- it changes nothing but a count",
	"POST /api/admin/sessions/{session}/unread":                 "- it changes nothing but a count",
	"POST /api/admin/sessions/{session}/typing":                 "- nothing is stored",
	"POST /api/admin/sessions/{session}/transcript":             chat.AuditExported,
	"POST /api/admin/sessions/{session}/csat":                   "- in the timeline",
	"POST /api/admin/sessions/{session}/events":                 "- in the timeline",
	"POST /api/admin/operator/status":                           "- it says who is there now, and is over soon",
	"POST /api/admin/operator/activity":                         "- nothing is stored",
	"POST /api/admin/bridges/{name}/test":                       "- nothing is changed",
	"POST /api/admin/bridges/{name}/connect":                    chat.AuditChannelConnected,
	"DELETE /api/admin/bridges/{name}":                          chat.AuditChannelDisconnected,
	"POST /api/admin/widget/look":                               "- nothing is changed",
	"POST /api/admin/deliveries/discard":                        chat.AuditDeliveryDiscarded,
	"POST /api/admin/deliveries/{id}/discard":                   chat.AuditDeliveryDiscarded,
	"POST /api/admin/deliveries/retry":                          chat.AuditDeliveryRetried,
	"POST /api/admin/deliveries/{id}/retry":                     chat.AuditDeliveryRetried,
	"POST /api/admin/hooks":                                     chat.AuditHookAdded,
	"PATCH /api/admin/hooks/{hook}":                             chat.AuditHookChanged,
	"DELETE /api/admin/hooks/{hook}":                            chat.AuditHookEnded,
	"POST /api/admin/hooks/{hook}/test":                         "- nothing is changed",
	"POST /api/admin/hooks/{hook}/deliveries/{id}":              chat.AuditDeliveryRetried,
	"POST /api/admin/incoming-hooks":                            chat.AuditHookAdded,
	"PATCH /api/admin/incoming-hooks/{hook}":                    chat.AuditHookChanged,
	"DELETE /api/admin/incoming-hooks/{hook}":                   chat.AuditHookEnded,
	"POST /api/admin/incoming-hooks/{hook}/token":               chat.AuditHookChanged,
	"POST /api/admin/webhooks/test":                             "- nothing is changed",
	"PUT /api/admin/saved-answers/{name}":                       chat.AuditAnswerSaved,
	"DELETE /api/admin/saved-answers/{name}":                    chat.AuditAnswerRemoved,
	"POST /api/admin/ai/ask":                                    "- nothing is changed",
	"POST /api/admin/ai/rehearsal":                              chat.AuditAIRehearsed,
	"DELETE /api/admin/ai/rehearsal":                            chat.AuditAIRehearsed,
	"PATCH /api/admin/ai/rehearsal/{id}":                        chat.AuditAIJudged,
	"PATCH /api/admin/ai/topics/{id}":                           chat.AuditAITopic,
	"POST /api/admin/ai/actions":                                chat.AuditAIAction,
	"PATCH /api/admin/ai/actions/{id}":                          chat.AuditAIAction,
	"DELETE /api/admin/ai/actions/{id}":                         chat.AuditAIAction,
	"POST /api/admin/ai/actions/{id}/try":                       chat.AuditAIAction,
	"POST /api/admin/ai/operations":                             "- nothing is changed",
	"POST /api/admin/ai/acts/{id}":                              chat.AuditAIAct,
	"POST /api/admin/ai/private-host":                           chat.AuditSettingsChanged,
	"POST /api/admin/ai/test":                                   "- nothing is changed",
	"POST /api/admin/mail/test":                                 "- nothing is changed",
	"POST /api/admin/mail/round-trip":                           "- nothing is changed",
	"POST /api/admin/sign-on/test":                              "- nothing is changed",
	"POST /api/admin/mail/consent":                              "- nothing is changed",
	"POST /api/admin/mail/consent/redeem":                       chat.AuditSettingsChanged,
	"POST /api/admin/knowledge":                                 chat.AuditKnowledgeAdded,
	"POST /api/admin/knowledge/files":                           chat.AuditKnowledgeAdded,
	"DELETE /api/admin/knowledge/questions/{id}":                chat.AuditQuestionRemoved,
	"POST /api/admin/knowledge/questions/{id}/answer":           chat.AuditKnowledgeAdded,
	"PATCH /api/admin/knowledge/sources/{id}":                   chat.AuditKnowledgeMoved,
	"DELETE /api/admin/knowledge/sources/{id}":                  chat.AuditKnowledgeRemoved,
	"POST /api/admin/knowledge/sources/{id}/refresh":            chat.AuditKnowledgeRefreshed,
	"POST /api/admin/system/backups":                            chat.AuditBackupMade,
	"POST /api/admin/site-imports":                              chat.AuditSiteImported,
	"POST /api/admin/push/devices":                              chat.AuditDeviceAdded,
	"DELETE /api/admin/push/devices/{id}":                       chat.AuditDeviceRemoved,
	"POST /api/admin/push/devices/{id}/test":                    "- nothing is changed",
	"DELETE /api/admin/visitors":                                chat.AuditVisitorErased,
	"POST /api/admin/keys/rotate":                               chat.AuditKeyRotated,
	"POST /api/admin/api-keys":                                  chat.AuditKeyMade,
	"DELETE /api/admin/api-keys/{key}":                          chat.AuditKeyEnded,
	"PATCH /api/admin/me":                                       chat.AuditPersonChanged,
	"PUT /api/admin/me/face":                                    chat.AuditPersonChanged,
	"DELETE /api/admin/me/face":                                 chat.AuditPersonChanged,
	"DELETE /api/admin/sign-ins":                                chat.AuditSignInEnded,
	"DELETE /api/admin/sign-ins/{id}":                           chat.AuditSignInEnded,
	"POST /api/admin/passkeys":                                  chat.AuditPasskeyAdded,
	"POST /api/admin/passkey-challenge":                         "- nothing is changed",
	"PATCH /api/admin/passkeys/{id}":                            chat.AuditPasskeyRenamed,
	"DELETE /api/admin/passkeys/{id}":                           chat.AuditPasskeyRemoved,
	"POST /api/admin/two-step":                                  "- nothing is changed before it is confirmed",
	"POST /api/admin/two-step/confirm":                          chat.AuditTwoStepOn,
	"POST /api/admin/two-step/recovery-codes":                   chat.AuditRecoveryCodes,
	"POST /api/admin/two-step/off":                              chat.AuditTwoStepOff,
	"DELETE /api/admin/people/{id}/two-step":                    chat.AuditTwoStepOff,
	"POST /api/admin/people":                                    chat.AuditJoined,
	"PATCH /api/admin/people/{id}":                              chat.AuditPersonChanged,
	"DELETE /api/admin/people/{id}":                             chat.AuditPersonRemoved,
	"POST /api/admin/people/{id}/reset":                         chat.AuditPasswordReset,
	"POST /api/admin/invitations":                               chat.AuditInvited,
	"POST /api/admin/invitations/{id}/mail":                     chat.AuditInvited,
	"DELETE /api/admin/invitations/{id}":                        chat.AuditInvitationRemoved,
	"PATCH /api/admin/sessions/{session}/contact":               chat.AuditContactChanged,
	"POST /api/admin/sessions/{session}/contact/notes":          "- the note says who wrote it",
	"DELETE /api/admin/sessions/{session}/contact/notes/{note}": chat.AuditContactChanged,
}

// TestEveryChangeIsAudited: no route that changes something is forgotten.
func TestEveryChangeIsAudited(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	routes := s.server.Routes()
	for _, rt := range routes {
		method, path, _ := strings.Cut(rt, " ")
		if strings.HasPrefix(path, "/api/admin/") && method != "GET" && audited[rt] == "" {
			t.Errorf("%s changes something: say what the audit list gets from it, or why nothing", rt)
		}
	}
	for rt := range audited {
		if !slices.Contains(routes, rt) {
			t.Errorf("%s is no route", rt)
		}
	}
}

// botToken has the form of a bot's token.
const botToken = "7000000001:AAcanary-Token_that_is_seen_nowhere"

// oneGroup is the set-up of a platform on which the bot is in one group.
type oneGroup struct{}

func (oneGroup) Bot(context.Context) (name, link string, found []chat.Finding) {
	return "@support_bot", "", nil
}

func (oneGroup) Places(context.Context) ([]chat.Place, error) {
	return []chat.Place{{ID: "-1001234567890", Name: "Support"}}, nil
}

func (oneGroup) At(_ context.Context, id string) (chat.Place, error) {
	return chat.Place{ID: id, Name: "Support"}, nil
}

func (oneGroup) Enter(context.Context, string) error { return nil }

// TestAuditEntries: what a person changes is in the list, once, with who and what, and
// without secrets.
func TestAuditEntries(t *testing.T) {
	kinds := bridges.Kinds(bridges.Env{Log: discard})
	kinds[slices.IndexFunc(kinds, func(k bridges.Kind) bool { return k.Name == "telegram" })].Setup = func(*chat.Settings) (bridges.Setup, error) { return oneGroup{}, nil }
	s := newSiteWith(t, dbtest.Memory(t), kinds, withPasskeys)
	cookie := s.cookieOf("Ada", chat.RoleAdministrator)
	session := s.open("v")
	done := map[string]int{}
	// change makes a request of a route and expects one more entry.
	change := func(rt, path string, body any, about string) answer {
		t.Helper()
		method, _, _ := strings.Cut(rt, " ")
		a := s.must(method, path, "", body, "Cookie", cookie)
		s.noted(rt, about, done)
		return a
	}
	change("PATCH /api/admin/settings", "/api/admin/settings", object{"operatorName": "Support team"}, "operatorName")
	change("POST /api/admin/sessions/{session}/commands", "/api/admin/sessions/"+session+"/commands", object{"command": "!block"}, session)
	change("POST /api/admin/bridges/{name}/connect", "/api/admin/bridges/telegram/connect", object{"token": botToken}, "telegram")
	change("DELETE /api/admin/bridges/{name}", "/api/admin/bridges/telegram", nil, "telegram")
	s.failedDeliveries("telegram", 1, 3)
	failed := s.must("GET", "/api/admin/deliveries", secretKey, nil).get("deliveries").([]any)
	one := func(n int) string { return failed[n].(map[string]any)["id"].(string) }
	change("POST /api/admin/deliveries/{id}/discard", "/api/admin/deliveries/"+one(0)+"/discard", nil, one(0))
	change("POST /api/admin/deliveries/{id}/retry", "/api/admin/deliveries/"+one(1)+"/retry", nil, one(1))
	change("POST /api/admin/deliveries/retry", "/api/admin/deliveries/retry", object{"dest": "telegram"}, "telegram")
	s.failedDeliveries("telegram", 1, 3)
	change("POST /api/admin/deliveries/discard", "/api/admin/deliveries/discard", object{"dest": "telegram"}, "telegram")
	change("PUT /api/admin/saved-answers/{name}", "/api/admin/saved-answers/hours", object{"content": "We open at nine."}, "hours")
	change("DELETE /api/admin/saved-answers/{name}", "/api/admin/saved-answers/hours", nil, "hours")
	added := change("POST /api/admin/knowledge", knowledgePath, object{"title": "Opening hours", "text": "We open at nine."}, "Opening hours").text("id")
	pages := s.must("POST", knowledgePath, secretKey, object{"url": "https://shop.example.com/help"}).text("id")
	done[chat.AuditKnowledgeAdded]++
	change("POST /api/admin/knowledge/sources/{id}/refresh", knowledgePath+"/sources/"+pages+"/refresh", nil, "https://shop.example.com/help")
	change("PATCH /api/admin/knowledge/sources/{id}", knowledgePath+"/sources/"+added, object{"site": nil}, added)
	change("DELETE /api/admin/knowledge/sources/{id}", knowledgePath+"/sources/"+added, nil, added)
	for _, q := range []string{"Is my IBAN DE02120300000000202051 right?", "Who is your boss?"} {
		if err := s.knowledge.Unanswered(t.Context(), chat.Question{SessionID: session, Question: q}); err != nil {
			t.Fatal(err)
		}
	}
	questions := s.must("GET", knowledgePath+"/questions", secretKey, nil).get("questions").([]any)
	open := func(n int) string { return questions[n].(map[string]any)["id"].(string) }
	change("DELETE /api/admin/knowledge/questions/{id}", knowledgePath+"/questions/"+open(0), nil, open(0))
	change("POST /api/admin/knowledge/questions/{id}/answer", knowledgePath+"/questions/"+open(1)+"/answer", object{"text": "Ada."}, "text")
	device := s.subscribe("phone", cookie)
	s.noted("POST /api/admin/push/devices", "phone", done)
	change("DELETE /api/admin/push/devices/{id}", "/api/admin/push/devices/"+device, nil, device)
	change("PATCH /api/admin/me", "/api/admin/me", object{"name": "Ada Lovelace"}, "was Ada")
	change("DELETE /api/admin/me/face", "/api/admin/me/face", nil, "picture")
	s.added(s.addKey(newDevice(t), "Laptop", cookie))
	s.noted("POST /api/admin/passkeys", "Laptop", done)
	key := s.must("GET", "/api/admin/passkeys", "", nil, "Cookie", cookie).get("passkeys").([]any)[0].(map[string]any)["id"].(string)
	change("PATCH /api/admin/passkeys/{id}", "/api/admin/passkeys/"+key, object{"name": "Old laptop"}, "to Old laptop")
	change("DELETE /api/admin/passkeys/{id}", "/api/admin/passkeys/"+key, nil, "Old laptop")
	list := string(s.must("GET", "/api/admin/audit?limit=100", secretKey, nil).body)
	for _, secret := range []string{botToken, "push.example.com", "DE0212", "boss"} {
		if strings.Contains(list, secret) {
			t.Errorf("the audit list has %q", secret)
		}
	}
}

// noted expects one more entry of a route's action, the newest of which is about something.
func (s *site) noted(rt, about string, before map[string]int) {
	s.t.Helper()
	action := audited[rt]
	entries, _ := s.must("GET", "/api/admin/audit?limit=100&action="+action, secretKey, nil).get("entries").([]any)
	before[action]++
	if len(entries) != before[action] {
		s.t.Errorf("after %s there are %d entries of %s, want %d", rt, len(entries), action, before[action])
		return
	}
	e := entries[0].(map[string]any)
	if text := fmt.Sprint(e["target"], " ", e["detail"]); !strings.Contains(text, about) || e["personId"] == nil {
		s.t.Errorf("%s is recorded as %v, want something about %q", rt, e, about)
	}
}

// TestAuditHasWords: the console and the API's description know every action.
func TestAuditHasWords(t *testing.T) {
	source, console, api := read(t, "chat/audit.go"), read(t, "../assets/console/settings/team/audit.ts"), read(t, "../schema/openapi.yaml")
	actions := regexp.MustCompile(`(?m)^\tAudit\w+ += "(\w+)"$`).FindAllStringSubmatch(source, -1)
	if len(actions) < 30 {
		t.Fatalf("only %d actions are found", len(actions))
	}
	for _, a := range actions {
		if !strings.Contains(console, a[1]+": tr(\"") {
			t.Errorf("the console has no words for %s", a[1])
		}
		if !strings.Contains(api, "`"+a[1]+"`") {
			t.Errorf("openapi.yaml does not name %s", a[1])
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
