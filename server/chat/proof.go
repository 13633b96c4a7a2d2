package chat

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
	"unicode"
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
	AskedAt  Time `db:"asked_at"`
	SentAt   Time `db:"sent_at"`
	ProvedAt Time `db:"proved_at"`
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
	if p.State != ProofDone || now.Sub(p.ProvedAt) >= ProofLife {
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

// Try takes codes out of a text, and proves the address if one is right.
func (p *Proof) Try(text string, now Time) (masked string) {
	return withCodes(text, func(code string) { p.try(code, now) })
}

func (p *Proof) try(code string, now Time) {
	if p.State != ProofSent {
		return
	}
	p.Tries++
	salt, _, _ := strings.Cut(p.Code, ":")
	right := subtle.ConstantTimeCompare([]byte(p.hash(salt, code)), []byte(p.Code)) == 1
	switch {
	case now.Sub(p.SentAt) >= CodeLife || p.Code == "":
		p.State, p.Code = ProofOver, ""
	case right:
		p.State, p.Code, p.Claim, p.ProvedAt = ProofDone, "", "", now
	case p.Tries >= codeTries:
		p.State, p.Code = ProofOver, ""
	}
}

const codeLength = 6

// digitRun matches digits of any script, as people write a code: 123 456. digitGroup is a part of it
// with what separates it from the next one.
var (
	digitRun   = regexp.MustCompile(`\p{Nd}+(?:[ .\-\x{a0}\x{2009}\x{202f}]\p{Nd}+)*`)
	digitGroup = regexp.MustCompile(`\p{Nd}+[^\p{Nd}]?`)
)

// withCodes calls found with what may be a code in a text: groups of digits that are six together. It
// returns the text without them.
func withCodes(text string, found func(code string)) string {
	return digitRun.ReplaceAllStringFunc(text, func(run string) string {
		groups := digitGroup.FindAllString(run, -1)
		var b strings.Builder
		for len(groups) > 0 {
			n := sixIn(groups)
			if n == 0 {
				b.WriteString(groups[0])
				groups = groups[1:]
				continue
			}
			found(digitsOf(strings.Join(groups[:n], "")))
			b.WriteString(CodeMask)
			if groups = groups[n:]; len(groups) > 0 {
				b.WriteByte(' ')
			}
		}
		return b.String()
	})
}

// sixIn is how many of the first groups have six digits together, 0 if none.
func sixIn(groups []string) int {
	digits := 0
	for i, group := range groups {
		if digits += len(digitsOf(group)); digits == codeLength {
			return i + 1
		}
	}
	return 0
}

// HasCode reports whether something in a text may be a code.
func HasCode(text string) (has bool) {
	withCodes(text, func(string) { has = true })
	return has
}

// digitsOf are the digits of a run, as 0 to 9.
func digitsOf(run string) string {
	var b strings.Builder
	for _, r := range run {
		if !unicode.Is(unicode.Nd, r) {
			continue
		}
		b.WriteRune('0' + digitValue(r))
	}
	return b.String()
}

// digitValue is the value of a digit: each script has its ten in a row.
func digitValue(r rune) rune {
	for _, block := range unicode.Nd.R16 {
		if lo := rune(block.Lo); r >= lo && r <= rune(block.Hi) {
			return (r - lo) % 10
		}
	}
	for _, block := range unicode.Nd.R32 {
		if lo := rune(block.Lo); r >= lo && r <= rune(block.Hi) {
			return (r - lo) % 10
		}
	}
	return 0
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
