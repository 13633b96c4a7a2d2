package mail_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mail/incoming"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// asReader makes the tests' program the reader of e-mails.
const asReader = "read-mail"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asReader {
		if err := incoming.Read(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// room is a post whose answers are read.
type room struct {
	*post
	box   *mailtest.Mailbox
	reads *bridges.Mailbox
	stop  func()
}

func newRoom(t *testing.T, store *db.DB, settings map[string]chat.Raw) *room {
	t.Helper()
	box := mailtest.NewMailbox(t)
	r := &room{post: newPost(t, store, map[string]chat.Raw{"imapUrl": chat.MustJSON(box.URL())}, settings), box: box}
	r.read()
	return r
}

// read reads the mailbox until stop, as a relay that has just started.
func (r *room) read() {
	r.t.Helper()
	r.reads = bridges.NewMailbox(r.Engine, bridges.MailboxOptions{Threads: threads, Keys: links{}.Key, Reader: []string{os.Args[0], asReader}, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.reads.Run(ctx) }()
	r.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	}
	r.t.Cleanup(func() { cancel() })
	r.until("the mailbox is opened", func() bool {
		stored := ""
		err := r.Store.Read(r.t.Context(), func(rd chat.Reader) (err error) {
			stored, err = rd.Meta("mailbox")
			return err
		})
		return err == nil && stored != ""
	})
}

func (r *room) until(what string, is func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			state, err := r.reads.State(r.t.Context())
			r.t.Fatalf("%s: never; the mailbox is %+v, %v", what, state, err)
		}
	}
}

// counted waits until so many e-mails were handled, and returns what became of them.
func (r *room) counted(total int) map[string]int {
	r.t.Helper()
	var state chat.MailboxStatus
	r.until(fmt.Sprintf("%d e-mails are handled", total), func() bool {
		state, _ = r.reads.State(r.t.Context())
		sum := 0
		for _, n := range state.Counts {
			sum += n
		}
		return sum >= total
	})
	return state.Counts
}

// messages are what a conversation has, as "sender: content [files]".
func (r *room) messages(id string) (list []string) {
	r.t.Helper()
	err := r.Store.Read(r.t.Context(), func(rd chat.Reader) error {
		all, err := rd.Messages(chat.MessageQuery{SessionID: id, Limit: 200})
		for _, m := range all {
			line := string(m.Sender) + ": " + m.Content
			for _, a := range m.Attachments.V {
				line += fmt.Sprintf(" [%s %d]", a.Filename, a.Size)
			}
			list = append(list, line)
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// told lists what operators are told of the e-mails of a conversation.
func (r *room) told(id string) string {
	r.t.Helper()
	var b strings.Builder
	err := r.Store.Read(r.t.Context(), func(rd chat.Reader) error {
		entries, err := rd.Timeline(id, 0, 0, 100)
		for _, e := range entries {
			if e.Type == chat.EventMailed {
				b.Write(e.Data)
				b.WriteString("\n")
			}
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return b.String()
}

// address is where a visitor's answers go.
func (r *room) address(id string) string {
	return "chat+" + threads.Visitor(id) + "@shop.example"
}

// letter is an e-mail from Ana about a conversation.
func (r *room) letter(id, messageID, body string, more ...string) string {
	return "From: Ana Example <" + ana + ">\nTo: " + r.address(id) + "\nSubject: Re: Shop has answered you\nMessage-ID: <" + messageID + "@customer.example>\n" + strings.Join(more, "\n") +
		map[bool]string{true: "\n"}[len(more) > 0] + "\n" + body
}

// token gives the conversation of a post a browser, as the widget does.
func (r *room) open() string {
	r.t.Helper()
	v, err := r.Init(r.t.Context(), engine.Visit{VisitorID: chat.NewID(), UseToken: true})
	if err != nil {
		r.t.Fatal(err)
	}
	by := visitor
	by.Token = v.Token
	if _, err := r.Identify(r.t.Context(), by, v.Session.ID, map[string]any{"email": ana}, ""); err != nil {
		r.t.Fatal(err)
	}
	r.say(by, v.Session.ID, "Where is my order?")
	return v.Session.ID
}

// TestAnswerByMail: the e-mail names the conversation, and its answer becomes a message, once.
func TestAnswerByMail(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRoom(t, d, nil)
		id := r.open()
		r.say(operator, id, "It is on its way.")
		if err := r.deliver(id); err != nil {
			t.Fatal(err)
		}
		sent := r.arrived(1)[0]
		if got := sent.Header.Get("Reply-To"); got != "<"+r.address(id)+">" {
			t.Errorf("answers go to %q", got)
		}
		if !strings.Contains(sent.Text, "answer this e-mail or open the conversation once") {
			t.Errorf("it does not say that it can be answered:\n%s", sent.Text)
		}
		answer := r.letter(id, "1", "Thank you!\n\nOn Sat, Nov 28, 2026 at 10:12 AM Shop <chat@shop.example> wrote:\n\n> It is on its way.\n", "In-Reply-To: "+sent.Header.Get("Message-ID"))
		r.box.Put(answer)
		r.box.Put(answer) // to two addresses of the mailbox
		r.box.Put("From: Carl <carl@other.example>\nTo: chat@shop.example\nSubject: Hello\nMessage-ID: <x@other.example>\n\nA letter for people.\n")
		r.counted(3)
		if got, want := strings.Join(r.messages(id), "|"), "visitor: Where is my order?|operator: It is on its way.|visitor: Thank you!"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if told := r.told(id); !strings.Contains(told, `"outcome":"answered"`) || !strings.Contains(told, "Answered by e-mail from ana@customer.example.") {
			t.Error(told)
		}
		if seen, all := r.box.Seen(); seen != 2 || all != 3 {
			t.Errorf("%d of %d are marked", seen, all)
		}
		r.say(operator, id, "You are welcome.")
		if err := r.deliver(id); err != nil {
			t.Fatal(err)
		}
		second := r.arrived(2)[1]
		if second.Header.Get("In-Reply-To") != "<1@customer.example>" || subject(second) != "Re: Shop has answered you" {
			t.Errorf("the next one answers %q as %q", second.Header.Get("In-Reply-To"), subject(second))
		}
		if strings.Contains(r.told(id), "unconfirmed") {
			t.Error("who answered has not confirmed")
		}
		r.box.Put("From: " + ana + "\nTo: chat@shop.example\nSubject: Re: x\nMessage-ID: <2@customer.example>\nReferences: " + second.Header.Get("Message-ID") + "\n\nBy its references.\n")
		r.counted(4)
		if got := r.messages(id); got[len(got)-1] != "visitor: By its references." {
			t.Errorf("%q", got)
		}
	})
}

// TestAnswersOnceWhateverBreaks: lines that break, a mailbox with new numbers, and restarts.
func TestAnswersOnceWhateverBreaks(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), nil)
	id := r.open()
	var want []string
	put := func(n int) string {
		text := r.letter(id, fmt.Sprint("m", n), fmt.Sprintf("Answer %d.\n", n))
		r.box.Put(text)
		return text
	}
	var letters []string
	for n := range 12 {
		want = append(want, fmt.Sprintf("visitor: Answer %d.", n))
		r.stop()
		r.box.Break(400 + 251*n) // somewhere in the conversation
		letters = append(letters, put(n))
		r.read()
		time.Sleep(50 * time.Millisecond)
		r.stop()
		r.box.Break(0)
		r.read()
		r.until("the answer is there", func() bool { return len(r.messages(id)) == n+2 })
	}
	r.stop()
	r.box.Anew()
	for _, text := range letters[6:] {
		r.box.Put(text)
	}
	put(12)
	r.read()
	r.until("the last answer is there", func() bool { return len(r.messages(id)) == 14 })
	if got := strings.Join(r.messages(id)[1:], "|"); got != strings.Join(append(want, "visitor: Answer 12."), "|") {
		t.Errorf("%s", got)
	}
}

// onlyImages are rules for files.
var onlyImages = map[string]chat.Raw{"attachments": chat.Raw(`{"enabled":true,"types":["image/*"]}`)}

// TestFilesByMail: files follow the rules of uploads, and what is left out is named.
func TestFilesByMail(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), onlyImages)
	id := r.open()
	png := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	part := func(kind, disposition, body string) string {
		return "--x\nContent-Type: " + kind + "\nContent-Disposition: " + disposition + "\nContent-Transfer-Encoding: base64\n\n" + body + "\n"
	}
	r.box.Put(r.letter(id, "1", "--x\nContent-Type: text/plain\n\nHere it is.\n"+part("image/png", `attachment; filename="../../Rechnung =?utf-8?q?M=C3=A4rz?=.png"`, png)+
		part("application/x-msdownload", "attachment; filename=virus.exe", "TVqQAAMAAAAEAAAA")+part("text/calendar", "inline", "QkVHSU46VkNBTEVOREFS")+
		part("application/ms-tnef", "attachment; filename=winmail.dat", "eJ8+IgAA")+part("application/pgp-signature", "inline", "LS0t")+
		"--x\nContent-Type: image/png\nContent-ID: <logo>\nContent-Disposition: inline; filename=logo.png\nContent-Transfer-Encoding: base64\n\n"+png+"\n--x--\n", "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=x"))
	r.counted(1)
	got := r.messages(id)
	if len(got) != 2 || !strings.HasPrefix(got[1], "visitor: Here it is. [Rechnung März.png 70]") {
		t.Errorf("%q", got)
	}
	told := r.told(id)
	for _, want := range []string{"virus.exe (", "text/calendar", "winmail.dat", `"outcome":"doubtful"`} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told: %s", want, told)
		}
	}
	if strings.Contains(told, "logo") || strings.Contains(told, "pgp") {
		t.Error(told)
	}
	r.box.Put(r.letter(id, "2", strings.Repeat("All work and no play makes Jack a dull boy. ", 300)))
	r.counted(2)
	if got := r.messages(id)[2:]; len(got) != 4 {
		t.Errorf("a long e-mail is %d messages", len(got))
	}
}

// hostile are e-mails that must not get where they want to.
func (r *room) hostile(id, other string) map[string]struct{ text, kind string } {
	head := func(to string, more ...string) string {
		return "From: mallory@evil.example\nTo: " + to + "\nSubject: Re: x\nMessage-ID: <" + chat.NewID() + "@evil.example>\n" + strings.Join(append(more, ""), "\n") + "\n"
	}
	name := threads.Visitor(id)
	with := func(s string) string { return "chat+" + s + "@shop.example" }
	mine := with(name)
	changed := func(at int) string {
		b := []byte(name)
		b[at] = map[bool]byte{true: 'b', false: 'a'}[b[at] == 'a']
		return with(string(b))
	}
	recipients := strings.Repeat("a@b.example, ", 10_000)
	auto := func(field string) struct{ text, kind string } {
		return struct{ text, kind string }{head(mine, field) + "I am away.\n", "automatic"}
	}
	type one = struct{ text, kind string }
	return map[string]one{
		"no name":                {head("chat@shop.example") + "x", "other"},
		"the sender's address":   {strings.Replace(head("chat@shop.example"), "mallory@evil.example", ana, 1) + "x", "other"},
		"changed session":        {head(changed(5)) + "x", "other"},
		"changed signature":      {head(changed(len(name)-1)) + "x", "other"},
		"session id alone":       {head(with("v"+strings.ToLower(id))) + "x", "other"},
		"short":                  {head(with(name[:20])) + "x", "other"},
		"a visitor as the team":  {head(with("t"+name[1:])) + "x", "other"},
		"two conversations":      {head(mine+", "+with(threads.Visitor(other))) + "x", "contradictory"},
		"address and references": {head(mine, "References: <"+threads.Visitor(other)+".0@chat.shop.example>") + "x", "contradictory"},
		"bcc":                    {head("a@b.example", "Bcc: "+mine) + "x", "other"},
		"in the subject":         {head("chat@shop.example", "Comments: "+mine) + "x", "other"},
		"in the body":            {head("chat@shop.example") + mine, "other"},
		"header injection":       {"From: \"a\\r\\nTo: " + mine + "\" <mallory@evil.example>\nTo: chat@shop.example\nMessage-ID: <i@evil.example>\n\nx", "other"},
		"ten thousand":           {head(recipients+"z@b.example") + "x", "other"},
		"ten thousand, mine":     {head(recipients+mine) + "x", "other"},
		"no header":              {"\n\nx", "other"},
		"broken header":          {"From mallory\n: x\nTo: chat@shop.example\n\nx", "other"},
		"away":                   auto("Auto-Submitted: auto-replied"),
		"away, exchange":         auto("X-Autoreply: yes"),
		"away, vacation":         auto("Precedence: bulk"),
		"away, junk":             auto("Precedence: junk"),
		"away, nobody":           auto("Return-Path: <>"),
		"generated":              auto("Auto-Submitted: auto-generated"),
		"autorespond":            auto("X-Autorespond: x"),
		"read receipt":           {head(mine, "Content-Type: multipart/report; report-type=disposition-notification; boundary=x") + "--x\n\nread\n--x--\n", "automatic"},
		"out of office":          {strings.Replace(head(mine), "Subject: Re: x", "Subject: Automatic reply: x", 1) + "x", "automatic"},
		"abwesenheit":            {strings.Replace(head(mine), "Subject: Re: x", "Subject: =?utf-8?q?Abwesenheitsnotiz=3A_x?=", 1) + "x", "automatic"},
		"newsletter":             {head(mine, "List-Unsubscribe: <https://evil.example>") + "x", "list"},
		"list":                   {head(mine, "List-Id: <a.b>") + "x", "list"},
		"loop":                   {head(mine, strings.Repeat("Received: from a by b; Sat, 28 Nov 2026 10:12:00 +0000\n", 60)+"X-A: b") + "x", "loop"},
		"relay's own":            {head(mine, "Auto-Submitted: auto-generated", "List-Id: <shop.chat.other.example>") + "x", "automatic"},
		"encrypted":              {head(mine, "Content-Type: multipart/encrypted; boundary=x") + "--x\n\nVersion: 1\n--x--\n", "unreadable"},
		"smime":                  {head(mine, "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m") + "MIIB", "unreadable"},
		"empty":                  {head(mine) + "\n\n", "unreadable"},
		"nothing but a program":  {head(mine, "Content-Type: application/x-msdownload; name=a.exe", "Content-Transfer-Encoding: base64") + "TVqQAAMAAAAEAAAA", "unreadable"},
		"deep":                   {head(mine, "Content-Type: multipart/mixed; boundary=b0") + deep(400), "unreadable"},
		"scripts": {head(mine, "Content-Type: text/html") + `<p onclick="alert(1)">Hello<script>alert(2)</script><img src="https://track.example/p.gif"><style>x</style><iframe src="//evil.example"></iframe></p>`,
			"taken"},
		"a zip bomb":     {head(mine, "Content-Type: multipart/mixed; boundary=x") + "--x\n\nHello\n--x\nContent-Type: application/zip\nContent-Disposition: attachment; filename=a.zip\nContent-Transfer-Encoding: base64\n\nUEsDBBQ=\n--x--\n", "taken"},
		"forged":         {head(mine, "Authentication-Results: mx.shop.example; dmarc=fail header.from=evil.example") + "Hello", "taken"},
		"wrong charset":  {head(mine, "Content-Type: text/plain; charset=x-no-such") + "Gr\xfc\xdfe\n", "taken"},
		"wrong encoding": {head(mine, "Content-Type: text/plain", "Content-Transfer-Encoding: x-no-such") + "Hello\n", "taken"},
		"nul":            {head(mine, "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64") + base64.StdEncoding.EncodeToString([]byte("Hel\x00lo\u202e\x1b[31m")) + "\n", "taken"},
		"no end":         {head(mine, "Content-Type: multipart/mixed; boundary=x") + "--x\nContent-Type: text/plain\n\nHello", "taken"},
		"bomb of tags":   {head(mine, "Content-Type: text/html") + "Hello" + strings.Repeat("<div><table><b>", 5_000), "taken"},
	}
}

// deep are parts in parts.
func deep(levels int) string {
	var b strings.Builder
	for n := range levels {
		fmt.Fprintf(&b, "--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n", n, n+1)
	}
	return b.String()
}

// TestHostileMails: nothing crosses to another conversation, nothing loops, nothing breaks.
func TestHostileMails(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), onlyImages)
	id, other := r.open(), r.open()
	list := r.hostile(id, other)
	if len(list) < 40 {
		t.Errorf("%d e-mails, want 40", len(list))
	}
	n := 0
	var before map[string]int
	for name, mail := range list {
		r.box.Put(mail.text)
		n++
		counts := r.counted(n)
		if counts[mail.kind] != before[mail.kind]+1 {
			t.Errorf("%s is not counted as %s: %v, before %v", name, mail.kind, counts, before)
		}
		before = counts
	}
	if got := r.messages(other); len(got) != 1 {
		t.Errorf("the other conversation has %q", got)
	}
	for _, m := range r.messages(id)[1:] {
		if m != "visitor: Hello" && m != "visitor: Grüße" && !strings.HasPrefix(m, "visitor: Hello[31m") {
			t.Errorf("%q", m)
		}
	}
	if told := r.told(id); strings.Count(told, "This is not the visitor's address") != before["taken"] || !strings.Contains(told, "somebody else sent it") {
		t.Error(told)
	}
	if sent := r.server.Letters(); len(sent) != 0 {
		t.Errorf("relay answered: %+v", sent)
	}
	if len(r.lane(id)) != 0 {
		t.Errorf("something waits to be sent: %+v", r.lane(id))
	}
}

// TestMailsBeforeWaiting: what arrives right before relay waits, and is announced by nobody, is read
// soon, also a while after the last e-mail.
func TestMailsBeforeWaiting(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), nil)
	var waits atomic.Int32
	r.box.BeforeIdle(func() {
		if waits.Add(1) == 2 {
			r.box.Put("From: carl@other.example\nTo: chat@shop.example\n\nHello\n")
		}
	})
	r.box.Put("From: carl@other.example\nTo: chat@shop.example\n\nHello\n")
	r.counted(2)
}

// TestBounces: an address whose server sends e-mails back gets no more.
func TestBounces(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), nil)
	for status, want := range map[string]string{"5.1.1": "refused", "4.4.7": "sent"} {
		id := r.open()
		r.say(operator, id, "It is on its way.")
		if err := r.deliver(id); err != nil {
			t.Fatal(err)
		}
		letters := r.server.Letters()
		sent := letters[len(letters)-1]
		r.box.Put("From: MAILER-DAEMON@mx.shop.example\nTo: chat@shop.example\nReturn-Path: <>\nAuto-Submitted: auto-replied\nContent-Type: multipart/report; report-type=delivery-status; boundary=x\n\n" +
			"--x\n\nIt came back.\n--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.shop.example\n\nFinal-Recipient: rfc822; " + ana + "\nAction: failed\nStatus: " + status + "\nDiagnostic-Code: smtp; 550 no such\n user here\n" +
			"--x\nContent-Type: message/rfc822\n\nMessage-ID: " + sent.Header.Get("Message-ID") + "\nSubject: x\n\nx\n--x--\n")
		r.until("the bounce is told", func() bool { return strings.Contains(r.told(id), `"outcome":"bounced"`) })
		if told := r.told(id); !strings.Contains(told, "550 no such user here") {
			t.Error(told)
		}
		if status == "5.1.1" {
			r.say(operator, id, "Are you there?")
			if err := r.deliver(id); err != nil {
				t.Fatal(err)
			}
		}
		if told := r.said(id); status == "5.1.1" && !strings.HasSuffix(told, want) {
			t.Errorf("after %s: %s", status, told)
		}
		if err := r.Store.Apply(t.Context(), func(tx chat.Tx) error {
			return tx.SetMailState("", links{}.Key(ana, ""), chat.MailUnknown, chat.Now())
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMailsThatBegin: with MAIL_INBOX an e-mail that answers nothing begins a conversation, and its
// author's further ones go on with it.
func TestMailsThatBegin(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), map[string]chat.Raw{"mailInbox": chat.Raw("true")})
	letter := func(from, id, references, body string) string {
		return "From: Carl <" + from + ">\nTo: chat@shop.example\nSubject: A lamp\nMessage-ID: <" + id + ">\nReferences: " + references + "\n\n" + body + "\n"
	}
	r.box.Put(letter("carl@other.example", "1@other.example", "", "Do you have lamps?"))
	r.box.Put(letter("carl@other.example", "1@other.example", "", "Do you have lamps?"))
	r.box.Put(letter("carl@other.example", "2@other.example", "<1@other.example>", "Blue ones."))
	r.box.Put(letter("mallory@evil.example", "3@evil.example", "<1@other.example>", "Not Carl."))
	r.box.Put(letter("news@evil.example", "4@evil.example", "", "Buy!\nList-Id: x") + "")
	r.box.Put("List-Id: <news>\n" + letter("news@evil.example", "5@evil.example", "", "Buy!"))
	r.counted(5)
	var sessions []chat.Session
	err := r.Store.Read(t.Context(), func(rd chat.Reader) (err error) {
		sessions, err = rd.Sessions(chat.SessionQuery{Limit: 10})
		return err
	})
	if err != nil || len(sessions) != 3 {
		t.Fatalf("%d conversations, %v", len(sessions), err)
	}
	for _, s := range sessions {
		switch got := strings.Join(r.messages(s.ID), "|"); s.Email() {
		case "carl@other.example":
			if got != "visitor: A lamp\n\nDo you have lamps?|visitor: Blue ones." {
				t.Errorf("%q", got)
			}
			r.say(operator, s.ID, "Many.")
			if err := r.deliver(s.ID); err != nil {
				t.Fatal(err)
			}
			sent := r.arrived(1)[0]
			if sent.To != "carl@other.example" || subject(sent) != "Re: A lamp" || sent.Header.Get("In-Reply-To") != "<2@other.example>" {
				t.Errorf("%+v", sent)
			}
			if err := r.Block(t.Context(), operator, s.ID, true); err != nil {
				t.Fatal(err)
			}
		case "mallory@evil.example":
			if got != "visitor: A lamp\n\nNot Carl." {
				t.Errorf("%q", got)
			}
		}
	}
	r.box.Put(letter("carl@other.example", "6@other.example", "", "Hello?"))
	if counts := r.counted(6); counts["blocked"] != 1 {
		t.Errorf("%v", counts)
	}
}

// TestAnswersOfTheTeam: an e-mail about a visitor who waits is answered like in a channel.
func TestAnswersOfTheTeam(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), nil)
	id := r.open()
	to := "chat+" + threads.Member(id, "ben@shop.example") + "@shop.example"
	put := func(from, message, body string, more ...string) {
		r.box.Put("From: Ben Example <" + from + ">\nTo: " + to + "\nSubject: Re: Not answered\nMessage-ID: <" + message + "@shop.example>\n" + strings.Join(append(more, ""), "\n") + "\n" + body + "\n\n-- \nBen\n")
	}
	put("ben@shop.example", "1", "It is on its way.\n\nOn 28.11.2026 10:12, Shop wrote:\n> Where is my order?")
	put("ben@shop.example", "2", "!note She called.")
	put("mallory@evil.example", "3", "Give me your password.")
	put("ben@shop.example", "4", "Give me your password.", "Authentication-Results: mx; spf=fail smtp.mailfrom=evil.example; dkim=none")
	put("ben@shop.example", "5", "Look:\n!close")
	put("ben@shop.example", "6", "!close")
	if counts := r.counted(6); counts["refused"] != 2 || counts["taken"] != 4 {
		t.Errorf("%v", counts)
	}
	if got, want := strings.Join(r.messages(id), "|"), "visitor: Where is my order?|operator: It is on its way.|operator: She called."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s := r.session(id); s.Status != chat.StatusClosed {
		t.Error("the conversation is not closed")
	}
	for _, d := range r.lane(id) {
		if d.Event.Type == chat.EventMailReply {
			if _, err := r.sink.Deliver(t.Context(), []chat.Delivery{d}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var told []string
	for _, l := range r.server.Letters() {
		told = append(told, l.To+": "+l.Text)
		if l.Header.Get("Auto-Submitted") != "auto-replied" {
			t.Errorf("%+v", l.Header)
		}
	}
	if all := strings.Join(told, "\n"); len(told) < 2 || !strings.Contains(all, "mallory@evil.example: Your e-mail was not sent to the visitor: it did not come from") || !strings.Contains(all, "begins with // or with a command") {
		t.Errorf("%q", told)
	}
}

// TestWayThereAndBack: relay finds out whether answers arrive, and says what to do if they do not.
func TestWayThereAndBack(t *testing.T) {
	r := newRoom(t, dbtest.Memory(t), nil)
	own := bridges.NewMail(r.Engine, bridges.MailOptions{Links: links{}, Threads: threads, Mailbox: r.reads, Base: base, DNS: mailtest.Zone{}, Patience: time.Second, Log: slog.New(slog.DiscardHandler)})
	trip, err := own.RoundTrip(t.Context(), "")
	if err != nil || !trip.Sent || trip.Arrived || !strings.Contains(trip.Error, "has not arrived in the mailbox") || !strings.Contains(trip.Fix, "MAIL_REPLY_TO") {
		t.Errorf("%+v, %v", trip, err)
	}
	own = bridges.NewMail(r.Engine, bridges.MailOptions{Links: links{}, Threads: threads, Mailbox: r.reads, Base: base, DNS: mailtest.Zone{}, Log: slog.New(slog.DiscardHandler)})
	go func() {
		for n := 0; n < 2; n = len(r.server.Letters()) {
			time.Sleep(10 * time.Millisecond)
		}
		sent := r.server.Letters()[1]
		r.box.Put("From: " + sent.Header.Get("From") + "\nTo: chat@shop.example\nAuto-Submitted: auto-generated\nReferences: " + sent.Header.Get("References") + "\n\nx\n") // without a + in the address
	}()
	if trip, err := own.RoundTrip(t.Context(), ""); err != nil || !trip.Arrived || trip.Error != "" || !strings.HasPrefix(trip.To, "chat+r") {
		t.Errorf("%+v, %v", trip, err)
	}
	r.server.Fail(mailtest.Faults{To: &smtp.SMTPError{Code: 550, Message: "no such user"}})
	if trip, err := own.RoundTrip(t.Context(), ""); err != nil || trip.Sent || !strings.Contains(trip.Error, "no such user") {
		t.Errorf("%+v, %v", trip, err)
	}
}
