package learning

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// Rehearsals have the AI answer what people answered.
type Rehearsals interface {
	// List returns the questions of sites' visitors, newest first.
	List(ctx context.Context, sites chat.SiteSet) ([]chat.Rehearsal, error)
	// Find returns the newest questions that people answered, n at most.
	Find(ctx context.Context, sites chat.SiteSet, n int) ([]chat.Rehearsal, error)
	// Plan lets them be asked soon, one after the other.
	Plan(ctx context.Context, list []chat.Rehearsal) error
	// Stop lets no more be asked.
	Stop(ctx context.Context, sites chat.SiteSet) error
	// Judge stores what a person makes of an answer, "" for nothing.
	Judge(ctx context.Context, id, judged string) error
	// Topics returns the topics of sites' visitors, each with its name; list has the questions.
	Topics(ctx context.Context, sites chat.SiteSet, list []chat.Rehearsal) ([]chat.Topic, error)
	// NameTopic gives a topic a name, "" for that of its questions.
	NameTopic(ctx context.Context, id, name string) error
	// LetAnswer lets the AI answer a topic by itself that has earned it, or no longer.
	LetAnswer(ctx context.Context, id string, answers bool, entry chat.AuditEntry) error
	// MergeTopic puts a topic's questions into another one of the same site.
	MergeTopic(ctx context.Context, id, into string) error
}

// rehearsalAPI is about what the AI would have said.
type rehearsalAPI struct {
	web.Auditor
	rehearsals Rehearsals
	engine     *engine.Engine
}

const (
	usualRehearsals = 50
	mostRehearsals  = 200
	// rehearsalTokens is about what an answer costs (see the guide "AI").
	rehearsalTokens = 1300
)

// rehearsalView is a question with its visitor's site as soon as there are several.
type rehearsalView struct {
	chat.Rehearsal
	Site string `json:"site,omitempty"`
}

// rehearsalState is how far a rehearsal is, and what came of it.
type rehearsalState struct {
	Waiting    int               `json:"waiting"`
	Counts     map[string]int    `json:"counts"`
	Right      int               `json:"right"`
	Worse      int               `json:"worse"`  // than the time before
	Better     int               `json:"better"` // than the time before
	Tokens     int64             `json:"tokens"` // that all answers took
	Cost       string            `json:"cost,omitempty"`
	Topics     []topicView       `json:"topics"`
	Changed    []chat.PageChange `json:"changed"`
	Rehearsals []rehearsalView   `json:"rehearsals"`
}

// state answers GET /api/admin/ai/rehearsal.
func (s *rehearsalAPI) state(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.rehearsals.List(r.Context(), by.Sites)
	if err != nil {
		return nil, err
	}
	out := rehearsalState{Counts: map[string]int{}, Rehearsals: []rehearsalView{}}
	for i := range list {
		one := &list[i]
		out.Tokens += one.Tokens
		if one.Verdict != "" {
			out.Counts[one.Verdict]++
		}
		if one.Waiting {
			out.Waiting++
		}
		if one.Right() {
			out.Right++
		}
		switch {
		case one.Worse():
			out.Worse++
		case one.Better():
			out.Better++
		}
		out.Rehearsals = append(out.Rehearsals, rehearsalView{*one, s.engine.Sites().Shown(one.Site)})
	}
	out.Changed = chat.PageChanges(list)
	price := s.engine.Settings().AI().Price
	out.Cost = price.Of(out.Tokens)
	out.Topics, err = s.topics(r.Context(), by, list, price)
	return out, err
}

type rehearseRequest struct {
	Count  int  `json:"count"`
	DryRun bool `json:"dryRun"`
}

// rehearsalPlan is what a rehearsal is about to cost.
type rehearsalPlan struct {
	Questions int    `json:"questions"`
	Tokens    int    `json:"tokens"`
	Cost      string `json:"cost,omitempty"`
}

// rehearse answers POST /api/admin/ai/rehearsal: the AI answers the newest questions that people
// answered, in the background.
func (s *rehearsalAPI) rehearse(_ http.ResponseWriter, r *http.Request, by chat.Author, in rehearseRequest) (any, error) {
	switch {
	case in.Count == 0:
		in.Count = usualRehearsals
	case in.Count < 0 || in.Count > mostRehearsals:
		return nil, chat.ErrorAt(chat.Invalid, "count", "count must be from 1 to 200")
	}
	ai := s.engine.Settings().AI()
	if !ai.SetUp() {
		return nil, chat.Errorf(chat.Conflict, "The AI is not set up: it needs an address and a model")
	}
	list, err := s.rehearsals.Find(r.Context(), by.Sites, in.Count)
	if err != nil {
		return nil, err
	}
	plan := rehearsalPlan{Questions: len(list), Tokens: len(list) * rehearsalTokens}
	plan.Cost = ai.Price.Of(int64(plan.Tokens))
	if in.DryRun || len(list) == 0 {
		return plan, nil
	}
	if err := s.rehearsals.Plan(r.Context(), list); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditAIRehearsed, strconv.Itoa(len(list))+" questions", "")
	return plan, nil
}

// stop answers DELETE /api/admin/ai/rehearsal.
func (s *rehearsalAPI) stop(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.Audited(r, by, chat.AuditAIRehearsed, "stopped", s.rehearsals.Stop(r.Context(), by.Sites))
}

type judgeRequest struct {
	Judged *string `json:"judged"`
}

// judge answers PATCH /api/admin/ai/rehearsal/{id}: what a person makes of an answer.
func (s *rehearsalAPI) judge(_ http.ResponseWriter, r *http.Request, by chat.Author, in judgeRequest) (any, error) {
	judged := ""
	if in.Judged != nil {
		judged = *in.Judged
	}
	if !slices.Contains([]string{"", chat.JudgedGood, chat.JudgedWrong}, judged) {
		return nil, chat.ErrorAt(chat.Invalid, "judged", "judged must be good, wrong or null")
	}
	list, err := s.rehearsals.List(r.Context(), by.Sites)
	id := web.PathVar(r, "id")
	if err == nil && !slices.ContainsFunc(list, func(one chat.Rehearsal) bool { return one.ID == id }) {
		err = chat.ErrRehearsalNotFound
	}
	if err == nil {
		err = s.rehearsals.Judge(r.Context(), id, judged)
	}
	return s.Audited(r, by, chat.AuditAIJudged, id, err)
}
