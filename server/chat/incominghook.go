package chat

// MaxIncomingHooks bounds the incoming hooks of one site, MaxAllIncomingHooks those of all sites.
const (
	MaxIncomingHooks    = 20
	MaxAllIncomingHooks = 500
)

// HookTokenPrefix begins the token in the address of every incoming hook.
const HookTokenPrefix = "hk_"

// What an incoming hook may do.
const (
	HookWrites = "message" // writes to the visitor of a conversation
	HookNotes  = "note"    // writes notes that only operators see
	HookTags   = "tag"     // adds tags to a conversation, and takes them away
	HookOpens  = "open"    // opens a conversation with the owner of an e-mail address
)

// HookActions are the actions in the order in which they are shown.
var HookActions = Words{HookWrites, HookNotes, HookTags, HookOpens}

// IncomingHook is an address at which a program writes into conversations of one site.
type IncomingHook struct {
	ID   string `json:"id" db:"id"`
	Hash string `json:"-" db:"hash"` // of the token in its address, which is stored nowhere
	Site string `json:"-" db:"site"`
	Name string `json:"name" db:"name"`
	May  Words  `json:"may" db:"may"`
	// Signed: each request has to be, with a secret that is made of relay's own key and stored nowhere.
	Signed bool `json:"signed" db:"signed"`
	// Maker is the id of the person who made it, "" with the secret key, and MadeBy a name.
	Maker     string `json:"makerId,omitempty" db:"maker"`
	MadeBy    string `json:"madeBy" db:"made_by"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	PausedAt  Time   `json:"pausedAt,omitzero" db:"paused_at"`
	UsedAt    Time   `json:"usedAt,omitzero" db:"used_at"`
}

// Check tidies a hook's fields and reports the first that is wrong.
func (h *IncomingHook) Check() (err error) {
	if h.Name, err = hookName(h.Name); err != nil {
		return err
	}
	h.May, err = HookActions.Of("may", h.May)
	return err
}

// IncomingAnswer is what came of a request with an idempotency key.
type IncomingAnswer struct {
	Hook    string `db:"hook"`
	Key     string `db:"key"`     // a hash
	Request string `db:"request"` // a hash of what was asked for
	Answer  Raw    `db:"answer"`
	At      Time   `db:"at"`
}
