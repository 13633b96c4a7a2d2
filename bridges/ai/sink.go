package ai

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/bridges/ai/verify"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

const (
	// tries is how often a model is asked before the session is handed back.
	tries = 3
	// longestWait is how long an endpoint may ask for patience while a visitor waits.
	longestWait = time.Minute
	// presencePause is how often it is looked whether the operators have left, for all
	// conversations at once.
	presencePause = 15 * time.Second
	// tooOld is how long after it was written nobody waits for the AI's answer.
	tooOld = 12 * time.Hour
	// knowledgeTimeout bounds a search.
	knowledgeTimeout = 10 * time.Second
)

// Options are the parts of a Sink.
type Options struct {
	Engine    *engine.Engine
	Settings  chat.AI
	Client    *Client
	Knowledge Knowledge
	Health    *Health
	// Topics are those that it may answer where it rehearses; nil for none.
	Topics Topics
	// Acts are what it may do beside answering; nil for nothing.
	Acts Acts
	// Used is called with the tokens of each call of the model, nil for nobody.
	Used func(tokens int64)
}

// Sink answers what visitors write, under one set of settings. Its deliveries say
// only that there may be something to do: the session shows what.
type Sink struct{ Options }

var _ chat.Sink = (*Sink)(nil)

// NewSink makes a sink.
func NewSink(o Options) *Sink { return &Sink{o} }

// Name implements [chat.Sink].
func (s *Sink) Name() string { return chat.AISink }

// Policy implements [chat.Sink]. What is delivered twice is stored once.
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: 8, Batch: 1, Timeout: 4*callTimeout + 8*knowledgeTimeout, Attempts: 10, MaxAge: 24 * time.Hour,
		Backoff: chat.Backoff(2*time.Second, time.Minute)}
}

// Deliver implements [chat.Sink].
func (s *Sink) Deliver(ctx context.Context, lane []chat.Delivery) (int, error) {
	if err := s.takeTurn(ctx, &lane[0]); err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
		return 0, err
	}
	return 1, nil
}

// errOperatorThere is why the AI waits.
var errOperatorThere = errors.New("an operator is there")

// of are the settings at a session's site.
func (s *Sink) of(session *chat.Session) *chat.AI {
	settings := s.Settings
	if session.Site != "" {
		settings = settings.AtSite(s.Engine.SettingsOf(session.Site).AI())
	}
	return &settings
}

// siteOf is the site whose sources a turn is answered from, nil where there is one.
func (s *Sink) siteOf(turn *engine.AITurn) *string {
	if !s.Engine.Sites().Several() {
		return nil
	}
	return &turn.Session.Site
}

// takeTurn answers a session's visitor, if that is still wanted.
func (s *Sink) takeTurn(ctx context.Context, d *chat.Delivery) error {
	turn, err := s.Engine.AITurn(ctx, d)
	if err == nil {
		var proposed bool
		if proposed, err = s.resume(ctx, d, &turn); proposed {
			return err
		}
	}
	if err != nil || turn.Over() || chat.Now().Sub(turn.Waiting[len(turn.Waiting)-1].Timestamp) > tooOld {
		return err
	}
	settings := s.of(&turn.Session)
	switch {
	case settings.Mode == "off": // at this site, meanwhile
		return nil
	case settings.Drafts():
		return s.propose(ctx, d, turn)
	}
	switch topic, err := s.earned(ctx, settings, &turn); {
	case err != nil:
		return err
	case topic == "" && settings.Rehearses():
		return s.leave(ctx, d, &turn)
	}
	if s.Engine.PresenceAt(turn.Session.Site).Online && !stepsIn(settings, &turn) {
		scope := chat.ScopeSink
		if s.Engine.Sites().Several() || settings.StepIn > 0 { // others may wait longer, or where nobody is there
			scope = chat.ScopeLane
		}
		return &chat.RetryAfter{After: presencePause, Scope: scope, Cause: errOperatorThere}
	}
	if language, asks := asksForPerson(asked(&turn), engine.LanguageOf(&turn.Session, asked(&turn))); asks {
		return s.handBack(ctx, d, &turn, language, chat.AIEndAsked)
	}
	if topicOf(asked(&turn), settings.Topics) != "" {
		return s.handBack(ctx, d, &turn, "", chat.AIEndTopic)
	}
	if turn.Session.AIAnswers >= settings.MaxAnswers {
		return s.handBack(ctx, d, &turn, "", chat.AIEndLimit)
	}
	spent, err := s.spent(ctx)
	switch {
	case err != nil:
		return err
	case spent && turn.Session.AIActive:
		return s.handBack(ctx, d, &turn, "", chat.AIEndBudget)
	case spent: // as if there were no AI
		return nil
	}
	return s.answer(ctx, d, turn)
}

// stepsIn reports whether the AI answers though somebody is there: nobody has answered for as long
// as the site's rule says. It goes on until somebody does.
func stepsIn(settings *chat.AI, turn *engine.AITurn) bool {
	if settings.StepIn == 0 {
		return false
	}
	waits := turn.Waiting[0].Timestamp
	for i := range slices.Backward(turn.Messages) {
		m := &turn.Messages[i]
		if m.Sender == chat.SenderOperator && !m.ByRelay() {
			break
		}
		if m.Sender == chat.SenderVisitor {
			waits = min(waits, m.Timestamp)
		}
	}
	return chat.Now().Sub(waits) >= settings.StepIn
}

// spent reports whether the day's tokens are used up.
func (s *Sink) spent(ctx context.Context) (bool, error) {
	used, err := s.Engine.TokensToday(ctx)
	spent := s.Settings.DailyTokens > 0 && used >= s.Settings.DailyTokens
	s.Health.budget(spent)
	return spent, err
}

// answer has the model answer. When the visitor writes more meanwhile, or changes what
// was asked, it thinks again, once.
func (s *Sink) answer(ctx context.Context, d *chat.Delivery, turn engine.AITurn) error {
	defer s.showTyping(ctx, turn.Session.ID, s.of(&turn.Session).Name)()
	for _, late := range []bool{false, true} {
		r, err := s.consider(ctx, d, &turn)
		if err != nil {
			return s.failed(ctx, d, &turn, err)
		}
		if r.handBack == chat.AIEndAction {
			_, err := s.resume(ctx, d, &turn)
			return err
		}
		if may, err := s.mayAnswer(ctx, d, &turn); err != nil || !may {
			return err
		}
		out, err := s.store(ctx, d, &turn, r, late)
		if err == nil && out == engine.AIStored {
			err = errors.Join(s.Engine.CountAI(ctx, r.handBack != ""), s.noteWithheld(ctx, d, &turn, r))
		}
		if err != nil || out != engine.AIStale {
			return err
		}
		if turn, err = s.Engine.AITurn(ctx, d); err != nil || turn.Over() {
			return err
		}
	}
	return errChanging
}

// changingPause is how long to wait for a visitor who goes on changing what was asked.
const changingPause = 3 * time.Second

// errChanging: whatever the model made of a turn was out of date by then.
var errChanging = &chat.RetryAfter{After: changingPause, Scope: chat.ScopeLane, Cause: errors.New("what was asked changed meanwhile")}

// reply is what was made of a turn, as it is stored.
func (s *Sink) reply(d *chat.Delivery, turn *engine.AITurn, r reply) engine.AIReply {
	return engine.AIReply{SessionID: d.SessionID, ClientID: d.ID(), Name: s.of(&turn.Session).Name, Content: r.text, Sources: r.sources, Seen: turn.Seen, Read: turn.Messages}
}

// store stores what the model made of a turn.
func (s *Sink) store(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, r reply, late bool) (engine.AIOutcome, error) {
	a := s.reply(d, turn, r)
	a.Late = late
	settings := s.of(&turn.Session)
	if opening := settings.Opening; opening != "" && r.text != "" && turn.Session.AIAnswers == 0 {
		a.Content = opening + "\n\n" + a.Content
	}
	if r.handBack == "" {
		return s.Engine.AIAnswer(ctx, a)
	}
	language := engine.LanguageOf(&turn.Session, asked(turn))
	if r.text == "" {
		a.Content = engine.HandBackText(settings.HandOver, language, r.handBack)
	} else {
		a.Content += "\n\n" + engine.HandBackText(settings.HandOver, language, "")
	}
	out, err := s.Engine.HandBack(ctx, a, r.handBack)
	if err == nil && out == engine.AIStored && r.handBack == chat.AIEndUnsure {
		known := turn.Session.PersonalWords()
		err = s.Knowledge.Unanswered(ctx, chat.Question{SessionID: d.SessionID, Question: chat.WithoutPersonal(asked(turn), known...),
			Context: chat.WithoutPersonal(askedBefore(turn), known...)})
	}
	return out, err
}

// noteWithheld notes for operators what the visitor did not get of an answer, and why.
func (s *Sink) noteWithheld(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, r reply) error {
	text := strings.TrimSpace(r.noted + "\n" + r.withheld())
	if text == "" {
		return nil
	}
	a := s.reply(d, turn, reply{text: text})
	a.ClientID, a.Asked, a.Read = d.ID()+".withheld", true, nil
	_, err := s.Engine.AINote(ctx, a, false)
	return err
}

// handBack ends the AI in a session without asking the model.
func (s *Sink) handBack(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, language, reason string) error {
	if language == "" {
		language = engine.LanguageOf(&turn.Session, asked(turn))
	}
	a := s.reply(d, turn, reply{text: engine.HandBackText(s.of(&turn.Session).HandOver, language, reason)})
	a.Late = true
	out, err := s.Engine.HandBack(ctx, a, reason)
	switch {
	case err == nil && out == engine.AIStale:
		return errChanging
	case err == nil && out == engine.AIStored:
		return s.Engine.CountAI(ctx, true)
	}
	return err
}

// think asks the model once by rules and reads its text.
func (s *Sink) think(ctx context.Context, rules string, turn *engine.AITurn, read func(Completion, *grounds) reply) (reply, error) {
	until, cancel := context.WithTimeout(ctx, callTimeout) // of the search and the call together
	defer cancel()
	passages, err := s.passages(ctx, until, turn)
	if err != nil {
		return reply{}, err
	}
	return s.thinkFrom(ctx, until, rules, turn, passages, nil, read)
}

// thinkFrom is think with the passages that were found, and what the model may ask for.
func (s *Sink) thinkFrom(ctx, until context.Context, rules string, turn *engine.AITurn, passages []chat.Passage, tools []*act.Tool, read func(Completion, *grounds) reply) (reply, error) {
	settings := s.of(&turn.Session)
	if rules == answerRules && len(tools) == 0 && nothingToSay(settings, turn, passages) {
		return reply{handBack: chat.AIEndUnsure}, nil
	}
	p := prompt(rules, settings, turn, passages)
	p.offer(tools)
	done, err := s.complete(ctx, until, p)
	if err != nil {
		return reply{}, err
	}
	g := groundsOf(settings, turn, passages)
	g.acts = p.Acts
	return read(done, g), nil
}

// nothingToSay reports whether there is neither a passage nor a fact to answer from, and the visitor
// did more than greet: then no model is asked.
func nothingToSay(settings *chat.AI, turn *engine.AITurn, passages []chat.Passage) bool {
	return len(passages) == 0 && strings.TrimSpace(settings.Instructions) == "" && !verify.IsTalk(asked(turn), "")
}

// passages finds what the model may answer from. A question that is rewritten for it counts.
func (s *Sink) passages(ctx, until context.Context, turn *engine.AITurn) ([]chat.Passage, error) {
	l := look{knowledge: s.Knowledge, site: s.siteOf(turn), settings: s.of(&turn.Session),
		ask: func(asking context.Context, p Prompt) (Completion, error) { return s.complete(ctx, asking, p) }}
	return l.find(until, turn)
}

// busyPause is how long to wait while the calls that run may use up the day's tokens.
const busyPause = 3 * time.Second

var errBusy = &chat.RetryAfter{After: busyPause, Scope: chat.ScopeLane, Cause: errors.New("the calls that run may use up today's tokens")}

// complete asks the model and notes what that cost, and how the endpoint is.
func (s *Sink) complete(ctx, until context.Context, p Prompt) (Completion, error) {
	call, ok, err := s.Engine.PlanTokens(ctx, s.Settings.DailyTokens, p.tokens()+answerTokens)
	switch {
	case err != nil:
		return Completion{}, err
	case !ok:
		return Completion{}, errBusy
	}
	done, err := s.ask(ctx, until, p)
	if err != nil {
		done.Tokens = 0
	}
	if s.Used != nil {
		s.Used(done.Tokens)
	}
	if err == nil || s.Settings.DailyTokens > 0 {
		err = errors.Join(err, s.Engine.SpendTokens(context.WithoutCancel(ctx), call, done.Tokens))
	}
	return done, err
}

// ask asks the model, until a limit of time ends, and notes how the endpoint is.
func (s *Sink) ask(ctx, until context.Context, p Prompt) (Completion, error) {
	done, err := s.Client.Complete(until, p)
	if ctx.Err() != nil { // relay stops; the endpoint is not to blame
		return done, ctx.Err()
	}
	s.Health.note(err)
	return done, err
}

// failed notes a failed attempt. After the last one, or when no other would help,
// the session is handed back.
func (s *Sink) failed(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, err error) error {
	retry, enough := retryLater(ctx, d, err)
	if !enough {
		return retry
	}
	return s.handBack(ctx, d, turn, "", chat.AIEndFailed)
}

// retryLater notes a failed attempt of the endpoint and returns when to make
// another one, or that there were enough. Other errors are the outbox's.
func retryLater(ctx context.Context, d *chat.Delivery, err error) (retry error, final bool) {
	var f *Failure
	if !errors.As(err, &f) || ctx.Err() != nil {
		return err, false
	}
	d.Note(chat.Try{At: chat.Now(), Error: f.Problem})
	if f.Final || len(d.Tries) >= tries || f.Wait > longestWait {
		return nil, true
	}
	pause := time.Duration(len(d.Tries)*len(d.Tries)) * 2 * time.Second
	return &chat.RetryAfter{After: max(pause, f.Wait), Scope: chat.ScopeLane, Cause: f}, false
}

// typingEvery is how often the visitor sees again that an answer is being written.
const typingEvery = 5 * time.Second

// showTyping shows the visitor that an answer is being written, until stop.
func (s *Sink) showTyping(ctx context.Context, sessionID, name string) (stop func()) {
	by := chat.Author{Sender: chat.SenderAI, Source: chat.SourceAI, Name: name}
	show := func(ctx context.Context, active bool) { _ = s.Engine.Typing(ctx, by, sessionID, active) } // a hint, no more
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for show(ctx, true); chat.Rest(ctx, typingEvery) == nil; {
			show(ctx, true)
		}
	}()
	return func() {
		cancel()
		<-ended
		show(context.WithoutCancel(ctx), false)
	}
}
