// Package team is everything about the people who answer visitors: their accounts, sign-ins,
// passkeys, two-step sign-in, invitations, API keys, incoming hooks, preferences, names on platforms, notified devices, and the
// list of what they did. It imports package chat only.
package team

import (
	"context"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Team is everything about the people who answer visitors.
type Team struct {
	People      *People
	SignIns     *SignIns
	Passkeys    *Passkeys
	TwoSteps    *TwoSteps
	Keys        *Keys
	Connections *Connections
	Incoming    *Incoming
	Devices     *Devices
	Audit       *Audit
}

// Hooks are what the engine does when something changes in the team.
type Hooks interface {
	// SignOut ends the streams of a sign-in at once. With the operator's last one ends
	// that operator's switch of the presence.
	SignOut(ctx context.Context, name, signIn string) error
	// SignsChanged applies, at every node, a sign that the team has stored among the settings, or
	// taken away.
	SignsChanged(ctx context.Context) error
}

// New returns the team that a store keeps, whose people have names on these platforms.
func New(whole chat.Store, hooks Hooks, platforms []string, log *slog.Logger) *Team {
	store := store{whole}
	signIns := &SignIns{store, hooks, log}
	return &Team{
		People:      &People{store: store, signIns: signIns, log: log, platforms: platforms},
		SignIns:     signIns,
		Passkeys:    &Passkeys{store},
		TwoSteps:    &TwoSteps{store},
		Keys:        &Keys{store: store, log: log},
		Connections: &Connections{store},
		Incoming:    &Incoming{store, log},
		Devices:     &Devices{store, hooks},
		Audit:       &Audit{store: store, log: log},
	}
}

// auditLasts is how long the audit list goes back.
const auditLasts = 365 * 24 * time.Hour

// Prune removes old entries of the audit list, and links, sign-ins and keys that work no more.
// The sign that there are devices goes with the last sign-in that had one.
func Prune(tx chat.Tx, now chat.Time) error {
	if err := tx.DropAudit(now.Add(-auditLasts)); err != nil {
		return err
	}
	if err := tx.DropInvitations(now); err != nil {
		return err
	}
	if err := tx.DropSignIns(now.Add(-signInLasts)); err != nil {
		return err
	}
	if err := tx.DropAPIKeys(now.Add(-keysKept)); err != nil {
		return err
	}
	if err := tx.DropOAuth(now.Add(-unusedKept), now.Add(-tokensKept)); err != nil {
		return err
	}
	if err := tx.DropIncomingAnswers(now.Add(-answersKept)); err != nil {
		return err
	}
	devices, err := tx.PushDevices()
	if err == nil && len(devices) == 0 {
		err = tx.DeleteSetting(chat.SettingPush)
	}
	return err
}
