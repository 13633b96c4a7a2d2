package chat

// maxAuditDetail bounds the texts of an entry, in characters.
const maxAuditDetail = 300

// The actions of the audit list.
const (
	AuditSignIn            = "sign_in"
	AuditSignInFailed      = "sign_in_failed"
	AuditSignInEnded       = "sign_in_ended"
	AuditAccountLinked     = "account_linked"
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
	AuditTwoStepOn         = "two_step_on"
	AuditTwoStepOff        = "two_step_off"
	AuditRecoveryCodes     = "recovery_codes_made"
	AuditCodeRefused       = "code_refused"
	AuditDeviceAdded       = "device_added"
	AuditDeviceRemoved     = "device_removed"
	AuditSettingsChanged   = "settings_changed"
	AuditKeyRotated        = "key_rotated"
	AuditKeyMade           = "key_made"
	AuditKeyEnded          = "key_ended"
	AuditKeyUsed           = "key_used"
	AuditHookAdded         = "hook_added"
	AuditHookChanged       = "hook_changed"
	AuditHookEnded         = "hook_ended"
	AuditHookUsed          = "hook_used"
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
	AuditContactChanged    = "contact_changed"
	AuditMerged            = "conversations_merged"
	AuditSeparated         = "conversation_separated"

	AuditChannelConnected    = "channel_connected"
	AuditChannelDisconnected = "channel_disconnected"
	AuditKnowledgeAdded      = "knowledge_added"
	AuditKnowledgeMoved      = "knowledge_moved"
	AuditKnowledgeRefreshed  = "knowledge_refreshed"
	AuditKnowledgeRemoved    = "knowledge_removed"
	AuditQuestionRemoved     = "question_removed"
	AuditAIRehearsed         = "ai_rehearsed"
	AuditAIJudged            = "ai_judged"
	AuditAITopic             = "ai_topic_changed"
	AuditAITopicAnswers      = "ai_topic_answers"
	AuditAITopicFell         = "ai_topic_fell"
	AuditAIAction            = "ai_action_changed"
	AuditAIAct               = "ai_act"
	AuditAnswerSaved         = "saved_answer_changed"
	AuditAnswerRemoved       = "saved_answer_removed"
	AuditDeliveryRetried     = "deliveries_retried"
	AuditDeliveryDiscarded   = "deliveries_discarded"
	AuditSiteAdded           = "site_added"
	AuditSiteChanged         = "site_changed"
	AuditSiteErased          = "site_erased"
	AuditSiteExported        = "site_exported"
	AuditSiteImported        = "site_imported"
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
	// Site is the public id of the site that it concerns, "" for what concerns relay.
	Site string `json:"-" db:"site"`
	// Count is more than 1 for what is recorded in sum.
	Count int `json:"count" db:"count"`
}

// AuditQuery selects entries. Zero fields do not restrict.
type AuditQuery struct {
	Person string
	Action string
	Sites  SiteSet // only what concerns these; nil also lists what concerns relay
	Before int64   // only entries with a smaller number
	Limit  int
}

// AuditBy completes an entry of the audit list by who did it, now.
func AuditBy(by Author, e AuditEntry) AuditEntry {
	e.At, e.Person, e.Name, e.Count = Now(), by.Person, AuditName(by), 1
	e.Target, e.Detail = Clip(OneLine(e.Target), maxAuditDetail), Clip(OneLine(e.Detail), maxAuditDetail)
	return e
}

// AuditName names who did something: a person, or who uses which key.
func AuditName(by Author) string {
	switch {
	case by.Hook != nil:
		return by.Hook.Name + " (incoming hook)"
	case by.Key != nil && by.Key.Person != "":
		return by.Name + " (token " + by.Key.Name + ")"
	case by.Key != nil && by.Key.Maker != "":
		return by.Key.Name + " (API key of " + by.Key.MadeBy + ")"
	case by.Key != nil:
		return by.Key.Name + " (API key)"
	case by.Person == "" && by.Source == SourceConsole && by.Name != "":
		return by.Name + " (secret key)"
	case by.Name != "":
		return by.Name
	case by.Source == SourceAPI:
		return "Secret key"
	}
	return "relay"
}
