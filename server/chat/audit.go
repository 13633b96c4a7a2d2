package chat

import (
	"context"
	"sync"
	"time"
)

// auditLasts is how long the audit list goes back; failedTogether is the time in which
// failed sign-ins are one entry.
const (
	auditLasts     = 365 * 24 * time.Hour
	failedTogether = time.Hour
	maxAuditDetail = 300
)

// The actions of the audit list.
const (
	AuditSignIn            = "sign_in"
	AuditSignInFailed      = "sign_in_failed"
	AuditSignInEnded       = "sign_in_ended"
	AuditInvited           = "invited"
	AuditInvitationRemoved = "invitation_withdrawn"
	AuditJoined            = "joined"
	AuditPersonChanged     = "person_changed"
	AuditRoleChanged       = "role_changed"
	AuditPersonRemoved     = "person_removed"
	AuditPasswordReset     = "password_reset"
	AuditPasswordChanged   = "password_changed"
	AuditPasskeyAdded      = "passkey_added"
	AuditPasskeyRemoved    = "passkey_removed"
	AuditPasskeyRefused    = "passkey_refused"
	AuditPasskeyRenamed    = "passkey_renamed"
	AuditDeviceAdded       = "device_added"
	AuditDeviceRemoved     = "device_removed"
	AuditSettingsChanged   = "settings_changed"
	AuditKeyRotated        = "key_rotated"
	AuditErased            = "conversation_erased"
	AuditVisitorErased     = "visitor_erased"
	AuditVisitorExported   = "visitor_exported"
	AuditExported          = "exported"
	AuditBackup            = "backup_downloaded"
	AuditBackupMade        = "backup_made"
	AuditMessageEdited     = "message_edited"
	AuditMessageDeleted    = "message_deleted"
	AuditBlocked           = "visitor_blocked"
	AuditUnblocked         = "visitor_unblocked"

	AuditChannelConnected    = "channel_connected"
	AuditChannelDisconnected = "channel_disconnected"
	AuditKnowledgeAdded      = "knowledge_added"
	AuditKnowledgeRefreshed  = "knowledge_refreshed"
	AuditKnowledgeRemoved    = "knowledge_removed"
	AuditQuestionRemoved     = "question_removed"
	AuditAnswerSaved         = "saved_answer_changed"
	AuditAnswerRemoved       = "saved_answer_removed"
	AuditDeliveryRetried     = "deliveries_retried"
	AuditDeliveryDiscarded   = "deliveries_discarded"
)

// AuditEntry records who did what and when.
type AuditEntry struct {
	Number int64  `json:"-" db:"number"`
	At     Time   `json:"at" db:"at"`
	Person string `json:"personId,omitempty" db:"person"` // "" for the secret key
	Name   string `json:"name" db:"name"`
	Action string `json:"action" db:"action"`
	// Target is what it was done to: an id, a name, an address.
	Target  string `json:"target,omitempty" db:"target"`
	Detail  string `json:"detail,omitempty" db:"detail"`
	Address string `json:"address,omitempty" db:"address"`
	// Count is more than 1 for what is recorded in sum.
	Count int `json:"count" db:"count"`
}

// AuditQuery selects entries. Zero fields do not restrict.
type AuditQuery struct {
	Person string
	Action string
	Before int64 // only entries with a smaller number
	Limit  int
}

// Audit adds to the audit list what somebody did. A failure is logged: what was done is
// done.
func (r *Relay) Audit(ctx context.Context, by Author, e AuditEntry) {
	if err := PutAudit(context.WithoutCancel(ctx), r.store, by, e); err != nil {
		r.log.Error("the audit list misses an entry", "action", e.Action, "by", auditName(by), "err", err)
	}
}

// PutAudit adds an entry to the audit list of a store.
func PutAudit(ctx context.Context, store Store, by Author, e AuditEntry) error {
	e.At, e.Person, e.Name, e.Count = Now(), by.Person, auditName(by), 1
	e.Target, e.Detail = Clip(OneLine(e.Target), maxAuditDetail), Clip(OneLine(e.Detail), maxAuditDetail)
	return store.Apply(ctx, func(tx Tx) error { return tx.PutAudit(&e) })
}

// auditName names who did something without being a person of the team.
func auditName(by Author) string {
	switch {
	case by.Person == "" && by.Source == SourceConsole && by.Name != "":
		return by.Name + " (secret key)"
	case by.Name != "":
		return by.Name
	case by.Source == SourceAPI:
		return "Secret key"
	}
	return "relay"
}

// failedSignIns is the entry that counts failed sign-ins at the moment.
type failedSignIns struct {
	mu     sync.Mutex
	number int64
	since  Time
}

// SignInFailed counts a failed sign-in: all within an hour are one entry.
func (r *Relay) SignInFailed(ctx context.Context, address string) {
	f, now := &r.failed, Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	err := r.store.Apply(context.WithoutCancel(ctx), func(tx Tx) error {
		if f.number != 0 && now.Sub(f.since) < failedTogether {
			return tx.CountAudit(f.number, now)
		}
		e := AuditEntry{At: now, Action: AuditSignInFailed, Address: address, Count: 1}
		err := tx.PutAudit(&e)
		f.number, f.since = e.Number, now
		return err
	})
	if err != nil {
		r.log.Error("the audit list misses a failed sign-in", "err", err)
	}
}

// AuditList lists entries, newest first.
func (r *Relay) AuditList(ctx context.Context, q AuditQuery) (list []AuditEntry, err error) {
	err = r.store.ReadOne(ctx, func(rd Reader) error {
		list, err = rd.Audit(q)
		return err
	})
	return list, err
}

// pruneTeam removes old entries, and links and sign-ins that work no more. The sign that
// there are devices goes with the last sign-in that had one.
func (e *Engine) pruneTeam(ctx context.Context, now Time) error {
	gone := false
	err := e.Store.Apply(ctx, func(tx Tx) error {
		if err := tx.DropAudit(now.Add(-auditLasts)); err != nil {
			return err
		}
		if err := tx.DropInvitations(now); err != nil {
			return err
		}
		if err := tx.DropSignIns(now.Add(-signInLasts)); err != nil {
			return err
		}
		devices, err := tx.PushDevices()
		if gone = err == nil && len(devices) == 0 && e.Settings().Pushes(); gone {
			err = tx.DeleteSetting(settingPush)
		}
		return err
	})
	if err == nil && gone {
		err = e.pushesChanged(ctx)
	}
	return err
}
