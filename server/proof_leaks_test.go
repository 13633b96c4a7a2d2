package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// awaited is a visitor who was sent a code.
func (p *proving) awaited(customer string) (v boundSession, code string) {
	p.t.Helper()
	p.model.Script(wants("order_mine", `{"order":"4711"}`))
	v = p.visitor(customer)
	p.ask(v, "Where is my order 4711?")
	p.says(v, askedForAddress, 1)
	code = p.code(v, "Ana@customer.example")
	p.says(v, "an e-mail with a six-digit code is on its way", 1)
	return v, code
}

// proof is how it stands with the proof of a visitor.
func (p *proving) proof(v boundSession) (proof chat.Proof) {
	p.t.Helper()
	if err := p.Store.Read(p.t.Context(), func(r chat.Reader) (err error) { proof, err = r.Proof(v.id); return err }); err != nil {
		p.t.Fatal(err)
	}
	return proof
}

// TestProofLeavesNumbers: while a code is awaited, other numbers stay, and where a person answers, all.
func TestProofLeavesNumbers(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, code := p.awaited("")
		const numbers = "555-123-4567, it was 2026-01-15 and 04.2024"
		p.ask(v, numbers)
		p.reads(v, numbers)
		if proof := p.proof(v); proof.Tries != 0 {
			t.Errorf("%d tries", proof.Tries)
		}
		p.answers(v, "Hi, a person here. Which order?")
		p.ask(v, "300512")
		p.reads(v, "300512")
		if proof := p.proof(v); proof.State != chat.ProofOver || proof.Code != "" {
			t.Errorf("where a person answers, a code can still prove something: %s", proof.State)
		}
		p.ask(v, code)
		if proof := p.proof(v); proof.Proved(chat.Now()) != "" {
			t.Error("an ended code proves an address")
		}
	})
}

// TestProofLate: a code whose time is over is told so once, and nothing is taken out of what is said.
func TestProofLate(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, code := p.awaited("")
		err := p.Store.Apply(t.Context(), func(tx chat.Tx) error {
			proof, err := tx.Proof(v.id)
			if err != nil {
				return err
			}
			proof.SentAt = proof.SentAt.Add(-chat.CodeLife)
			return tx.PutProof(&proof)
		})
		if err != nil {
			t.Fatal(err)
		}
		p.ask(v, code)
		p.says(v, "no longer valid", 1)
		p.reads(v, code)
		p.ask(v, "My order is 300512, where is it?")
		p.says(v, askedForAddress, 2)
		p.reads(v, "300512")
		if n := strings.Count(p.seen(v), "no longer valid"); n != 1 {
			t.Errorf("it is told %d times", n)
		}
	})
}

// TestProofByEdit: an edit is read by others as little as a message, and is tried like one.
func TestProofByEdit(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, code := p.awaited("")
		first := p.must("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, "X-Session-Token", v.token).first("messages", "id")
		p.must("PATCH", "/api/widget/messages/"+first, publicKey, object{"sessionId": v.id, "content": "I mean " + code}, "X-Session-Token", v.token)
		p.secret(v, code)
		if proof := p.proof(v); proof.Proved(chat.Now()) != "ana@customer.example" {
			t.Errorf("it is %s", proof.State)
		}
	})
}

// TestProofInDraft: operators see no digits of what is being written while a code is awaited.
func TestProofInDraft(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, code := p.awaited("")
		p.must("PATCH", "/api/admin/settings", secretKey, object{"typingPreview": true})
		_, ada := p.someOf("Ada", chat.RoleOperator, "main")
		p.must("POST", "/api/admin/operator/activity", "", object{"ago": 0, "viewing": v.id}, "Cookie", ada)
		next := p.stream("/api/admin/stream", "", "Cookie", ada)
		draft := func() string {
			for {
				if f := next(); f.event == "visitor_draft" {
					return f.get("text").(string)
				}
			}
		}
		write := func(text string) string {
			p.must("POST", "/api/widget/typing", publicKey, object{"sessionId": v.id, "text": text}, "X-Session-Token", v.token)
			return draft()
		}
		if got := write("It is " + code[:5]); got != "It is •••••" {
			t.Errorf("operators see %q", got)
		}
		p.ask(v, code)
		p.says(v, "Your order is shipped.", 1)
		if got := write("And order 4712?"); got != "And order 4712?" {
			t.Errorf("operators see %q", got)
		}
	})
}

// TestProofOfAnother: what one person proved is nothing that another one did.
func TestProofOfAnother(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, code := p.awaited("ana")
		p.ask(v, code)
		p.says(v, "Your order is shipped.", 1)
		p.model.Script(wants("cancel", `{"order":"4711"}`))
		p.ask(v, "Cancel it.")
		p.reads(v, "Nothing is done yet.")
		identify := func(identity object, hash string) {
			p.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": identity, "userHash": hash}, "X-Session-Token", v.token)
		}
		identify(object{"id": "ana", "name": "Ana"}, userHash("ana"))
		if proof := p.proof(v); proof.Proved(chat.Now()) != "ana@customer.example" {
			t.Errorf("who is there still has proved nothing: %s", proof.State)
		}
		identify(object{"id": "ben"}, userHash("ben"))
		if proof := p.proof(v); proof.State != "" || proof.Email != "" || proof.Sends != 1 {
			t.Errorf("behind another person it is %+v", proof)
		}
		p.yes(v, "!yes")
		p.reads(v, "somebody else is in the conversation now")
		v, code = p.awaited("ana")
		p.ask(v, code)
		p.says(v, "Your order is shipped.", 1)
		identify(object{"id": "ben"}, userHash("ben"))
		p.ask(v, "Where is my order 4711?")
		p.says(v, askedForAddress, 2)
		if list := p.requests(); len(list) != 2 {
			t.Errorf("the shop got %q", list)
		}
	})
}

// TestProofByOtherAddress: a website that says who is there by addresses alone names another person, too.
func TestProofByOtherAddress(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, code := p.awaited("")
		identify := func(email string) {
			p.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"email": email}}, "X-Session-Token", v.token)
		}
		identify("typo@customer.example")
		p.ask(v, code)
		p.says(v, "Your order is shipped.", 1)
		identify("ana@customer.example")
		if proof := p.proof(v); proof.State != chat.ProofDone {
			t.Errorf("by the proved address it is %s", proof.State)
		}
		identify("ben@customer.example")
		if proof := p.proof(v); proof.State != "" {
			t.Errorf("by another address it is %s", proof.State)
		}
	})
}

// TestProofExported: what a visitor proved is in the export, without what could prove it.
func TestProofExported(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		v, _ := p.awaited("")
		proof := p.proof(v)
		file := unzip(t, p.must("GET", "/api/admin/visitors/export?visitor="+v.id, secretKey, nil).body)["sessions/"+v.id+"/proof.json"]
		for _, part := range []string{`"email": "ana@customer.example"`, `"state": "sent"`, `4711`, `"sends": 1`} {
			if !strings.Contains(file, part) {
				t.Errorf("the export has %q, which lacks %s", file, part)
			}
		}
		if strings.Contains(file, proof.Code) || strings.Contains(file, proof.Claim) {
			t.Errorf("the export has %s", file)
		}
	})
}

// TestProofLimitAtOnce: an address gets five codes a day also if many conversations ask at once, and who is refused
// takes none of the day's from others.
func TestProofLimitAtOnce(t *testing.T) {
	eachProving(t, func(t *testing.T, p *proving) {
		p.model.Script(wants("order_mine", `{"order":"4711"}`))
		var list []boundSession
		for range 9 {
			v := p.visitor("")
			p.ask(v, "Where is my order 4711?")
			list = append(list, v)
		}
		for _, v := range list {
			p.says(v, askedForAddress, 1)
		}
		before := len(p.post.Letters())
		for _, v := range list {
			p.ask(v, "ben@customer.example")
		}
		for _, v := range list {
			p.until("it is told", v, func() bool {
				return strings.Contains(p.seen(v), "code is on its way") || strings.Contains(p.seen(v), "No more codes")
			})
		}
		if n := len(p.post.Letters()) - before; n != chat.CodesADay {
			t.Errorf("%d codes are sent", n)
		}
		p.code(p.askedFor(), "eve@customer.example")
	})
}

// askedFor is a visitor who is asked for an address.
func (p *proving) askedFor() boundSession {
	p.t.Helper()
	v := p.visitor("")
	p.ask(v, "Where is my order 4711?")
	p.says(v, askedForAddress, 1)
	return v
}
