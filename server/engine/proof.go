package engine

import (
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// takeCode takes a code that proves an e-mail address out of what a visitor is about to say, while one is
// awaited: nobody else reads it. It returns what is said.
func (c *change) takeCode(p *Post) (content string, err error) {
	if c.by.Sender != chat.SenderVisitor || !chat.HasCode(p.Content) {
		return p.Content, nil
	}
	proof, err := c.Proof(c.session.ID)
	if err != nil || proof.State != chat.ProofSent {
		return p.Content, err
	}
	if p.ClientID != "" { // said already, and tried then
		if _, err := c.MessageByClientID(p.SessionID, c.by.Sender, p.ClientID); !errors.Is(err, chat.ErrMessageNotFound) {
			return p.Content, err
		}
	}
	content = proof.Try(p.Content, c.at)
	return content, c.PutProof(&proof)
}
