package learning

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// topicView is a topic of rehearsed questions, and what came of them.
type topicView struct {
	ID     string `json:"id"`
	Site   string `json:"site,omitempty"`
	Name   string `json:"name"`
	Asked  int    `json:"asked"`
	Right  int    `json:"right"`
	InARow int    `json:"inARow"`
	Needed int    `json:"needed"` // in a row
	State  string `json:"state"`
	// Reason is why the AI answers it no longer, since FellAt, and SessionID where that was seen.
	Reason    string    `json:"reason,omitempty"`
	FellAt    chat.Time `json:"fellAt,omitzero"`
	SessionID string    `json:"sessionId,omitempty"`
	Waiting   int       `json:"waiting"`
	Tokens    int64     `json:"tokens"`
	Cost      string    `json:"cost,omitempty"`
}

// topics are the topics of questions as an operator sees them.
func (s *rehearsalAPI) topics(ctx context.Context, by chat.Author, list []chat.Rehearsal, price chat.Price) ([]topicView, error) {
	topics, err := s.rehearsals.Topics(ctx, by.Sites, list)
	views := []topicView{}
	for i := range topics {
		t := &topics[i]
		sum := t.Sum(list)
		view := topicView{ID: t.ID, Site: s.engine.Sites().Shown(t.Site), Name: t.Name, Asked: sum.Asked, Right: sum.Right, InARow: sum.Row, Needed: int(s.engine.SettingsOf(t.Site).Number("aiTopicRow")), Tokens: sum.Tokens, Cost: price.Of(sum.Tokens),
			State: t.State, Reason: t.Reason, FellAt: t.FellAt, SessionID: t.SessionID}
		for j := range list {
			if list[j].Topic == t.ID && list[j].Waiting {
				view.Waiting++
			}
		}
		views = append(views, view)
	}
	return views, err
}

type topicRequest struct {
	Name    *string `json:"name"`
	Into    *string `json:"into"`
	Answers *bool   `json:"answers"`
}

// changes counts what a request asks for.
func (in *topicRequest) changes() (n int) {
	for _, asked := range []bool{in.Name != nil, in.Into != nil, in.Answers != nil} {
		if asked {
			n++
		}
	}
	return n
}

// changeTopic answers PATCH /api/admin/ai/topics/{id}: a topic is renamed,
// put into another one, or left to the AI.
func (s *rehearsalAPI) changeTopic(_ http.ResponseWriter, r *http.Request, by chat.Author, in topicRequest) (any, error) {
	id, ctx := web.PathVar(r, "id"), r.Context()
	list, err := s.rehearsals.List(ctx, by.Sites)
	if err != nil {
		return nil, err
	}
	topics, err := s.rehearsals.Topics(ctx, by.Sites, list)
	if err != nil {
		return nil, err
	}
	topic := chat.TopicIn(topics, id)
	switch {
	case topic == nil:
		return nil, chat.ErrTopicNotFound
	case in.changes() != 1:
		return nil, chat.Errorf(chat.Invalid, "name, into or answers is required, and one at a time")
	case in.Answers != nil:
		action := chat.AuditAITopicFell
		if *in.Answers {
			action = chat.AuditAITopicAnswers
		}
		entry := s.Entry(r, by, chat.AuditEntry{Action: action, Target: topic.ID, Detail: topic.Name, Site: s.engine.Sites().Shown(topic.Site)})
		return web.OK, s.rehearsals.LetAnswer(ctx, id, *in.Answers, entry)
	case in.Into != nil:
		into := chat.TopicIn(topics, *in.Into)
		if into == nil || into.ID == id || into.Site != topic.Site {
			return nil, chat.ErrorAt(chat.Invalid, "into", "into must be the id of another topic of the same site")
		}
		return s.topicAudited(r, by, chat.AuditAITopic, into, topic.Name+" is part of "+into.Name, s.rehearsals.MergeTopic(ctx, id, into.ID))
	}
	name := strings.TrimSpace(chat.OneLine(*in.Name))
	if utf8.RuneCountInString(name) > chat.MaxTopicName {
		return nil, chat.ErrorAt(chat.Invalid, "name", "name must be at most 60 characters")
	}
	return s.topicAudited(r, by, chat.AuditAITopic, topic, name, s.rehearsals.NameTopic(ctx, id, name))
}

// topicAudited is audited of a topic. Names are details, which go with the last question: they may
// have visitors' words.
func (s *rehearsalAPI) topicAudited(r *http.Request, by chat.Author, action string, t *chat.Topic, detail string, err error) (any, error) {
	if err == nil {
		s.AuditAt(r, by, s.engine.Sites().Shown(t.Site), action, t.ID, detail)
	}
	return web.OK, err
}
