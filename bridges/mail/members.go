package mail

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/relay-chat/relay/bridges/mail/incoming"
	"github.com/relay-chat/relay/bridges/mail/mailbox"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// What the team is told of an e-mail that did not become an answer.
const (
	notOfTeam   = "Your e-mail was not sent to the visitor: it did not come from the address that relay wrote to, nor from one with which somebody signs in at the console. Answer from that address, or in the console."
	withheld    = "Your e-mail was not sent to the visitor: one of its lines begins with // or with a command. Write a command into the first line, and nothing else that begins like one."
	nothingSaid = "Your e-mail was not sent to the visitor: there are no words of yours in it."
)

// takeMember makes an e-mail of the team an answer to the visitor, a note or a command.
func (a *Answers) takeMember(ctx context.Context, mail *arrival, thread chat.MailThread) (mailbox.Verdict, error) {
	if mail.From == "" {
		a.Tally.count(CountRefused)
		return mailbox.Left, nil
	}
	var session chat.Session
	by := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceMail}
	member, again := false, false
	err := a.Engine.Store.Read(ctx, func(rd chat.Reader) (err error) {
		if session, err = rd.Session(thread.SessionID); err != nil {
			return err
		}
		if _, err = rd.ReceivedMail(session.ID, mail.id); !errors.Is(err, chat.ErrMailNotFound) {
			again = err == nil
			return err
		}
		member, err = a.memberOf(rd, &session, mail, thread, &by)
		return err
	})
	if err != nil || again {
		return a.settle(err)
	}
	refuse := func(text string) (mailbox.Verdict, error) {
		a.Tally.count(CountRefused)
		return mailbox.Taken, a.Engine.MemberMailTaken(ctx, session.ID, mail.id, mail.reply(text))
	}
	switch {
	case mail.Forged: // and whoever the address belongs to knows nothing of it
		return refuse("")
	case !member:
		return refuse(notOfTeam)
	}
	post, leftOut, err := a.readMember(ctx, by, mail, session.ID)
	if err != nil {
		return a.unread(ctx, mail, session.ID, err)
	}
	if post.Content == "" && len(post.AttachmentIDs) == 0 {
		return refuse(nothingSaid)
	}
	answer, err := a.say(ctx, by, post)
	if err != nil {
		return a.settle(err)
	}
	if len(leftOut) > 0 {
		answer = strings.TrimSpace(answer + "\n\nThese files were not sent to the visitor: " + strings.Join(leftOut, ", "))
	}
	return a.settle(a.Engine.MemberMailTaken(ctx, session.ID, mail.id, mail.reply(answer)))
}

// readMember reads an e-mail of the team, and stores its files but for those that are left out.
func (a *Answers) readMember(ctx context.Context, by chat.Author, mail *arrival, sessionID string) (post engine.Post, leftOut []string, err error) {
	post = engine.Post{SessionID: sessionID, ClientID: "email:" + mail.id}
	body, err := a.read(ctx, mail, func(f incoming.File) error {
		if len(post.AttachmentIDs) == engine.MaxOperatorFiles {
			leftOut = append(leftOut, f.Name)
			return nil
		}
		id, refused, err := a.keep(ctx, by, sessionID, f)
		if refused != "" {
			leftOut = append(leftOut, f.Name)
		} else if err == nil {
			post.AttachmentIDs = append(post.AttachmentIDs, id)
		}
		return err
	})
	post.Content = body.Own
	return post, leftOut, err
}

// memberOf finds out whether the team's e-mail went to the sender of an e-mail, or whether the
// sender is somebody else of the team, and completes the author.
func (a *Answers) memberOf(rd chat.Reader, s *chat.Session, mail *arrival, thread chat.MailThread, by *chat.Author) (bool, error) {
	person, err := rd.PersonByEmail(mail.From)
	if err != nil && !errors.Is(err, chat.ErrPersonNotFound) {
		return false, err
	}
	if err == nil && person.Sites.Has(s.Site) {
		by.Name, by.Person, by.Role, by.Sites = person.Name, person.ID, person.Role, person.Sites
		return true, nil
	}
	local, _, _ := strings.Cut(mail.From, "@")
	by.Name = cmp.Or(mail.Name, local)
	return a.Threads.IsMember(thread, mail.From), nil
}

// say does what an e-mail of the team says, and returns what there is to answer.
func (a *Answers) say(ctx context.Context, by chat.Author, post engine.Post) (answer string, err error) {
	if parsed, is := engine.ParseCommand(post.Content, false); is {
		parsed.ClientID = post.ClientID
		result, err := a.Engine.Execute(ctx, by, post.SessionID, parsed, "")
		return refusedOr(result.Answer, err)
	}
	if engine.Withheld(post.Content, false) {
		return withheld, nil
	}
	_, err = a.Engine.Send(ctx, by, post)
	return refusedOr("", err)
}

// refusedOr makes a refusal an answer.
func refusedOr(answer string, err error) (string, error) {
	var refused *chat.Error
	if errors.As(err, &refused) && refused.Kind != chat.StorageFull && refused.Kind != chat.NotFound {
		return refused.Text + ".", nil
	}
	return answer, err
}

// reply is an answer of relay to an e-mail.
func (m *arrival) reply(text string) chat.MailReplied {
	return chat.MailReplied{To: m.From, Subject: m.Subject, InReplyTo: m.ID, Content: text}
}
