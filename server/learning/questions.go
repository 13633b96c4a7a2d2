package learning

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// questionView is a question without an answer, with its visitor's site as soon as there are several.
type questionView struct {
	chat.Question
	Site string `json:"site,omitempty"`
}

// questions answers GET /api/admin/knowledge/questions.
func (s *knowledgeAPI) questions(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.knowledge.Questions(r.Context())
	views := []questionView{}
	for _, q := range s.knowledge.Group(askedAt(list, by.Sites)) {
		views = append(views, questionView{q, s.sites().Shown(q.Site)})
	}
	return map[string]any{"questions": views}, err
}

// askedAt keeps the questions of these sites' visitors.
func askedAt(list []chat.Question, sites chat.SiteSet) []chat.Question {
	return slices.DeleteFunc(list, func(q chat.Question) bool { return !sites.Has(q.Site) })
}

// proposal is what an answer may begin from.
type proposal struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// question answers GET /api/admin/knowledge/questions/{id}: the question with an answer to begin
// from, which is what a person wrote behind it.
func (s *knowledgeAPI) question(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.knowledge.Questions(r.Context())
	if err != nil {
		return nil, err
	}
	list = s.knowledge.Group(askedAt(list, by.Sites))
	i := slices.IndexFunc(list, func(q chat.Question) bool {
		return q.ID == web.PathVar(r, "id") || slices.ContainsFunc(q.Alike, func(a chat.Question) bool { return a.ID == web.PathVar(r, "id") })
	})
	if i < 0 {
		return nil, chat.ErrQuestionNotFound
	}
	q := list[i]
	text, err := s.answeredBy(r.Context(), append([]chat.Question{q}, q.Alike...))
	return map[string]any{"question": questionView{q, s.sites().Shown(q.Site)}, "proposal": proposal{q.Question, text}}, err
}

// Bounds of the search for what a person answered.
const (
	answersRead     = 200  // messages of a conversation
	longestProposal = 4000 // characters
)

// answeredBy returns what a person answered to the first of some questions that has such an answer,
// without what is personal of the visitor.
func (s *knowledgeAPI) answeredBy(ctx context.Context, list []chat.Question) (text string, err error) {
	err = s.store.Read(ctx, func(rd chat.Reader) error {
		for i := range list {
			session, err := rd.Session(list[i].SessionID)
			if errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
				continue
			}
			if err != nil {
				return err
			}
			messages, err := rd.Messages(chat.MessageQuery{SessionID: session.ID, Public: true, Limit: answersRead})
			if err != nil {
				return err
			}
			if text = chat.AnsweredTo(chat.Exchanges(messages), list[i].AskedAt); text != "" {
				text = chat.Clip(chat.WithoutPersonal(text, session.PersonalWords()...), longestProposal)
				return nil
			}
		}
		return nil
	})
	return text, err
}

func (s *knowledgeAPI) dropQuestion(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id := web.PathVar(r, "id")
	return s.Audited(r, by, chat.AuditQuestionRemoved, id, s.knowledge.DropQuestion(r.Context(), id))
}

type answerQuestionRequest struct {
	Title string   `json:"title"`
	Text  string   `json:"text"`
	Alike []string `json:"alike"` // ids of questions that it answers, too
}

// maxAlike is how many questions one answer may answer.
const maxAlike = 1000

// answerQuestion answers POST /api/admin/knowledge/questions/{id}/answer with the
// source that the answer is from now on.
func (s *knowledgeAPI) answerQuestion(_ http.ResponseWriter, r *http.Request, by chat.Author, in answerQuestionRequest) (any, error) {
	site, err := web.SiteOrAll(r, by, s.sites())
	if err == nil {
		err = s.checkAlike(r.Context(), by, in.Alike)
	}
	if err != nil {
		return nil, err
	}
	added, err := s.knowledge.Answer(r.Context(), site, web.PathVar(r, "id"), in.Alike, in.Title, in.Text)
	return s.added(r, by, added, added.ID, err)
}

// checkAlike refuses ids that are of no question that somebody may see.
func (s *knowledgeAPI) checkAlike(ctx context.Context, by chat.Author, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if len(ids) > maxAlike {
		return web.BadRequest("alike may have at most 1000 ids")
	}
	list, err := s.knowledge.Questions(ctx)
	if err != nil {
		return err
	}
	list = askedAt(list, by.Sites)
	for _, id := range ids {
		if !slices.ContainsFunc(list, func(q chat.Question) bool { return q.ID == id }) {
			return chat.ErrorAt(chat.Invalid, "alike", "alike must be the ids of questions; GET /api/admin/knowledge/questions lists them")
		}
	}
	return nil
}
