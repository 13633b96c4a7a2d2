package chat

// PeopleReader is the part of a [Reader] about people.
type PeopleReader interface {
	// People lists everybody by name.
	People() ([]Person, error)
	// Person returns ErrPersonNotFound when there is none; so do the next two.
	Person(id string) (Person, error)
	PersonByEmail(email string) (Person, error)
	PersonByName(key string) (Person, error)
	// CountPeople counts everybody, and the administrators of all sites.
	CountPeople() (people, administrators int, err error)
	Face(person string) (Face, error)
	// NamesOnPlatforms lists whose name on a platform it is, by "bridge name".
	NamesOnPlatforms() (map[string]Person, error)

	// SignIn finds a sign-in by the hash of its secret, or returns ErrSignInNotFound.
	SignIn(hash string) (SignIn, error)
	// SignInByID returns ErrSignInNotFound when there is none.
	SignInByID(id string) (SignIn, error)
	// SignIns lists a person's sign-ins, or everybody's with "", the last seen first.
	SignIns(person string) ([]SignIn, error)

	// Invitation finds a link by the hash of its secret, or returns ErrInvitationNotFound.
	Invitation(hash string) (Invitation, error)
	// InvitationByID returns ErrInvitationNotFound when there is none.
	InvitationByID(id string) (Invitation, error)
	// Invitations lists the links that still work at a time, newest first.
	Invitations(at Time) ([]Invitation, error)

	// Audit lists what was done, newest first.
	Audit(q AuditQuery) ([]AuditEntry, error)
}

// PeopleTx is the part of a [Tx] about people.
type PeopleTx interface {
	// PutPerson stores a new or changed person with the names on platforms.
	PutPerson(p *Person) error
	// DeletePerson also takes away what is the person's.
	DeletePerson(id string) error
	// UnassignElsewhere takes a person's sessions of other sites away.
	UnassignElsewhere(person string, sites SiteSet) error
	// LockPerson returns a person who is not removed before the transaction ends.
	LockPerson(id string) (Person, error)
	PutFace(person string, f *Face) error

	PutSignIn(s *SignIn) error
	// ProvedSignIn notes that a sign-in, "" for none, has more than a password, UnprovedSignIns that
	// those of a person have no more.
	ProvedSignIn(id string) error
	UnprovedSignIns(person string) error
	SeenSignIn(id string, at Time, address string) error
	// DeleteSignIn returns ErrSignInNotFound when there is none.
	DeleteSignIn(id string) error
	// DropKeyHolders removes what was made with the secret key and would outlive it: its
	// sign-ins, the devices that programs added, and invitations.
	DropKeyHolders() error
	// DropSignIns removes those last seen before a time.
	DropSignIns(before Time) error

	PutInvitation(i *Invitation) error
	// RenewInvitation gives a link another secret, by its hash, and SetInvitationMailed notes what
	// became of its e-mail. ErrInvitationNotFound when there is none.
	RenewInvitation(id, hash string) error
	SetInvitationMailed(id, mailed, reason string) error
	// DeleteInvitation returns ErrInvitationNotFound when there is none.
	DeleteInvitation(id string) error
	// DropLinksOf removes a person's links to a new password.
	DropLinksOf(person string) error
	// DropInvitations removes those that expired before a time.
	DropInvitations(before Time) error

	// PutAudit adds an entry and sets its number.
	PutAudit(e *AuditEntry) error
	// CountAudit counts once more what an entry records.
	CountAudit(number int64, at Time) error
	// DropAudit removes entries from before a time.
	DropAudit(before Time) error
}

// PasskeyReader is the part of a [Reader] about passkeys.
type PasskeyReader interface {
	// Passkeys lists those of a person, the oldest first.
	Passkeys(person string) ([]Passkey, error)
	// Passkey finds one by its credential, or returns ErrPasskeyNotFound; so does the next.
	Passkey(credential string) (Passkey, error)
	PasskeyByID(id string) (Passkey, error)
}

// PasskeyTx is the part of a [Tx] about passkeys.
type PasskeyTx interface {
	PutPasskey(k *Passkey) error
	RenamePasskey(id, name string) error
	// UsePasskey stores a new count, or returns ErrPasskeyCounter if it is not higher.
	UsePasskey(id string, count int64, at Time) error
	DeletePasskey(id string) error
	// UseChallenge returns ErrChallengeUsed the second time.
	UseChallenge(hash string, expires Time) error
	// DropChallenges forgets those that expired before a time.
	DropChallenges(before Time) error
}

// TwoStepReader is the part of a [Reader] about two-step sign-in.
type TwoStepReader interface {
	// TwoStep returns ErrTwoStepOff when there is none, not even one that waits to be confirmed.
	TwoStep(person string) (TwoStep, error)
}

// TwoStepTx is the part of a [Tx] about two-step sign-in.
type TwoStepTx interface {
	// BeginTwoStep stores an app that waits to be confirmed, in place of another, or returns
	// ErrTwoStepOn.
	BeginTwoStep(s *TwoStep) error
	// ConfirmTwoStep turns on what waits, whose secret it is, or returns ErrTwoStepOff.
	ConfirmTwoStep(person, secret string, step int64, at Time) error
	// UseStep uses the code of a period up, or returns ErrWrongCode if that or a later one was used.
	UseStep(person, secret string, step int64) error
	// PutRecoveryCodes replaces the recovery codes by their hashes.
	PutRecoveryCodes(person string, hashes []string) error
	// UseRecoveryCode returns ErrWrongCode if there is none with this hash.
	UseRecoveryCode(person, hash string) error
	// DropTwoStep also drops the recovery codes. It returns ErrTwoStepOff when there is none.
	DropTwoStep(person string) error
}

// DeviceReader is the part of a [Reader] about devices.
type DeviceReader interface {
	// PushDevices lists all devices that are notified.
	PushDevices() ([]PushDevice, error)
}

// DeviceTx is the part of a [Tx] about devices.
type DeviceTx interface {
	PutPushDevice(d *PushDevice) error
	// DeletePushDevice returns ErrDeviceNotFound when there is none.
	DeletePushDevice(id string) error
}

// SignOnReader is the part of a [Reader] about single sign-on.
type SignOnReader interface {
	// Identity returns the person of an identity, "" for one who was removed. known is false
	// for one that relay has never met.
	Identity(issuer, subject string) (person string, known bool, err error)
	// HasIdentity reports whether a person has another identity of an issuer.
	HasIdentity(issuer, person string) (bool, error)
	// SignOnGrants lists those that are due, the most urgent first.
	SignOnGrants(due Time, limit int) ([]SignOnGrant, error)
}

// SignOnTx is the part of a [Tx] about single sign-on.
type SignOnTx interface {
	// PutIdentity stores whose an identity is, "" for nobody's.
	PutIdentity(issuer, subject, person string) error
	PutSignOnGrant(g *SignOnGrant) error
	// RenewSignOn puts a sign-in's end off, or returns ErrSignInNotFound.
	RenewSignOn(g *SignOnGrant) error
}
