package chat

import (
	"encoding/base32"
	"regexp"
	"strings"
)

// MailThread is what an answer to an e-mail belongs to.
type MailThread struct {
	SessionID string
	// Member hides the address of somebody of the team whom the e-mail went to, see
	// [MailThreads.IsMember]; it is "" if it went to the visitor.
	Member string
	// Trial is the id of an e-mail of relay to itself, by which the way back is tried. There is no
	// session then.
	Trial string
	// Code: it was an e-mail with a code, which nobody answers. There is no session.
	Code bool
}

// MailThreads makes the names by which answers to e-mails find their conversation, and checks
// them. Nobody else can make one: who has it got the e-mail, or has it from somebody who did.
type MailThreads struct{ key []byte }

// NewMailThreads makes names with a key that never changes.
func NewMailThreads(key []byte) *MailThreads { return &MailThreads{key} }

// The parts of a name. It is short, for the part of an address before the @ has at most 64
// characters (RFC 5321), and in small letters, for some servers do not keep others.
const (
	ofVisitor    = "v"
	ofMember     = "t"
	ofTrial      = "r"
	ofCode       = "c"
	memberLength = 8
	signedLength = 12
	visitorName  = len(ofVisitor) + idLength + signedLength
	memberName   = visitorName + memberLength
	longestLocal = 64
)

var (
	small     = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	relaysID  = regexp.MustCompile(`^[A-Z2-7]{26}$`)
	smallRuns = regexp.MustCompile(`[a-z2-7]{39,}`)
)

// Visitor is the name for the visitor's answers; "" for a session whose id is not relay's.
func (t *MailThreads) Visitor(sessionID string) string { return t.name(ofVisitor, sessionID, "") }

// Member is the name for answers of somebody of the team with an e-mail address.
func (t *MailThreads) Member(sessionID, address string) string {
	return t.name(ofMember, sessionID, t.hide(address))
}

// IsMember reports whether an address is the one that the team's e-mail went to.
func (t *MailThreads) IsMember(thread MailThread, address string) bool {
	return address != "" && SameSecret(thread.Member, t.hide(address))
}

// Trial is the name for an e-mail by which the way back is tried, with an id of [NewID].
func (t *MailThreads) Trial(id string) string { return t.name(ofTrial, id, "") }

// Code is the name for an e-mail with a code, with an id of [NewID].
func (t *MailThreads) Code(id string) string { return t.name(ofCode, id, "") }

func (t *MailThreads) hide(address string) string {
	return t.sign("member\n" + address)[:memberLength]
}

func (t *MailThreads) sign(text string) string { return small.EncodeToString(MAC(t.key, text)) }

func (t *MailThreads) name(kind, sessionID, member string) string {
	if !relaysID.MatchString(sessionID) {
		return ""
	}
	named := kind + strings.ToLower(sessionID) + member
	return named + t.sign("thread\n" + named)[:signedLength]
}

// Find returns what the names in a text belong to, like those in an address or in the id of
// an e-mail.
func (t *MailThreads) Find(text string) (found []MailThread) {
	for _, run := range smallRuns.FindAllString(strings.ToLower(text), 10) {
		for _, length := range []int{visitorName, memberName} {
			if len(run) < length {
				continue
			}
			if thread, ok := t.read(run[len(run)-length:]); ok {
				found = append(found, thread)
			}
		}
	}
	return found
}

func (t *MailThreads) read(name string) (thread MailThread, ok bool) {
	named, signature := name[:len(name)-signedLength], name[len(name)-signedLength:]
	id, rest := strings.ToUpper(named[1:1+idLength]), named[1+idLength:]
	switch kind := named[:1]; {
	case kind == ofVisitor && rest == "":
		thread.SessionID = id
	case kind == ofMember && rest != "":
		thread.SessionID, thread.Member = id, rest
	case kind == ofTrial && rest == "":
		thread.Trial = id
	case kind == ofCode && rest == "":
		thread.Code = true
	default:
		return thread, false
	}
	return thread, SameSecret(signature, t.sign("thread\n" + named)[:signedLength])
}

// MailReply is where answers to an e-mail go, so that they find its conversation by their
// address: the setting mailReplyTo with the conversation's name instead of its *, without a
// setting behind a + in the sender's address. "" if there is no room for it: then only the id
// of the e-mail tells.
func MailReply(setting, from, name string) string {
	if setting == "" {
		local, domain, _ := strings.Cut(from, "@")
		setting = local + "+*@" + domain
	}
	if !strings.Contains(setting, "*") {
		return setting
	}
	address := strings.Replace(setting, "*", name, 1)
	if local, _, _ := strings.Cut(address, "@"); name == "" || len(local) > longestLocal {
		return ""
	}
	return address
}
