package db

import "github.com/relay-chat/relay/server/chat"

const (
	selectTwoStep = `SELECT t.person, t.secret, t.used_step, t.created_at, t.confirmed_at,
		(SELECT COUNT(*) FROM recovery_codes r WHERE r.person = t.person) AS codes_left FROM two_steps t WHERE t.person = ?`
	beginTwoStep = `INSERT INTO two_steps (person, secret, used_step, created_at, confirmed_at) VALUES (?, ?, 0, ?, 0)
		ON CONFLICT (person) DO UPDATE SET secret = excluded.secret, used_step = 0, created_at = excluded.created_at
		WHERE two_steps.confirmed_at = 0`
	confirmTwoStep      = `UPDATE two_steps SET confirmed_at = ?, used_step = ? WHERE person = ? AND secret = ? AND confirmed_at = 0`
	useStep             = `UPDATE two_steps SET used_step = ? WHERE person = ? AND secret = ? AND confirmed_at > 0 AND used_step < ?`
	deleteTwoStep       = `DELETE FROM two_steps WHERE person = ?`
	insertRecoveryCode  = `INSERT INTO recovery_codes (person, hash) VALUES (?, ?)`
	deleteRecoveryCode  = `DELETE FROM recovery_codes WHERE person = ? AND hash = ?`
	deleteRecoveryCodes = `DELETE FROM recovery_codes WHERE person = ?`
)

// TwoStep implements [chat.TwoStepReader].
func (t *tx) TwoStep(person string) (chat.TwoStep, error) {
	return one[chat.TwoStep](t, chat.ErrTwoStepOff, selectTwoStep, person)
}

// BeginTwoStep implements [chat.TwoStepTx].
func (t *tx) BeginTwoStep(s *chat.TwoStep) error {
	return t.touch(chat.ErrTwoStepOn, beginTwoStep, s.Person, s.Secret, int64(s.CreatedAt))
}

// ConfirmTwoStep implements [chat.TwoStepTx].
func (t *tx) ConfirmTwoStep(person, secret string, step int64, at chat.Time) error {
	return t.touch(chat.ErrTwoStepOff, confirmTwoStep, int64(at), step, person, secret)
}

// UseStep implements [chat.TwoStepTx].
func (t *tx) UseStep(person, secret string, step int64) error {
	return t.touch(chat.ErrWrongCode, useStep, step, person, secret, step)
}

// PutRecoveryCodes implements [chat.TwoStepTx].
func (t *tx) PutRecoveryCodes(person string, hashes []string) error {
	_, err := t.q.exec(deleteRecoveryCodes, person)
	for _, hash := range hashes {
		if err == nil {
			_, err = t.q.exec(insertRecoveryCode, person, hash)
		}
	}
	return wrap(err, "put recovery codes of %s", person)
}

// UseRecoveryCode implements [chat.TwoStepTx].
func (t *tx) UseRecoveryCode(person, hash string) error {
	return t.touch(chat.ErrWrongCode, deleteRecoveryCode, person, hash)
}

// DropTwoStep implements [chat.TwoStepTx].
func (t *tx) DropTwoStep(person string) error {
	if err := t.touch(chat.ErrTwoStepOff, deleteTwoStep, person); err != nil {
		return err
	}
	return t.PutRecoveryCodes(person, nil)
}
