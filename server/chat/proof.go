package chat

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Proof is how a session's visitor proves an e-mail address by a code, for an action of the AI.
type Proof struct {
	SessionID string `db:"session_id"`
	// Action and Given are what the AI is to do once the address is proved.
	Action string `db:"action"`
	Given  string `db:"given"`
	State  string `db:"state"` // "" without a proof
	Email  string `db:"email"`
	// Code is a hash of the code, "" if none can be right.
	Code  string `db:"code"`
	Tries int64  `db:"tries"`
	Sends int64  `db:"sends"`
	// AskedAt is when the visitor was asked last.
	AskedAt Time `db:"asked_at"`
	SentAt  Time `db:"sent_at"`
	// EndedAt is when the address was proved, or no code could prove it any more.
	EndedAt Time `db:"proved_at"`
	// Claim is the delivery that sent the code, or did what was wished.
	Claim string `db:"claim"`
}

// The states of a proof.
const (
	ProofAsked = "asked"  // for an address
	ProofSent  = "sent"   // a code is on its way
	ProofOver  = "over"   // the code came too late, or there were too many wrong ones
	ProofDone  = "proved" // for [ProofLife]
)

// Bounds of proofs.
const (
	CodeLife  = 10 * time.Minute
	ProofLife = 30 * time.Minute
	codeTries = 5
	CodesHere = 3 // are sent in a session
	CodesADay = 5 // are sent to an address
)

// CodeMask stands in a conversation for a code.
const CodeMask = "••••••"

// Proved is the address that is proved at a time, "" for none.
func (p *Proof) Proved(now Time) string {
	if p.State != ProofDone || now.Sub(p.EndedAt) >= ProofLife {
		return ""
	}
	return p.Email
}

// Begin makes a new code for an address. The one before is of no use any more.
func (p *Proof) Begin(email, claim string, now Time) (code string) {
	n, _ := rand.Int(rand.Reader, big.NewInt(1_000_000)) // it never fails
	code = fmt.Sprintf("%06d", n)
	p.State, p.Email, p.Claim, p.Tries, p.SentAt = ProofSent, email, claim, 0, now
	p.Sends++
	p.Code = p.hash(NewID(), code)
	return code
}

// hash is what is kept of a code: it is right in this session and for this address alone.
func (p *Proof) hash(salt, code string) string {
	return salt + ":" + Hash(strings.Join([]string{salt, p.SessionID, p.Email, code}, "\n"))
}

// Awaits reports whether a code can still prove the address.
func (p *Proof) Awaits(now Time) bool {
	return p.State == ProofSent && p.Code != "" && now.Sub(p.SentAt) < CodeLife
}

// End lets nothing that was sent or proved so far count any more. What was sent stays counted.
func (p *Proof) End() {
	*p = Proof{SessionID: p.SessionID, Sends: p.Sends}
}

// Over ends the wait for a code.
func (p *Proof) Over(now Time) { p.State, p.Code, p.EndedAt = ProofOver, "", now }

// Try tries what a visitor says as a code, and proves the address if it is right. It returns what is
// said, without a right code, and without a wrong one that is all that is said.
func (p *Proof) Try(text string, now Time) (said string) {
	codes := codesIn(text)
	if p.State != ProofSent || !codes.tried() {
		return text
	}
	if !p.Awaits(now) {
		p.Over(now)
		return text
	}
	right := ""
	return codes.without(func(code string) bool {
		if p.State == ProofSent && p.try(code, now) {
			right = code
		}
		return code == right || codes.alone
	})
}

// Hide takes the right code out of a text that its visitor does not get to see: it could learn from that
// which one is right.
func (p *Proof) Hide(text string) string {
	if p.State != ProofSent || p.Code == "" {
		return text
	}
	codes := codesIn(text)
	return codes.without(p.right)
}

func (p *Proof) right(code string) bool {
	salt, _, _ := strings.Cut(p.Code, ":")
	return subtle.ConstantTimeCompare([]byte(p.hash(salt, code)), []byte(p.Code)) == 1
}

func (p *Proof) try(code string, now Time) (right bool) {
	p.Tries++
	switch {
	case p.right(code):
		p.State, p.Code, p.Claim, p.EndedAt = ProofDone, "", "", now
		return true
	case p.Tries >= codeTries:
		p.Over(now)
	}
	return false
}

// EmailIn is the one e-mail address in a text, "" for none or several.
func EmailIn(text string) string {
	found := ""
	for _, one := range mailLike.FindAllString(text, 9) {
		address := CleanAddress(one)
		if address == "" || found != "" && found != address {
			return ""
		}
		found = address
	}
	return found
}
