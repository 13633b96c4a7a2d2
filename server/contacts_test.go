package server_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// contactIDs returns the ids of a contact's conversations, or of others' claims, in order.
func contactIDs(a answer, list string) (ids []string) {
	for _, c := range a.get(list).([]any) {
		ids = append(ids, c.(map[string]any)["id"].(string))
	}
	slices.Sort(ids)
	return ids
}

// TestContactIsOnePerson: conversations are joined by a verified identity and within a browser,
// never by what visitors merely say, and never across websites.
func TestContactIsOnePerson(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := object{"id": "ada-1", "email": "ada@shop.example"}
		verified := func(v boundSession, id string) {
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": id, "email": strings.TrimSuffix(id, "-1") + "@shop.example"}, "userHash": userHash(id)}, "X-Session-Token", v.token)
		}
		phone, laptop, stranger, shared := s.bound("a", ""), s.bound("b", ""), s.bound("a", ""), s.bound("c", "")
		for _, v := range []boundSession{phone, laptop, shared} {
			s.says(v, object{"name": "Ada"})
			verified(v, "ada-1")
		}
		s.says(stranger, ada) // who knows her id and her address, and has proved nothing
		before := s.bound("a", phone.token)
		s.says(before, object{"name": "A."}) // in her browser, without an identity
		bob, either := s.bound("c", shared.token), s.bound("c", shared.token)
		s.says(bob, object{"name": "Bob"})
		verified(bob, "bob-1")
		s.says(either, object{"name": "?"}) // in a browser that two people share
		s.bound("a", phone.token)           // nothing was said there
		s.openAt(s.addSite("Other"), "a")

		contact := func(v boundSession) answer {
			return s.must("GET", "/api/admin/sessions/"+v.id+"/contact", secretKey, nil)
		}
		for _, c := range []struct {
			of           boundSession
			same, claims []string
			verified     bool
		}{
			{phone, sorted(phone, laptop, shared, before), sorted(stranger), true},
			{before, sorted(phone, laptop, shared, before), sorted(stranger), true},
			{stranger, sorted(stranger), sorted(phone, laptop, shared), false},
			{bob, sorted(bob), nil, true},
			{either, sorted(either), nil, false},
		} {
			a := contact(c.of)
			got, claims := contactIDs(a, "conversations"), contactIDs(a, "claims")
			if !slices.Equal(got, c.same) || !slices.Equal(claims, c.claims) || a.get("verified") != c.verified {
				t.Errorf("of %s it has %v and %v claim it: %s", c.of.id, got, claims, a.body)
			}
		}
		s.refused(s.call("GET", "/api/admin/sessions/none/contact", secretKey, nil), 404, "Session not found")
	}, identitySecret)
}

// TestContactByVisitorID: without tokens, the visitor's id is whose conversation it is.
func TestContactByVisitorID(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		first := s.open("v1")
		s.say(first, "hello")
		s.must("POST", "/api/admin/sessions/"+first+"/close", secretKey, nil)
		second := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v1", "newSession": true}).text("sessionId")
		s.say(second, "again")
		s.say(s.open("v2"), "somebody else")
		a := s.must("GET", "/api/admin/sessions/"+second+"/contact", secretKey, nil)
		want := []string{first, second}
		slices.Sort(want)
		if got := contactIDs(a, "conversations"); first == second || !slices.Equal(got, want) || a.get("firstSeen") == nil || a.get("lastSeen") == nil {
			t.Errorf("the contact of %v is %s", want, a.body)
		}
	})
}

// TestContactIsWrittenDown: name, fields and notes are the same from each of the person's
// conversations, stay when the browser's visitor proves who it is, are in the list, the audit
// and exports, and go with the person's last conversation.
func TestContactIsWrittenDown(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		v := s.bound("v", "")
		path := "/api/admin/sessions/" + v.id
		s.refused(s.call("PATCH", path+"/contact", secretKey, object{"name": "x"}), 409, "Nothing was said in this conversation yet")
		s.says(v, object{"name": "ada"})
		s.must("PATCH", path+"/contact", secretKey, object{"name": " Ada  Lovelace ", "fields": object{"Company": "Engines", "Plan": "free"}})
		s.must("POST", path+"/contact/notes", secretKey, object{"content": "likes canary-tea", "operatorName": "Olga"})
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": "ada-1"}, "userHash": userHash("ada-1")}, "X-Session-Token", v.token)
		later := s.bound("w", "")
		s.says(later, object{"name": "ada"})
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": later.id, "identity": object{"id": "ada-1"}, "userHash": userHash("ada-1")}, "X-Session-Token", later.token)
		other := "/api/admin/sessions/" + later.id
		a := s.must("GET", other+"/contact", secretKey, nil)
		note, _ := a.get("notes").([]any)[0].(map[string]any)
		if a.text("name") != "Ada Lovelace" || a.text("fields.Company") != "Engines" || note["content"] != "likes canary-tea" || note["authorName"] != "Olga" {
			t.Errorf("from her other device it is %s", a.body)
		}
		a = s.must("PATCH", other+"/contact", secretKey, object{"name": "Countess", "fields": object{"Plan": nil, "Phone": "123"}})
		if a.text("name") != "Countess" || a.text("fields.Company") != "Engines" || a.text("fields.Phone") != "123" || strings.Contains(string(a.body), "Plan") {
			t.Errorf("changed, it is %s", a.body)
		}
		if list := s.must("GET", "/api/admin/sessions", secretKey, nil); strings.Count(string(list.body), `"contactName":"Countess"`) != 2 {
			t.Errorf("the list has %s", list.body)
		}
		entries := string(s.must("GET", "/api/admin/audit?action=contact_changed", secretKey, nil).body)
		if !strings.Contains(entries, `"Company, Plan, name"`) || !strings.Contains(entries, `"Phone, Plan, name"`) || strings.Contains(entries, "Engines") {
			t.Errorf("the audit list has %s", entries)
		}
		if export := s.must("GET", "/api/admin/export", secretKey, nil).body; !bytes.Contains(export, []byte(`{"type":"contact","kind":"person","key":"ada-1","name":"Countess"`)) {
			t.Errorf("the export has %s", export)
		}
		packed := unzipped(t, s.must("GET", "/api/admin/visitors/export?visitor=ada-1", secretKey, nil).body)
		if !bytes.Contains(packed, []byte("Countess")) || !bytes.Contains(packed, []byte("canary-tea")) {
			t.Error("the visitor's export lacks what was written down")
		}
		for _, secret := range []string{string(s.must("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, "X-Session-Token", v.token).body)} {
			if strings.Contains(secret, "canary-tea") || strings.Contains(secret, "Countess") {
				t.Error("the visitor sees it")
			}
		}
		s.must("DELETE", path, secretKey, nil)
		if a := s.must("GET", other+"/contact", secretKey, nil); a.text("name") != "Countess" {
			t.Errorf("with a conversation left it is %s", a.body)
		}
		s.must("DELETE", "/api/admin/visitors?visitor=ada-1", secretKey, nil)
		var left []chat.Contact
		if err := s.Store.Read(t.Context(), func(rd chat.Reader) (err error) {
			left, err = rd.ContactsOfSite("", chat.ContactKey{}, 10)
			return err
		}); err != nil || len(left) != 0 {
			t.Errorf("behind the erasure there is %+v, %v", left, err)
		}
	}, identitySecret)
}

// TestContactIsChecked: what does not fit is refused beside its field, and only the author or
// an administrator deletes a note.
func TestContactIsChecked(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hello")
		path := "/api/admin/sessions/" + id + "/contact"
		many := object{}
		for i := range 31 {
			many[strings.Repeat("x", i+1)] = "y"
		}
		for _, c := range []struct {
			in   object
			want string
		}{
			{object{"name": 5}, "name must be a string"},
			{object{"name": strings.Repeat("x", 101)}, "name must be at most 100 characters"},
			{object{"fields": object{" ": "x"}}, "the name of a field must be 1 to 40 characters"},
			{object{"fields": object{"a": strings.Repeat("x", 1001)}}, "a field must be at most 1000 characters"},
			{object{"fields": many}, "fields must be at most 30"},
		} {
			s.refused(s.call("PATCH", path, secretKey, c.in), 400, c.want)
		}
		s.refused(s.call("POST", path+"/notes", secretKey, object{"content": " "}), 400, "content is required")
		s.refused(s.call("POST", path+"/notes", secretKey, object{"content": strings.Repeat("x", 10_001)}), 400, "content must be at most 10000 characters")
		for range 200 {
			s.must("POST", path+"/notes", secretKey, object{"content": "x"})
		}
		s.refused(s.call("POST", path+"/notes", secretKey, object{"content": "x"}), 409, "There are 200 notes")
		note := s.must("GET", path, secretKey, nil).first("notes", "id")
		if err := s.DropContactNote(t.Context(), chat.Author{Person: "olga", Role: chat.RoleOperator}, id, note); err == nil || !strings.Contains(err.Error(), "Only administrators") {
			t.Errorf("an operator deletes somebody's note: %v", err)
		}
		s.must("DELETE", path+"/notes/"+note, secretKey, nil)
		s.refused(s.call("DELETE", path+"/notes/"+note, secretKey, nil), 404, "Note not found")
	})
}

// TestContactOfManyFields: who had 20 fields in each of two browsers has 40 once both are known to be
// one person's, of which each can be taken away.
func TestContactOfManyFields(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		path := ""
		for _, visitor := range []string{"a", "b"} {
			v := s.bound(visitor, "")
			s.says(v, object{"name": "Ada"})
			fields := object{}
			for i := range 20 {
				fields[fmt.Sprint(visitor, i)] = "x"
			}
			path = "/api/admin/sessions/" + v.id + "/contact"
			s.must("PATCH", path, secretKey, object{"fields": fields})
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": "ada-1"}, "userHash": userHash("ada-1")}, "X-Session-Token", v.token)
		}
		s.must("PATCH", path, secretKey, object{"name": "Ada", "fields": object{"a0": nil, "b0": "y"}})
		s.refused(s.call("PATCH", path, secretKey, object{"fields": object{"a0": "x"}}), 400, "fields must be at most 30")
	}, identitySecret)
}

// TestContactIsWrittenAtOnce: what several operators write down at the same time, from several
// of a person's conversations, is all kept.
func TestContactIsWrittenAtOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		var of []boundSession
		for _, visitor := range []string{"a", "b"} {
			v := s.bound(visitor, "")
			s.says(v, object{"name": "Ada"})
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": "ada-1"}, "userHash": userHash("ada-1")}, "X-Session-Token", v.token)
			of = append(of, v)
		}
		by := chat.Author{Sender: chat.SenderOperator, Name: "Olga"}
		var writing sync.WaitGroup
		for i := range 20 {
			writing.Go(func() {
				id, field := of[i%2].id, fmt.Sprint("Field ", i)
				if err := s.NoteContact(t.Context(), by, id, field); err != nil {
					t.Error(err)
				}
				if _, err := s.ChangeContact(t.Context(), id, chat.ContactChange{Fields: map[string]string{field: "x"}}); err != nil {
					t.Error(err)
				}
			})
		}
		writing.Wait()
		a := s.must("GET", "/api/admin/sessions/"+of[0].id+"/contact", secretKey, nil)
		if notes, fields := a.get("notes").([]any), a.get("fields").(map[string]any); len(notes) != 20 || len(fields) != 20 {
			t.Errorf("%d notes and %d fields of 20 are kept", len(notes), len(fields))
		}
	}, identitySecret)
}
