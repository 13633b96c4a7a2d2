package bridges

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// CodeMail sends visitors codes. [Mail] is the only implementation.
type CodeMail interface {
	// SendsAt reports whether e-mails are sent for a site.
	SendsAt(site string) bool
	SendCode(ctx context.Context, site, to, language, code string) error
}

// ProveBy lets visitors prove their e-mail address. keys hide addresses that are counted.
func (a *Actions) ProveBy(mail CodeMail, keys engine.MailKeys) { a.mail, a.keys = mail, keys }

// personFor is the proven id for which an action is done, "" without one.
func (a *Actions) personFor(ctx context.Context, session *chat.Session, one *chat.Action) (string, error) {
	if !one.ByEmail {
		return personOf(session), nil
	}
	p, err := a.Proof(ctx, session)
	return p.Proved(chat.Now()), err
}

// same reports whether who was proven when an act was asked for is still who is in the conversation.
func (a *Actions) same(ctx context.Context, session *chat.Session, one *chat.Act, action *chat.Action) (bool, error) {
	if !action.ByEmail {
		return !action.Verified || personOf(session) == one.Person, nil
	}
	p, err := a.Proof(ctx, session)
	return p.State == chat.ProofDone && p.Email == one.Person, err
}

// Proof implements [ai.Acts].
func (a *Actions) Proof(ctx context.Context, session *chat.Session) (p chat.Proof, err error) {
	err = a.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		p, err = rd.Proof(session.ID)
		return err
	})
	return p, err
}

// AskProof implements [ai.Acts].
func (a *Actions) AskProof(ctx context.Context, session *chat.Session, t *act.Tool, given string) (asked bool, err error) {
	if person, err := a.personFor(ctx, session, &t.Action); !t.ByEmail || err != nil || person != "" {
		return false, err
	}
	if _, err := t.Arguments(given, "somebody@example.com"); err != nil {
		return false, &act.Failure{Problem: err.Error(), Known: true}
	}
	return true, a.onProof(ctx, session.ID, func(_ chat.Tx, p *chat.Proof) (bool, error) {
		p.Action, p.Given, p.AskedAt = t.ID, given, chat.Now()
		if p.State != chat.ProofSent {
			p.State = chat.ProofAsked
		}
		return true, nil
	})
}

// onProof changes a session's proof, if change says so.
func (a *Actions) onProof(ctx context.Context, sessionID string, change func(tx chat.Tx, p *chat.Proof) (bool, error)) error {
	return a.engine.Store.Apply(ctx, func(tx chat.Tx) error {
		if _, err := tx.Lock(sessionID); err != nil {
			return err
		}
		p, err := tx.Proof(sessionID)
		if err != nil {
			return err
		}
		if changed, err := change(tx, &p); err != nil || !changed {
			return err
		}
		return tx.PutProof(&p)
	})
}

// askedLife is how long after it was asked for an address is taken.
const askedLife = 30 * time.Minute

// What is counted of codes, see [engine.MailKeys].
const (
	aboutCodes = "codes"
	allCodes   = "codes of all"
)

// SendCode implements [ai.Acts]. Of a code that was stored when relay stopped nobody knows whether it was
// sent; it is not sent again.
func (a *Actions) SendCode(ctx context.Context, session *chat.Session, delivery, email, language string) (ai.CodeOutcome, error) {
	var outcome ai.CodeOutcome
	var code string
	err := a.onProof(ctx, session.ID, func(tx chat.Tx, p *chat.Proof) (changed bool, err error) {
		outcome, code = ai.CodeNone, "" // an attempt before may have been undone
		now := chat.Now()
		switch {
		case p.Claim == delivery && p.Email == email && p.State == chat.ProofSent:
			outcome = ai.CodeSent
			return false, nil
		case p.State == "" || p.State == chat.ProofDone || now.Sub(p.AskedAt) >= askedLife:
			return false, nil
		}
		outcome = ai.CodeLimit
		if few, err := a.fewCodes(tx, p, email, now); err != nil || !few {
			return false, err
		}
		address, err := tx.MailAddress(session.Site, a.keys(email, ""))
		if err != nil {
			return false, err
		}
		outcome, code = ai.CodeSent, p.Begin(email, delivery, now)
		if address.State == chat.MailStopped || address.State == chat.MailRefused {
			code = "" // its owner gets none, and nobody else learns that
		}
		return true, nil
	})
	if err != nil || code == "" {
		return outcome, err
	}
	if err := a.mail.SendCode(ctx, session.Site, email, language, code); err != nil {
		return ai.CodeFailed, a.codeFailed(ctx, session.ID, delivery, err)
	}
	return outcome, nil
}

// fewCodes reports whether one more code may be sent, and counts it.
func (a *Actions) fewCodes(tx chat.Tx, p *chat.Proof, email string, now chat.Time) (bool, error) {
	if p.Sends >= chat.CodesHere {
		return false, nil
	}
	day := chat.DayOf(now)
	limits := []struct {
		key  string
		most int64
	}{{a.keys(email, aboutCodes), chat.CodesADay}, {a.keys("", allCodes), a.engine.Settings().Number("aiActionsPerDay")}}
	for i, l := range limits {
		if err := tx.CountMail("", l.key, day, 1); err != nil { // others wait here before they count
			return false, err
		}
		if n, err := tx.MailsOn(l.key, day); err != nil || n > l.most {
			for _, counted := range limits[:i+1] {
				err = errors.Join(err, tx.CountMail("", counted.key, day, -1))
			}
			return false, err
		}
	}
	return true, nil
}

// codeFailed notes that a code was not sent.
func (a *Actions) codeFailed(ctx context.Context, sessionID, delivery string, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := a.onProof(ctx, sessionID, func(_ chat.Tx, p *chat.Proof) (bool, error) {
		mine := p.Claim == delivery && p.State == chat.ProofSent
		if mine {
			p.State, p.Code, p.Claim = chat.ProofAsked, "", ""
		}
		return mine, nil
	})
	if err != nil {
		return err
	}
	return &act.Failure{Problem: cause.Error(), Known: true}
}

// Wish implements [ai.Acts].
func (a *Actions) Wish(ctx context.Context, session *chat.Session, delivery string) (t *act.Tool, given string, err error) {
	list, err := a.store.Actions(ctx)
	if err != nil {
		return nil, "", err
	}
	err = a.onProof(ctx, session.ID, func(_ chat.Tx, p *chat.Proof) (_ bool, err error) {
		t, given = nil, ""
		at := slices.IndexFunc(list, func(one chat.Action) bool {
			return one.ID == p.Action && one.Site == session.Site && one.ByEmail && one.Works()
		})
		if at < 0 || p.Proved(chat.Now()) == "" || p.Claim != "" && p.Claim != delivery {
			return false, nil
		}
		if t, err = act.Prepare(&list[at]); err != nil {
			return false, fmt.Errorf("action %s: %w", p.Action, err)
		}
		given, p.Claim = p.Given, delivery
		return true, nil
	})
	return t, given, err
}
