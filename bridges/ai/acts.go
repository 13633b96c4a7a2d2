package ai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Acts are what the AI may do beside answering: actions that the owner of a site has declared.
type Acts interface {
	// Offered are those that it may ask for in a session.
	Offered(ctx context.Context, session *chat.Session) ([]*act.Tool, error)
	// Look does one that only reads, because of a delivery, and returns what was asked and the answer.
	Look(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given string) (shown, text string, err error)
	// Propose stores one that changes something. It waits for a person's yes.
	Propose(ctx context.Context, session *chat.Session, t *act.Tool, delivery, given string) error
	// Proof is how a session's visitor proves an e-mail address.
	Proof(ctx context.Context, session *chat.Session) (chat.Proof, error)
	// AskProof notes what is to be done as soon as the visitor has proved an address, if an action needs that.
	AskProof(ctx context.Context, session *chat.Session, t *act.Tool, given string) (asked bool, err error)
	// SendCode sends a code to an address because of a delivery, once.
	SendCode(ctx context.Context, session *chat.Session, delivery, email, language string) (CodeOutcome, error)
	// Wish returns what was to be done as soon as the address is proved, to one delivery; nil for nothing.
	Wish(ctx context.Context, session *chat.Session, delivery string) (t *act.Tool, given string, err error)
	// Proposed returns what was proposed because of a delivery, or [chat.ErrActNotFound].
	Proposed(ctx context.Context, delivery string) (chat.Act, error)
	// Decide does what waits in a session, or not, as a person says, and returns what came of it. It
	// returns "" if nothing waits.
	Decide(ctx context.Context, d *chat.Delivery, request *chat.AIRequest, late bool) (said string, err error)
	// Waits reports whether something waits in a session.
	Waits(ctx context.Context, sessionID string) (bool, error)
}

const actingRules = `

ACTIONS, by the owner of the website. Instead of answering you may ask for one of them, once: leave "sentences" empty and add "act":{"name":"…","arguments":"{…}"}, where "arguments" is a JSON object of the parameters, in a string. If you need none, "name" is empty.
- Ask only for what the visitor wants, with what the visitor wrote. If a parameter is missing, ask the visitor for it instead.
- Who the visitor is, relay knows: you cannot say it. What an action answers comes as a passage.
- An action that changes something is shown to a colleague first. Do not say that it is done.
`

// offer tells a model what it may ask for.
func (p *Prompt) offer(tools []*act.Tool) {
	if len(tools) == 0 {
		return
	}
	p.Acts = true
	p.System += actingRules
	for _, t := range tools {
		kind := "reads"
		if t.Changes {
			kind = "changes something"
		}
		p.System += fmt.Sprintf("- %s (%s): %s Parameters: %s\n", t.Name, kind, t.About, t.Schema())
	}
}

// offered are the actions that the model may ask for in a turn. Where the AI rehearses or drafts it
// does nothing.
func (s *Sink) offered(ctx context.Context, turn *engine.AITurn) ([]*act.Tool, error) {
	if settings := s.of(&turn.Session); s.Acts == nil || settings.Rehearses() || settings.Drafts() {
		return nil, nil
	}
	return s.Acts.Offered(ctx, &turn.Session)
}

// consider has the model answer a turn, and does what it asks for instead: one action, whose answer it
// then answers from.
func (s *Sink) consider(ctx context.Context, d *chat.Delivery, turn *engine.AITurn) (reply, error) {
	if r, done, err := s.prove(ctx, d, turn); err != nil || done {
		return r, err
	}
	tools, err := s.offered(ctx, turn)
	if err != nil {
		return reply{}, err
	}
	until, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	passages, err := s.passages(ctx, until, turn)
	if err != nil {
		return reply{}, err
	}
	r, err := s.thinkFrom(ctx, until, answerRules, turn, passages, tools, readAnswer)
	if err != nil || r.act == nil {
		return r, err
	}
	at := slices.IndexFunc(tools, func(t *act.Tool) bool { return t.Name == r.act.Name })
	if at < 0 {
		return reply{handBack: chat.AIEndUnsure}, nil
	}
	if r, done, err := s.askProof(ctx, d, turn, tools[at], r.act.given()); err != nil || done {
		return r, err
	}
	return s.follow(ctx, d, turn, passages, tools[at], r.act.given())
}

// follow does what the model asks for, or proposes it to people.
func (s *Sink) follow(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, passages []chat.Passage, t *act.Tool, given string) (reply, error) {
	var shown, text string
	var err error
	if t.Changes {
		err = s.Acts.Propose(ctx, &turn.Session, t, d.ID(), given)
	} else {
		shown, text, err = s.Acts.Look(ctx, &turn.Session, t, d.ID(), given)
	}
	var failed *act.Failure
	switch {
	case errors.As(err, &failed):
		noted := "The AI wanted to use " + t.Name + ", but " + failed.Problem + "."
		if shown != "" {
			noted += "\n" + shown
		}
		return reply{handBack: chat.AIEndUnsure, noted: noted}, nil
	case err != nil:
		return reply{}, err
	case t.Changes:
		return reply{handBack: chat.AIEndAction}, nil
	}
	until, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found := chat.Passage{Source: "action", Title: strings.ReplaceAll(t.Name, "_", " "), Text: text}
	r, err := s.thinkFrom(ctx, until, answerRules, turn, fitting(append([]chat.Passage{found}, passages...)), nil, readAnswer)
	r.noted = "The AI used " + t.Name + ":\n" + shown + "\n" + text
	return r, err
}

// resume shows operators what was proposed because of a delivery, and leaves the visitor to them. What
// is there already is not stored again.
func (s *Sink) resume(ctx context.Context, d *chat.Delivery, turn *engine.AITurn) (proposed bool, err error) {
	if s.Acts == nil {
		return false, nil
	}
	a, err := s.Acts.Proposed(ctx, d.ID())
	if errors.Is(err, chat.ErrActNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	settings := s.of(&turn.Session)
	note := s.reply(d, turn, reply{text: "I would like to do this. Nothing is done yet.\n" + a.Name + ": " + a.Shown + "\n!yes does it, once. !no does not."})
	note.ClientID, note.Asked, note.Read = a.Note(), true, nil
	if _, err := s.Engine.AINote(ctx, note, false); err != nil {
		return true, err
	}
	bye := s.reply(d, turn, reply{text: engine.HandBackText(settings.HandOver, engine.LanguageOf(&turn.Session, asked(turn)), chat.AIEndAction)})
	bye.Late, bye.Read = true, nil
	out, err := s.Engine.HandBack(ctx, bye, chat.AIEndAction)
	if err == nil && out == engine.AIStored {
		err = s.Engine.CountAI(ctx, true)
	}
	return true, err
}

// decide does what waits in a session for a person, or lets the AI answer a topic by itself.
func (s Requests) decide(ctx context.Context, d *chat.Delivery, request chat.AIRequest, late bool) error {
	if s.Acts != nil && request.To != "topic" {
		if said, err := s.twoWait(ctx, d, &request); err != nil || said != "" {
			return errors.Join(err, s.saying(ctx, d, said))
		}
		said, err := s.Acts.Decide(ctx, d, &request, late)
		if err != nil || said != "" {
			return errors.Join(err, s.saying(ctx, d, said))
		}
	}
	switch {
	case late:
		return nil
	case request.Kind == chat.AINo:
		return s.say(ctx, d, "Nothing waits here for a yes.")
	}
	return s.yes(ctx, d, request)
}

// saying is say, for a text that may be empty.
func (s Requests) saying(ctx context.Context, d *chat.Delivery, text string) error {
	if text == "" {
		return nil
	}
	return s.say(ctx, d, text)
}

// twoWait asks a person who says no more than yes to what, where an action and a topic wait.
func (s Requests) twoWait(ctx context.Context, d *chat.Delivery, request *chat.AIRequest) (said string, err error) {
	if request.To != "" || request.Kind != chat.AIYes || s.Topics == nil {
		return "", nil
	}
	waits, err := s.Acts.Waits(ctx, d.SessionID)
	if err != nil || !waits {
		return "", err
	}
	if offered, err := s.Topics.Offered(ctx, d.SessionID); err != nil || !offered {
		return "", err
	}
	return "Two questions are open here. Write !yes topic, or !yes with the name of the action.", nil
}
