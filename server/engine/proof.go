package engine

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// takeCode takes a code that proves an e-mail address out of what a visitor is about to say, while one is
// awaited. It returns what is said.
func (c *change) takeCode(p *Post) (content string, err error) {
	if c.by.Sender != chat.SenderVisitor || !chat.MayHaveCode(p.Content) {
		return p.Content, nil
	}
	if p.ClientID != "" { // said already, and tried then
		if _, err := c.MessageByClientID(p.SessionID, c.by.Sender, p.ClientID); !errors.Is(err, chat.ErrMessageNotFound) {
			return p.Content, err
		}
	}
	said := []string{p.Content}
	err = c.takeCodes(said, nil)
	return said[0], err
}

// takeCodes takes codes out of texts of a visitor, and out of unseen, which its author does not get to
// see. Where the AI does not answer any more, or too late, a code proves nothing: then texts stay as they are.
func (c *change) takeCodes(said, unseen []string) error {
	proof, err := c.Proof(c.session.ID)
	if err != nil || proof.State != chat.ProofSent {
		return err
	}
	before := proof
	if c.codesCount() {
		for i, text := range said {
			said[i] = proof.Try(text, c.at)
		}
		for i, text := range unseen {
			unseen[i] = before.Hide(text)
		}
	} else {
		proof.Over(c.at)
	}
	if proof == before {
		return nil
	}
	return c.PutProof(&proof)
}

// codesCount reports whether the AI answers here, so that somebody waits for a code.
func (c *change) codesCount() bool {
	t := c.ai()
	return t != nil && !t.Drafts && !c.session.Blocked && !c.session.AIEnded
}

// endProof ends what the visitor of a session proved, or was about to, if what is known now names somebody
// else than before.
func (c *change) endProof(before chat.Raw) error {
	was, is := namedBy(before), namedBy(c.session.Identity)
	if was == is {
		return nil
	}
	proof, err := c.Proof(c.session.ID)
	if err != nil || proof.State == "" {
		return err
	}
	if other := was.ID != "" && is.ID != was.ID; !other && (was.Email == "" || is.Email == was.Email || is.Email == proof.Email) {
		return nil
	}
	proof.End()
	return c.PutProof(&proof)
}

// named is by what a website, or a visitor, says who is there.
type named struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

func namedBy(identity chat.Raw) (n named) {
	if json.Unmarshal(identity, &n) != nil {
		return named{}
	}
	n.Email = chat.CleanAddress(n.Email)
	return n
}

// hiddenDraft is what operators see of a text that is being written: nothing of a code that is awaited.
func (e *Engine) hiddenDraft(ctx context.Context, sessionID, text string) (string, error) {
	masked := chat.MaskDigits(text)
	if masked == text {
		return text, nil
	}
	var proof chat.Proof
	err := e.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		proof, err = rd.Proof(sessionID)
		return err
	})
	if err != nil || proof.Awaits(chat.Now()) {
		return masked, err
	}
	return text, nil
}
