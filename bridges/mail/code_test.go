package mail_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// awaited is a conversation of the AI in which a code is awaited.
func (r *room) awaited() (id, code string) {
	r.t.Helper()
	id = r.open()
	proof := chat.Proof{SessionID: id}
	code = proof.Begin(ana, "d", chat.Now())
	r.keep(proof)
	return id, code
}

func (r *room) keep(proof chat.Proof) {
	r.t.Helper()
	if err := r.Store.Apply(r.t.Context(), func(tx chat.Tx) error { return tx.PutProof(&proof) }); err != nil {
		r.t.Fatal(err)
	}
}

func (r *room) proof(id string) (proof chat.Proof, mails []chat.ReceivedMail) {
	r.t.Helper()
	err := r.Store.Read(r.t.Context(), func(rd chat.Reader) (err error) {
		if proof, err = rd.Proof(id); err == nil {
			mails, err = rd.ReceivedMails(id, 9)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return proof, mails
}

var answering = map[string]chat.Raw{"aiMode": chat.Raw(`"answer"`), "aiBaseUrl": chat.Raw(`"https://model.example/v1"`), "aiModel": chat.Raw(`"m"`), "aiApiKey": chat.Raw(`"k"`)}

// TestCodeByMail: a code that comes as an answer to an e-mail proves the address, and nobody reads it, neither in the
// message nor in all of the e-mail that is kept.
func TestCodeByMail(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRoom(t, d, answering)
		id, code := r.awaited()
		r.box.Put(r.letter(id, "1", "It is "+code+".\n\nOn Sat, Nov 28, 2026 at 10:12 AM Shop <chat@shop.example> wrote:\n\n> "+code+" is your code, order 300512.\n"))
		r.counted(1)
		proof, mails := r.proof(id)
		if proof.Proved(chat.Now()) != ana {
			t.Errorf("it is %s after %d tries", proof.State, proof.Tries)
		}
		if text := strings.Join(r.messages(id), "|"); !strings.Contains(text, "It is ••••••.") || strings.Contains(text, code) {
			t.Errorf("people read %q", text)
		}
		if len(mails) != 1 || strings.Contains(mails[0].Text, code) || !strings.Contains(mails[0].Text, "300512") {
			t.Errorf("kept is %+v", mails)
		}
	})
}

// TestAnswerToCode: an answer to an e-mail with a code reaches nobody, whatever it names and quotes.
func TestAnswerToCode(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), map[string]chat.Raw{"mailInbox": chat.Raw("true")})
	id := r.open()
	err := mail.SendCode(t.Context(), r.Settings().Mail(), nil, base, &mail.CodeLetter{To: ana, Code: "123456", Name: "Shop", Language: "en",
		Thread: threads.Code(chat.NewID()), Answered: true})
	if err != nil {
		t.Fatal(err)
	}
	sent := r.arrived(1)[0]
	reply, named := strings.Trim(sent.Header.Get("Reply-To"), "<>"), sent.Header.Get("Message-ID")
	for i, to := range []string{"To: " + reply, "To: chat@shop.example\nIn-Reply-To: " + named, "To: " + r.address(id) + "\nReferences: <x@customer.example> " + named} {
		r.box.Put("From: " + ana + "\n" + to + "\nSubject: Re: Your code\nMessage-ID: <c" + string(rune('0'+i)) + "@customer.example>\n\nThanks!\n\n> 123456 is your code.\n")
	}
	if counts := r.counted(3); counts["other"] != 3 {
		t.Errorf("they are %v", counts)
	}
	if seen, all := r.box.Seen(); seen != 3 || all != 3 {
		t.Errorf("%d of %d are marked", seen, all)
	}
	all := 0
	err = r.Store.Read(t.Context(), func(rd chat.Reader) error {
		list, err := rd.Messages(chat.MessageQuery{SessionID: id, Limit: 9})
		all = len(list)
		return err
	})
	if err != nil || all != 1 || !strings.Contains(reply, "@shop.example") {
		t.Errorf("%d messages, to %q, %v", all, reply, err)
	}
	r.box.Put("From: " + ana + "\nTo: chat@shop.example\nSubject: Hello\nMessage-ID: <o@customer.example>\n\nAnother one.\n")
	if counts := r.counted(4); counts["taken"] != 1 {
		t.Errorf("an e-mail that answers nothing is %v", counts)
	}
}
