package bridges

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/server/chat"
)

// RehearsalStore keeps rehearsed questions. Package db has the only implementation.
type RehearsalStore interface {
	TopicStore
	PlanRehearsals(ctx context.Context, rows []chat.Rehearsal) error
	PlanShadows(ctx context.Context, rows []chat.Rehearsal) error
	OutdatedRehearsals(ctx context.Context) ([]chat.Rehearsal, error)
	AskAgain(ctx context.Context, rows []chat.Rehearsal) error
	NextRehearsal(ctx context.Context) (chat.Rehearsal, error)
	SettleRehearsal(ctx context.Context, r *chat.Rehearsal) error
	JudgeRehearsal(ctx context.Context, id, judged string) error
	StopRehearsals(ctx context.Context, ids []string) error
}

// Rehearsals have the AI answer what people answered, one question after the other.
type Rehearsals struct {
	ai     *AI
	store  RehearsalStore
	topics *Topics
	bell   chan struct{}
	// shadowed is up to when people's answers were looked at.
	shadowed chat.Time
	checked  chat.Time // when it was looked for changed pages
}

// NewRehearsals makes the rehearsals of an AI. Nothing is asked before their Run.
func NewRehearsals(a *AI, store RehearsalStore, topics *Topics) *Rehearsals {
	return &Rehearsals{ai: a, store: store, topics: topics, bell: make(chan struct{}, 1)}
}

// The pauses of the rehearsal: how soon questions are noticed that another node planned, and after
// what cannot be helped.
const (
	rehearsalPoll  = 5 * time.Second
	rehearsalPause = time.Minute
)

// Run asks what waits until ctx ends, also what waited when relay was stopped.
func (r *Rehearsals) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		pause, err := r.step(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, ai.ErrRehearsalRests) {
			r.ai.opts.Log.Error("cannot rehearse the AI; relay tries again in a minute", "err", err)
		}
		r.wait(ctx, pause)
	}
	return nil
}

func (r *Rehearsals) wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-r.bell:
	}
}

// step asks one question, and returns when to look again.
func (r *Rehearsals) step(ctx context.Context) (pause time.Duration, err error) {
	settings := r.ai.engine.Settings().AI()
	if !settings.SetUp() {
		return rehearsalPoll, nil
	}
	if err := errors.Join(r.shadow(ctx), r.outdated(ctx), r.sort(ctx)); err != nil {
		return rehearsalPause, err
	}
	r.follow(ctx)
	next, err := r.store.NextRehearsal(ctx)
	if err != nil {
		return rehearsalPause, err
	}
	if next.ID == "" {
		return rehearsalPoll, nil
	}
	was := next
	err = r.ai.sink(settings).Rehearse(ctx, &next)
	if errors.Is(err, chat.ErrSessionNotFound) {
		return 0, nil // erased meanwhile, and the question with it
	}
	if err == nil {
		err = r.topics.consider(ctx, &next)
	}
	if err == nil {
		err = r.store.SettleRehearsal(ctx, &next)
	}
	if err != nil {
		return rehearsalPause, err
	}
	if next.Cause != "" && was.Right() && !next.Right() {
		r.ai.opts.Log.Warn("a page changed, and the AI's answer that rested on it became worse; see Settings → AI → Rehearsal", "page", next.Cause)
	}
	return 0, nil
}

// follow takes topics back and tells operators what happened to them. It holds up no question; what fails
// is tried again in a minute.
func (r *Rehearsals) follow(ctx context.Context) {
	if err := r.topics.review(ctx); err != nil && ctx.Err() == nil {
		r.ai.opts.Log.Error("cannot look what speaks against the AI's answers; relay tries again in a minute", "err", err)
	}
	if err := r.topics.tell(ctx); err != nil && ctx.Err() == nil {
		r.ai.opts.Log.Error("cannot tell operators about a topic; relay tries again in a minute", "err", err)
	}
}

// List returns the questions of sites' visitors, newest first.
func (r *Rehearsals) List(ctx context.Context, sites chat.SiteSet) ([]chat.Rehearsal, error) {
	list, err := r.store.Rehearsals(ctx)
	return slices.DeleteFunc(list, func(one chat.Rehearsal) bool { return !sites.Has(one.Site) }), err
}

// Find returns the newest questions that a rehearsal would ask, n at most.
func (r *Rehearsals) Find(ctx context.Context, sites chat.SiteSet, n int) ([]chat.Rehearsal, error) {
	return ai.Examples(ctx, r.ai.engine.Store, sites, n)
}

// Plan lets questions be asked.
func (r *Rehearsals) Plan(ctx context.Context, list []chat.Rehearsal) error {
	err := r.store.PlanRehearsals(ctx, list)
	select {
	case r.bell <- struct{}{}:
	default:
	}
	return err
}

// Stop lets no more questions of sites' visitors be asked.
func (r *Rehearsals) Stop(ctx context.Context, sites chat.SiteSet) error {
	list, err := r.List(ctx, sites)
	if err != nil {
		return err
	}
	var ids []string
	for i := range list {
		if list[i].Waiting {
			ids = append(ids, list[i].ID)
		}
	}
	return r.store.StopRehearsals(ctx, ids)
}

// Judge stores what a person makes of an answer.
func (r *Rehearsals) Judge(ctx context.Context, id, judged string) error {
	list, err := r.store.Rehearsals(ctx)
	at := slices.IndexFunc(list, func(one chat.Rehearsal) bool { return one.ID == id })
	if err == nil && at < 0 {
		err = chat.ErrRehearsalNotFound
	}
	if err != nil {
		return err
	}
	list[at].Judged = judged
	if err := r.topics.consider(ctx, &list[at]); err != nil {
		return err
	}
	return r.store.JudgeRehearsal(ctx, id, judged)
}

// Shadows are planned once a person's answer is so old, as more of it may follow; what was answered
// longer ago than shadowsBack when relay starts is left.
const (
	shadowQuiet = 2 * time.Minute
	shadowEvery = 30 * time.Second
	shadowsBack = 24 * time.Hour
)

// shadow plans an answer beside each answer of a person, where the AI rehearses.
func (r *Rehearsals) shadow(ctx context.Context) error {
	to := chat.Now().Add(-shadowQuiet)
	if to.Sub(r.shadowed) < shadowEvery {
		return nil
	}
	var err error
	if sites := r.topics.rehearsing(); len(sites) > 0 {
		var list []chat.Rehearsal
		from := max(r.shadowed+1, to.Add(-shadowsBack))
		list, err = ai.ExamplesIn(ctx, r.ai.engine.Store, sites, ai.Window{From: from, To: to}, chat.MaxRehearsals)
		if err == nil && len(list) > 0 {
			err = r.store.PlanShadows(ctx, list)
		}
	}
	if err == nil {
		r.shadowed = to
	}
	return err
}

// outdatedEvery is how often it is looked whether a page changed that an answer rests on.
const outdatedEvery = 10 * time.Second

// outdated has answers rehearsed again that rest on a page that is gone or changed, where the AI is on.
func (r *Rehearsals) outdated(ctx context.Context) error {
	now := chat.Now()
	if now.Sub(r.checked) < outdatedEvery {
		return nil
	}
	list, err := r.store.OutdatedRehearsals(ctx)
	list = slices.DeleteFunc(list, func(one chat.Rehearsal) bool {
		settings := r.ai.engine.SettingsOf(one.Site).AI()
		return !settings.On()
	})
	if err == nil && len(list) > 0 {
		err = r.store.AskAgain(ctx, list)
	}
	if err == nil {
		r.checked = now
	}
	return err
}
