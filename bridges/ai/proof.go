package ai

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// CodeOutcome is what became of a code.
type CodeOutcome int

// What becomes of a code. [CodeFailed] comes with an [act.Failure].
const (
	CodeNone   CodeOutcome = iota // nobody is asked for an address
	CodeSent                      // or its address wants no e-mails, which nobody learns
	CodeLimit                     // there were too many
	CodeFailed                    // the mail server does not take it
)

// proofWords are what visitors are told about codes, in a language.
type proofWords struct{ Ask, Sent, Wrong, Over, Limit string }

//go:embed proof.json
var proofFile []byte

var proofLanguages = sync.OnceValue(func() (list map[string]proofWords) {
	if err := json.Unmarshal(proofFile, &list); err != nil {
		panic(err)
	}
	return list
})

// proofWordsOf are the words in which the visitor of a turn is told about codes.
func proofWordsOf(turn *engine.AITurn) (language string, w proofWords) {
	language = engine.LanguageOf(&turn.Session, visitorsWords(turn))
	w, known := proofLanguages()[language]
	if !known {
		language, w = "en", proofLanguages()["en"]
	}
	return language, w
}

// visitorsWords are all that a visitor wrote lately, but for e-mail addresses: they are of no language,
// and no more is a code.
func visitorsWords(turn *engine.AITurn) string {
	var texts []string
	for i := range turn.Messages {
		if m := &turn.Messages[i]; m.Sender == chat.SenderVisitor {
			texts = append(texts, strings.Fields(m.Content)...)
		}
	}
	return strings.Join(slices.DeleteFunc(texts, func(word string) bool { return strings.Contains(word, "@") }), " ")
}

// addressGiven is the e-mail address in what waits for an answer.
func addressGiven(turn *engine.AITurn) (address string) {
	for i := range turn.Waiting {
		if one := chat.EmailIn(turn.Waiting[i].Content); one != "" {
			address = one
		}
	}
	return address
}

// codeGiven reports whether what waits for an answer was tried as a code.
func codeGiven(turn *engine.AITurn, p *chat.Proof) bool {
	return slices.ContainsFunc(turn.Waiting, func(m chat.Message) bool {
		return strings.Contains(m.Content, chat.CodeMask) || m.Timestamp == p.EndedAt || m.Timestamp > p.SentAt && p.State == chat.ProofSent && chat.SaysCode(m.Content)
	})
}

// prove answers what a visitor says about a code, without the model: that only ever asks for actions.
func (s *Sink) prove(ctx context.Context, d *chat.Delivery, turn *engine.AITurn) (r reply, done bool, err error) {
	if s.Acts == nil || s.of(&turn.Session).Rehearses() {
		return r, false, nil
	}
	p, err := s.Acts.Proof(ctx, &turn.Session)
	address, coded := addressGiven(turn), codeGiven(turn, &p)
	_, words := proofWordsOf(turn)
	switch {
	case err != nil || p.State == "":
		return r, false, err
	case coded && p.State == chat.ProofDone:
		return s.granted(ctx, d, turn)
	case address != "":
		return s.sendCode(ctx, d, turn, address)
	case coded && p.State == chat.ProofSent:
		return reply{text: words.Wrong}, true, nil
	case coded && p.State == chat.ProofOver:
		return reply{text: words.Over}, true, nil
	}
	return r, false, nil
}

// granted does what the model had asked for before the visitor had to prove an address.
func (s *Sink) granted(ctx context.Context, d *chat.Delivery, turn *engine.AITurn) (r reply, done bool, err error) {
	t, given, err := s.Acts.Wish(ctx, &turn.Session, d.ID())
	if err != nil || t == nil {
		return r, false, err
	}
	r, err = s.follow(ctx, d, turn, nil, t, given)
	return r, true, err
}

// askProof asks the visitor to prove an address, if an action needs that, or sends a code to the one that was
// given at once.
func (s *Sink) askProof(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, t *act.Tool, given string) (r reply, done bool, err error) {
	asked, err := s.Acts.AskProof(ctx, &turn.Session, t, given)
	var failed *act.Failure
	switch {
	case errors.As(err, &failed):
		return reply{handBack: chat.AIEndUnsure, noted: "The AI wanted to use " + t.Name + ", but " + failed.Problem + "."}, true, nil
	case err != nil || !asked:
		return r, false, err
	}
	if address := addressGiven(turn); address != "" {
		return s.sendCode(ctx, d, turn, address)
	}
	_, words := proofWordsOf(turn)
	return reply{text: words.Ask}, true, nil
}

// sendCode sends a code, and tells the visitor so.
func (s *Sink) sendCode(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, address string) (r reply, done bool, err error) {
	language, words := proofWordsOf(turn)
	outcome, err := s.Acts.SendCode(ctx, &turn.Session, d.ID(), address, language)
	var failed *act.Failure
	switch {
	case errors.As(err, &failed):
		return reply{handBack: chat.AIEndFailed, noted: "The AI could not send the visitor a code by e-mail: " + failed.Problem + "."}, true, nil
	case err != nil || outcome == CodeNone:
		return r, false, err
	case outcome == CodeLimit:
		return reply{text: words.Limit, handBack: chat.AIEndLimit}, true, nil
	}
	return reply{text: words.Sent}, true, nil
}
