package chat

// SignIn is one browser in which somebody is signed in: a person, or whoever has the
// secret key, under the name that was typed.
type SignIn struct {
	ID        string `json:"id" db:"id"`
	Hash      string `json:"-" db:"hash"`                    // of the cookie's secret
	Person    string `json:"personId,omitempty" db:"person"` // "" with the secret key
	Name      string `json:"name,omitempty" db:"name"`       // with the secret key
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	SeenAt    Time   `json:"seenAt" db:"seen_at"`
	Agent     string `json:"agent" db:"agent"`
	Address   string `json:"address" db:"address"`
	Until     Time   `json:"-" db:"until"` // its end by single sign-on, which puts it off; 0 for none
	// PasswordOnly is set where a person has proved nothing else: no code, no passkey.
	PasswordOnly bool `json:"-" db:"password_only"`
}

// ErrSignInNotFound is returned for unknown, ended and expired sign-ins.
var ErrSignInNotFound = &Error{Kind: NotFound, Text: "Sign-in not found"}

// Invitation is a link that works once: it invites a person or, with one, sets a new
// password.
type Invitation struct {
	ID        string `json:"id" db:"id"`
	Hash      string `json:"-" db:"hash"` // of the link's secret
	Role      Role   `json:"role" db:"role"`
	Email     string `json:"email,omitempty" db:"email"`
	Person    string `json:"personId,omitempty" db:"person"`
	InvitedBy string `json:"invitedBy,omitempty" db:"invited_by"`
	Inviter   string `json:"-" db:"inviter"` // the id of a person or an API key, "" with the secret key
	// Sites are those of who joins.
	Sites SiteSet `json:"sites,omitzero" db:"sites"`
	// Mailed is what became of the e-mail with the link: "" without one, MailedWaiting or an
	// outcome. Reason is the mail server's.
	Mailed    string `json:"mailed,omitempty" db:"mailed"`
	Reason    string `json:"mailReason,omitempty" db:"mail_reason"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	ExpiresAt Time   `json:"expiresAt" db:"expires_at"`
}

// ErrInvitationNotFound is returned for unknown, used and expired links alike.
var ErrInvitationNotFound = &Error{Kind: NotFound, Text: "This link does not work any more. It was used, or is older than 48 hours; ask for a new one"}

// Passkey is a key pair of a device, with which a person signs in.
type Passkey struct {
	ID         string `json:"id" db:"id"`
	Person     string `json:"personId" db:"person"`
	Credential string `json:"-" db:"credential"` // the id that the device knows, in base64url
	Host       string `json:"-" db:"host"`       // the site that it was made for
	Key        []byte `json:"-" db:"public_key"`
	Count      int64  `json:"-" db:"signatures"` // 0 for devices that do not count
	Name       string `json:"name" db:"name"`
	CreatedAt  Time   `json:"createdAt" db:"created_at"`
	UsedAt     Time   `json:"usedAt,omitzero" db:"used_at"`
}

// TwoStep is the authenticator app whose codes a person is asked for after the password.
type TwoStep struct {
	Person      string `db:"person"`
	Secret      string `db:"secret"`       // base32
	Used        int64  `db:"used_step"`    // the period of the last code that was used
	CreatedAt   Time   `db:"created_at"`   // when it was begun
	ConfirmedAt Time   `db:"confirmed_at"` // 0 until a code has confirmed it
	Left        int    `db:"codes_left"`   // recovery codes
}

// On reports whether codes are asked for.
func (s *TwoStep) On() bool { return s.ConfirmedAt > 0 }

// Errors of two-step sign-in. A wrong code and one that was used are told apart to nobody.
var (
	ErrTwoStepOff = &Error{Kind: Conflict, Text: "Two-step sign-in is not on"}
	ErrTwoStepOn  = &Error{Kind: Conflict, Text: "Two-step sign-in is on already. Turn it off first"}
	ErrWrongCode  = ErrorAt(Forbidden, "code", "This code is wrong, or was used already. Each works once: wait for the next one")
)

// Errors of passkeys.
var (
	ErrPasskeyNotFound = &Error{Kind: NotFound, Text: "Passkey not found"}
	ErrPasskeyCounter  = &Error{Kind: Forbidden, Text: "This passkey may have been copied: it signed less often than before. Remove it under Your account and add a new one"}
	ErrChallengeUsed   = &Error{Kind: Invalid, Text: "This answer was used already. Please try again"}
)
