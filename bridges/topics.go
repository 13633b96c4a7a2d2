package bridges

import (
	"context"
	"slices"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/server/chat"
)

// TopicStore keeps the topics of rehearsed questions. Package db has the only implementation.
type TopicStore interface {
	Topics(ctx context.Context) ([]chat.Topic, error)
	Unsorted(ctx context.Context) (int, error)
	SortRehearsals(ctx context.Context, topics []chat.Topic, into map[string]string) error
	NameTopic(ctx context.Context, id, name string) error
	MergeTopic(ctx context.Context, id, into string) error
	TurnTopic(ctx context.Context, topic *chat.Topic, from string, note chat.TopicNote, entry chat.AuditEntry) (turned bool, err error)
	TopicNotes(ctx context.Context, after string) ([]chat.TopicNote, error)
	DropTopicNote(ctx context.Context, client string) error
	PutTopicAnswer(ctx context.Context, a chat.TopicAnswer) error
	ChangedTopicAnswers(ctx context.Context, after chat.TopicAnswer) ([]chat.TopicAnswer, error)
	SeenTopicAnswer(ctx context.Context, client string, rev int64, before chat.Time) error
	Rehearsals(ctx context.Context) ([]chat.Rehearsal, error)
}

// sort puts each question that is in no topic into that of the most alike one, or into one of its
// own.
func (r *Rehearsals) sort(ctx context.Context) error {
	if n, err := r.store.Unsorted(ctx); err != nil || n == 0 {
		return err
	}
	list, err := r.store.Rehearsals(ctx)
	if err != nil {
		return err
	}
	slices.Reverse(list) // the oldest first
	known := topicsIn(list, true)
	var added []chat.Topic
	into, before := map[string]string{}, map[string]int{}
	for i := range list {
		one, n := &list[i], before[list[i].Site]
		before[one.Site]++
		if one.Topic != "" {
			continue
		}
		topic, isNew := known.Sort(one.Site, n)
		if isNew {
			added = append(added, chat.Topic{ID: topic, Site: one.Site, MadeAt: chat.Now()})
		}
		into[one.ID] = topic
	}
	return r.store.SortRehearsals(ctx, added, into)
}

// topicsIn are the topics of rehearsed questions, in the order of the list: by what people answered,
// too, if the answers of what is sorted are known.
func topicsIn(list []chat.Rehearsal, answered bool) *knowledge.Topics {
	var known knowledge.Topics
	for i := range list {
		one := &list[i]
		answer := map[bool]string{true: one.Answered}[answered]
		known.Add(one.Site, one.Question, answer, one.Topic)
	}
	return &known
}

// Topics returns the topics of sites' visitors, each with its name, those with the most questions
// first. list has the questions.
func (r *Rehearsals) Topics(ctx context.Context, sites chat.SiteSet, list []chat.Rehearsal) ([]chat.Topic, error) {
	topics, err := r.topics.named(ctx, list)
	return slices.DeleteFunc(topics, func(t chat.Topic) bool { return !sites.Has(t.Site) }), err
}

// NameTopic gives a topic a name, "" for that of its questions.
func (r *Rehearsals) NameTopic(ctx context.Context, id, name string) error {
	return r.store.NameTopic(ctx, id, name)
}

// MergeTopic puts a topic's questions into another topic.
func (r *Rehearsals) MergeTopic(ctx context.Context, id, into string) error {
	return r.store.MergeTopic(ctx, id, into)
}

// LetAnswer lets the AI answer a topic by itself that has earned it, or no longer. The entry of the audit
// list is stored with that.
func (r *Rehearsals) LetAnswer(ctx context.Context, id string, answers bool, entry chat.AuditEntry) error {
	return r.topics.letAnswer(ctx, id, answers, entry)
}
