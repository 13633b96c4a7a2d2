package chat

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// APIKeyPrefix begins every API key.
const APIKeyPrefix = "rk_"

// KeyScope is a right of an API key.
type KeyScope string

// The scopes. Read, write and note are what operators do; the others need an administrator.
const (
	ScopeRead     KeyScope = "read"     // conversations, search, statistics
	ScopeWrite    KeyScope = "write"    // answers, and what becomes of a conversation
	ScopeNote     KeyScope = "note"     // notes that only operators see
	ScopeSettings KeyScope = "settings" // settings, websites, channels, knowledge, AI
	ScopePeople   KeyScope = "people"   // people, invitations, keys, the audit list
	ScopeErase    KeyScope = "erase"    // deletes for good, blocks, and takes everything out
)

// AllScopes are the scopes in the order in which they are shown.
var AllScopes = KeyScopes{ScopeRead, ScopeWrite, ScopeNote, ScopeSettings, ScopePeople, ScopeErase}

// ForOperators reports whether a scope needs no administrator.
func (s KeyScope) ForOperators() bool { return s == ScopeRead || s == ScopeWrite || s == ScopeNote }

// KeyScopes are the scopes of a key, in the order of [AllScopes].
type KeyScopes []KeyScope

// KeyScopesOf returns the scopes of these names, or an error that names the first that is none.
func KeyScopesOf(names []string) (KeyScopes, error) {
	for _, name := range names {
		if !slices.Contains(AllScopes, KeyScope(name)) {
			return nil, ErrorAt(Invalid, "scopes", fmt.Sprintf("there is no scope %q, only %s", Clip(OneLine(name), MaxSiteID), AllScopes))
		}
	}
	set := slices.DeleteFunc(slices.Clone(AllScopes), func(s KeyScope) bool { return !slices.Contains(names, string(s)) })
	if len(set) == 0 {
		return nil, ErrorAt(Invalid, "scopes", "scopes must name one or more of "+AllScopes.String())
	}
	return set, nil
}

// Has reports whether a scope is in the set.
func (s KeyScopes) Has(scope KeyScope) bool { return slices.Contains(s, scope) }

// Meets reports whether one of the scopes is in the set.
func (s KeyScopes) Meets(other KeyScopes) bool { return slices.ContainsFunc(other, s.Has) }

// Within reports whether every scope of the set is in the other one.
func (s KeyScopes) Within(other KeyScopes) bool {
	return !slices.ContainsFunc(s, func(scope KeyScope) bool { return !other.Has(scope) })
}

// String lists the scopes for people.
func (s KeyScopes) String() string { return s.join(", ") }

func (s KeyScopes) join(by string) string {
	names := make([]string, len(s))
	for i, scope := range s {
		names[i] = string(scope)
	}
	return strings.Join(names, by)
}

// Value stores the scopes with spaces between them.
func (s KeyScopes) Value() (driver.Value, error) { return s.join(" "), nil }

// Scan reads what Value stored.
func (s *KeyScopes) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read scopes from %T", src)
	}
	*s = KeyScopes{}
	for name := range strings.FieldsSeq(text) {
		*s = append(*s, KeyScope(name))
	}
	return nil
}

// APIKey is a key with which a program uses the admin API. With a person it is that person's
// token, which may never do more than the person.
type APIKey struct {
	ID     string    `json:"id" db:"id"`
	Hash   string    `json:"-" db:"hash"` // of the key itself, which is stored nowhere
	Name   string    `json:"name" db:"name"`
	Scopes KeyScopes `json:"scopes" db:"scopes"`
	Sites  SiteSet   `json:"sites,omitzero" db:"sites"`
	Person string    `json:"personId,omitempty" db:"person"`
	// Maker is the id of the person who made it, "" with the secret key, and MadeBy a name.
	// MadeWith is the key with which it was made, and with which it ends.
	Maker     string `json:"makerId,omitempty" db:"maker"`
	MadeBy    string `json:"madeBy" db:"made_by"`
	MadeWith  string `json:"-" db:"made_with"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	ExpiresAt Time   `json:"expiresAt,omitzero" db:"expires_at"`
	UsedAt    Time   `json:"usedAt,omitzero" db:"used_at"`
	// EndedAt, EndedBy, a name, and EndedFor are of one that works no more. Owner is the name of whose
	// token it was, once that person is removed.
	EndedAt  Time      `json:"endedAt,omitzero" db:"ended_at"`
	EndedBy  string    `json:"endedBy,omitempty" db:"ended_by"`
	EndedFor KeyReason `json:"endedFor,omitempty" db:"ended_for"`
	Owner    string    `json:"owner,omitempty" db:"owner"`
	// A connection, which a program has asked for by OAuth, has no text: its tokens change. Client
	// is the program, Host where it gets its codes, Resource the address for which it is.
	Client   string `json:"clientId,omitempty" db:"client"`
	Host     string `json:"redirectHost,omitempty" db:"host"`
	Resource string `json:"-" db:"resource"`
}

// Works reports whether the key opens anything at a time.
func (k *APIKey) Works(at Time) bool {
	return k.EndedAt == 0 && (k.ExpiresAt == 0 || at < k.ExpiresAt)
}

// KeyReason is why a key ended.
type KeyReason string

// The reasons. KeyExpired is not stored.
const (
	KeyEnded     KeyReason = "ended"      // by hand
	KeyExpired   KeyReason = "expired"    // its time was over
	KeyRemoved   KeyReason = "removed"    // its person was removed
	KeyPassword  KeyReason = "password"   // its person got a new password, or needs none any more
	KeySignedOut KeyReason = "signed_out" // its person was signed out everywhere
	KeySecretKey KeyReason = "secret_key" // it was made with a secret key that was replaced
	KeyMaker     KeyReason = "maker"      // the key that had made it ended
	KeyReused    KeyReason = "reused"     // somebody used a token of the connection a second time
	KeyGaveUp    KeyReason = "gave_up"    // the program ended its connection
)

// KeyEnd is how a key ends. By is a name, "" for nobody.
type KeyEnd struct {
	At  Time
	By  string
	For KeyReason
}

// EndOf completes how a key ended that expired without being ended before.
func (k *APIKey) EndOf() {
	if k.ExpiresAt != 0 && (k.EndedAt == 0 || k.ExpiresAt < k.EndedAt) {
		k.EndedAt, k.EndedBy, k.EndedFor = k.ExpiresAt, "", KeyExpired
	}
}

// ErrAPIKeyNotFound is returned for unknown and ended keys.
var ErrAPIKeyNotFound = &Error{Kind: NotFound, Text: "Key not found"}

// APIKeyReader is the part of a [Reader] about API keys.
type APIKeyReader interface {
	// APIKey finds one by the hash of its text, ended and expired ones too, or returns
	// ErrAPIKeyNotFound; so does the next.
	APIKey(hash string) (APIKey, error)
	APIKeyByID(id string) (APIKey, error)
	// APIKeys lists those that were not ended, newest first.
	APIKeys() ([]APIKey, error)
	// EndedAPIKeys lists those that were ended or have expired at a time, the last one first, at most
	// limit.
	EndedAPIKeys(at Time, limit int) ([]APIKey, error)
}

// APIKeyTx is the part of a [Tx] about API keys. Whatever ends one ends what was made with
// it, too.
type APIKeyTx interface {
	PutAPIKey(k *APIKey) error
	// UsedAPIKey notes when a key was used last.
	UsedAPIKey(id string, at Time) error
	EndAPIKey(id string, how KeyEnd) error
	// EndTokensOf ends a person's own, EndKeysOf what the maker made, "" for the secret key.
	EndTokensOf(person string, how KeyEnd) error
	EndKeysOf(maker string, how KeyEnd) error
	// KeepTokensOf keeps the ended tokens of a person who is removed, for the list of ended keys.
	KeepTokensOf(p *Person) error
	// DropAPIKeys forgets those that ended or expired before a time.
	DropAPIKeys(before Time) error
}

// LacksScope refuses what a key does not open; any one of the scopes would do.
func LacksScope(scopes ...KeyScope) error {
	return Errorf(Forbidden, "This key lacks the scope %s", KeyScopes(scopes).join(" or "))
}
