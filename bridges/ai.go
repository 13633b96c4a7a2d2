package bridges

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// AIOptions are the parts and settings of an AI.
type AIOptions struct {
	Knowledge ai.Knowledge
	Topics    ai.Topics      // that the AI may answer where it rehearses
	Acts      ai.Acts        // what it may do beside answering
	Allowed   []netip.Prefix // private networks that an address set through the API may be in
	Log       *slog.Logger
}

// AI answers visitors while the settings name an endpoint.
type AI struct {
	engine *engine.Engine
	opts   AIOptions

	mu     sync.Mutex
	of     chat.AI // what client and health belong to
	client *ai.Client
	health *ai.Health
}

// NewAI makes the AI. It answers nobody before its Run.
func NewAI(engine *engine.Engine, o AIOptions) *AI {
	return &AI{engine: engine, opts: o, health: ai.NewHealth(o.Log)}
}

// newAIClient makes a client of an endpoint. An address of the environment may be
// private: a model on the same machine.
func newAIClient(settings chat.AI, allowed []netip.Prefix) *ai.Client {
	if settings.Trusted {
		allowed = guard.Private
	}
	return ai.NewClient(settings, guard.NewTransport(allowed))
}

// current returns the client and the health of the endpoint that the settings name.
func (a *AI) current(settings chat.AI) (*ai.Client, *ai.Health) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.client == nil || a.of != settings {
		a.of, a.client, a.health = settings, newAIClient(settings, a.opts.Allowed), ai.NewHealth(a.opts.Log)
	}
	return a.client, a.health
}

// Run answers visitors until ctx ends, on one node.
func (a *AI) Run(ctx context.Context) error {
	return a.engine.Nodes.Hold(ctx, chat.AISink, a.run)
}

// on reports whether the AI works at any site.
func (a *AI) on() bool {
	sites := a.engine.Sites()
	return slices.ContainsFunc(sites.All(), func(site chat.Site) bool {
		settings := sites.Settings(site.ID).AI()
		return settings.On()
	})
}

// run answers visitors until ctx ends, always under the current settings.
func (a *AI) run(ctx context.Context, lease *nodes.Lease) error {
	for await(ctx, a.engine, a.on); ctx.Err() == nil; await(ctx, a.engine, a.on) {
		if err := a.serve(ctx, lease, a.engine.Settings().AI()); err != nil && ctx.Err() == nil {
			a.opts.Log.Error("the AI cannot use the database", "err", err)
			_ = chat.Rest(ctx, time.Second)
		}
	}
	return nil
}

// serve answers visitors until the settings of the AI change or ctx ends.
func (a *AI) serve(ctx context.Context, lease *nodes.Lease, settings chat.AI) error {
	ctx, stop := context.WithCancel(ctx)
	client, health := a.current(settings)
	sink := ai.NewSink(ai.Options{Engine: a.engine, Settings: settings, Client: client, Knowledge: a.opts.Knowledge, Health: health, Topics: a.opts.Topics, Acts: a.opts.Acts})
	var serving sync.WaitGroup
	var errs [2]error
	for i, s := range []chat.Sink{sink, ai.Requests{Sink: sink}} {
		serving.Go(func() {
			defer stop()
			errs[i] = a.engine.Outbox.ServeUnder(ctx, lease, s)
		})
	}
	serving.Go(func() { a.engine.Nodes.Describe(ctx, lease, func() any { return healthState(health) }) })
	await(ctx, a.engine, func() bool { return a.engine.Settings().AI() != settings || !a.on() })
	stop()
	serving.Wait()
	return errors.Join(errs[:]...)
}

// CheckAddress rejects a forbidden endpoint, as far as its address alone shows.
func (a *AI) CheckAddress(address string) error {
	private, refused := refuseAddress("aiBaseUrl", address, a.opts.Allowed, "confirm it by POST /api/admin/ai/private-host, or set the address by AI_BASE_URL")
	switch {
	case refused == nil || private && a.engine.Settings().AIHostConfirmed(address):
		return nil
	case private:
		refused.Confirm = chat.HostOf(address)
	}
	return refused
}

// State returns how the AI is doing.
func (a *AI) State(ctx context.Context) (chat.AIState, error) {
	settings := a.engine.Settings().AI()
	state := chat.AIState{State: chat.AIOff, Mode: settings.Mode, Model: settings.Model, DailyTokens: settings.DailyTokens}
	if !a.on() {
		return state, nil
	}
	_, health := a.current(settings)
	at := healthState(health)
	if _, err := a.engine.Nodes.Described(ctx, chat.AISink, &at); err != nil {
		return state, err
	}
	state.State, state.LastError, state.Fix, state.Since = at.State, at.LastError, at.Fix, at.Since
	var err error
	state.TokensToday, state.AnswersToday, state.HandedOverToday, err = a.engine.AIToday(ctx)
	state.CostToday = settings.Price.Of(state.TokensToday)
	return state, err
}

// healthState is the part of the state that only the node that answers knows.
func healthState(health *ai.Health) chat.AIState {
	if since, why := health.Failing(); since != 0 {
		return chat.AIState{State: chat.AIFailing, LastError: why.Problem, Fix: why.Fix, Since: since}
	}
	return chat.AIState{State: chat.AIRunning}
}

// Ask answers a question that belongs to no conversation as a site's visitor would be answered.
func (a *AI) Ask(ctx context.Context, site, question string) (chat.AIAnswer, error) {
	settings := a.engine.Settings().AI()
	if !settings.SetUp() {
		return chat.AIAnswer{Ended: chat.AIEndOff}, nil
	}
	return a.sink(settings).Answer(ctx, site, question)
}

// sink is what answers under some settings.
func (a *AI) sink(settings chat.AI) *ai.Sink {
	client, health := a.current(settings)
	return ai.NewSink(ai.Options{Engine: a.engine, Settings: settings, Client: client, Knowledge: a.opts.Knowledge, Health: health, Topics: a.opts.Topics})
}

// Test asks the model one question.
func (a *AI) Test(ctx context.Context) (chat.AITest, error) {
	settings := a.engine.Settings().AI()
	if !settings.SetUp() {
		return chat.AITest{}, chat.Errorf(chat.Conflict, "The AI is not set up: it needs an address and a model")
	}
	client, _ := a.current(settings)
	test := testAI(ctx, client, settings)
	if !test.OK && !settings.Trusted && guard.IsPrivateName(ctx, settings.BaseURL, a.opts.Allowed) {
		test.Confirm = chat.HostOf(settings.BaseURL)
		test.Fix = "confirm that the AI is in your own network"
	}
	return test, a.engine.SpendTokens(ctx, "", test.Tokens)
}

// Explain answers a question as a visitor of a site would be answered, and says what became of each
// sentence; nil: there is one site. A model that does not answer is a result.
func (a *AI) Explain(ctx context.Context, site *string, question string) (chat.AIAsked, error) {
	current := a.engine.Settings()
	if site != nil && *site != chat.AllSites {
		current = a.engine.SettingsOf(*site)
	}
	settings := a.engine.Settings().AI()
	if !settings.SetUp() {
		return chat.AIAsked{}, chat.Errorf(chat.Conflict, "The AI is not set up: it needs an address and a model")
	}
	if used, err := a.engine.TokensToday(ctx); err != nil || settings.DailyTokens > 0 && used >= settings.DailyTokens {
		return chat.AIAsked{}, cmp.Or(err, error(chat.Errorf(chat.Conflict, "Today's tokens are used up")))
	}
	client, _ := a.current(settings)
	settings = settings.AtSite(current.AI())
	out, err := ai.Explain(ctx, client, &settings, a.opts.Knowledge, site, question)
	var f *ai.Failure
	switch {
	case errors.As(err, &f):
		out.Error, out.Fix = f.Problem, f.Fix
	case err != nil:
		return out, err
	}
	return out, a.engine.SpendTokens(ctx, "", out.Tokens)
}

func testAI(ctx context.Context, client *ai.Client, settings chat.AI) chat.AITest {
	answer, err := client.Test(ctx)
	test := chat.AITest{OK: err == nil, Answer: answer.Text, Tokens: answer.Tokens, DurationMs: answer.Took.Milliseconds()}
	var f *ai.Failure
	if errors.As(err, &f) {
		test.Error, test.Fix = f.Problem, f.Fix
	}
	if settings.Withheld && strings.Contains(test.Fix, "AI_API_KEY") {
		test.Fix = "set AI_BASE_URL beside AI_API_KEY: relay sends that key to no address that was set elsewhere"
	}
	return test
}

// ExamineAI checks the AI for relay doctor, by a question to its model. running is
// what a running relay reports.
func ExamineAI(ctx context.Context, s *chat.Settings, allowed []netip.Prefix, running *chat.AIState) Checkup {
	settings := s.AI()
	out := Checkup{Name: "ai"}
	switch {
	case settings.BaseURL == "" && settings.Model == "":
		out.Findings = []chat.Finding{chat.Fine("settings", "not set up; nobody answers while no operator is there")}
		return out
	case !settings.SetUp():
		missing := "aiModel"
		if settings.BaseURL == "" {
			missing = "aiBaseUrl"
		}
		out.Findings = missingFindings(s, []string{missing})
		return out
	}
	out.Findings = []chat.Finding{chat.Fine("settings", "mode "+settings.Mode+", model "+settings.Model), askFinding(testAI(ctx, newAIClient(settings, allowed), settings))}
	if running != nil && running.State == chat.AIFailing && !chat.Failed(out.Findings) {
		out.Findings = append(out.Findings, chat.Finding{Subject: "running relay", Level: chat.FindingWarn, Text: running.LastError, Fix: running.Fix})
	}
	if running != nil && running.DailyTokens > 0 && running.TokensToday >= running.DailyTokens {
		out.Findings = append(out.Findings, chat.Finding{Subject: "budget", Level: chat.FindingWarn, Text: "today's tokens are used up", Fix: "raise AI_DAILY_TOKENS, or wait until tomorrow (UTC)"})
	}
	return out
}

// mostPages is how many changed pages relay doctor names.
const mostPages = 10

// ChangedPages is what relay doctor says of pages whose change made answers of the AI worse, by its
// rehearsed questions.
func ChangedPages(list []chat.Rehearsal) (found []chat.Finding) {
	for _, c := range chat.PageChanges(list) {
		if c.Worse > 0 && len(found) < mostPages {
			text := fmt.Sprintf("“%s” changed, and %d of %d answers that rested on it became worse", chat.Clip(chat.OneLine(c.Page), 100), c.Worse, c.Asked)
			found = append(found, chat.Finding{Subject: "page", Level: chat.FindingWarn, Text: text,
				Fix: "compare both answers under Settings → AI → Rehearsal, and correct the page or judge them there"})
		}
	}
	return found
}

func askFinding(test chat.AITest) chat.Finding {
	if !test.OK {
		return chat.Bad("test question", cmp.Or(test.Error, "it was not answered"), test.Fix)
	}
	return chat.Fine("test question", test.Summary())
}
