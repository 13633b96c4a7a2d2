package db

import "github.com/relay-chat/relay/server/chat"

const (
	selectProof = `SELECT s.id AS session_id, p.action, p.given, p.state, p.email, p.code, p.tries, p.sends, p.asked_at, p.sent_at, p.proved_at, p.claim
		FROM ai_proofs p JOIN sessions s ON s.number = p.session WHERE s.id = ?`
	upsertProof = `INSERT INTO ai_proofs (session, action, given, state, email, code, tries, sends, asked_at, sent_at, proved_at, claim)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (session) DO UPDATE SET action = excluded.action, given = excluded.given, state = excluded.state, email = excluded.email, code = excluded.code,
			tries = excluded.tries, sends = excluded.sends, asked_at = excluded.asked_at, sent_at = excluded.sent_at, proved_at = excluded.proved_at, claim = excluded.claim`
)

// Proof implements [chat.ActionReader].
func (t *tx) Proof(sessionID string) (chat.Proof, error) {
	proofs, err := list[chat.Proof](t, selectProof, sessionID)
	if err != nil || len(proofs) == 0 {
		return chat.Proof{SessionID: sessionID}, err
	}
	return proofs[0], nil
}

// PutProof implements [chat.ActionTx].
func (t *tx) PutProof(p *chat.Proof) error {
	session, err := t.number(p.SessionID)
	if err == nil {
		_, err = t.q.exec(upsertProof, session, p.Action, p.Given, p.State, p.Email, p.Code, p.Tries, p.Sends, int64(p.AskedAt), int64(p.SentAt), int64(p.EndedAt), p.Claim)
	}
	return wrap(err, "put proof of session %s", chat.SessionRef(p.SessionID))
}
