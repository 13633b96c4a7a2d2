package privacy

import "github.com/relay-chat/relay/server/chat"

// proof is how a session's visitor proved an e-mail address, without what could prove it.
type proof struct {
	Action  string    `json:"action"` // the id of the one that it was for
	Given   string    `json:"given,omitempty"`
	State   string    `json:"state"`
	Email   string    `json:"email,omitempty"`
	Tries   int64     `json:"tries"`
	Sends   int64     `json:"sends"`
	AskedAt chat.Time `json:"askedAt,omitempty"`
	SentAt  chat.Time `json:"sentAt,omitempty"`
	EndedAt chat.Time `json:"endedAt,omitempty"`
}

// proof writes how a session's visitor proved an e-mail address, if that was asked.
func (e *exporter) proof(dir, sessionID string) error {
	var p chat.Proof
	err := e.relay.Store.ReadOne(e.ctx, func(rd chat.Reader) (err error) {
		p, err = rd.Proof(sessionID)
		return err
	})
	if err != nil || p.State == "" && p.Sends == 0 {
		return err
	}
	return e.json(dir+"proof.json", proof{p.Action, p.Given, p.State, p.Email, p.Tries, p.Sends, p.AskedAt, p.SentAt, p.EndedAt})
}
