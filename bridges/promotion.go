package bridges

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Topics lets the AI answer by itself in the topics that have earned it, and takes them back. It
// never promotes one without a person's yes.
type Topics struct {
	engine *engine.Engine
	store  TopicStore
	// failed are notes and answers that wait after a failure.
	failed failures
}

var _ ai.Topics = (*Topics)(nil)

// NewTopics makes the topics of a relay.
func NewTopics(engine *engine.Engine, store TopicStore) *Topics {
	return &Topics{engine: engine, store: store}
}

func (t *Topics) rehearses(site string) bool {
	settings := t.engine.SettingsOf(site).AI()
	return settings.SetUp() && settings.Rehearses()
}

// rehearsing are the sites where the AI rehearses.
func (t *Topics) rehearsing() chat.SiteSet {
	return slices.DeleteFunc(t.engine.Sites().IDs(), func(site string) bool { return !t.rehearses(site) })
}

// named are all topics with their names, those with the most questions first.
func (t *Topics) named(ctx context.Context, list []chat.Rehearsal) ([]chat.Topic, error) {
	topics, err := t.store.Topics(ctx)
	questions := map[string][]string{}
	for i := range list {
		questions[list[i].Topic] = append(questions[list[i].Topic], list[i].Question)
	}
	for i := range topics {
		topics[i].Name = cmp.Or(topics[i].Name, knowledge.TopicName(questions[topics[i].ID]))
	}
	slices.SortStableFunc(topics, func(a, b chat.Topic) int { return cmp.Compare(len(questions[b.ID]), len(questions[a.ID])) })
	return topics, err
}

// read are all topics and their questions.
func (t *Topics) read(ctx context.Context) ([]chat.Topic, []chat.Rehearsal, error) {
	list, err := t.store.Rehearsals(ctx)
	if err != nil {
		return nil, nil, err
	}
	topics, err := t.named(ctx, list)
	return topics, list, err
}

// Earned implements [ai.Topics].
func (t *Topics) Earned(ctx context.Context, site, question, before string) (string, error) {
	topics, err := t.store.Topics(ctx)
	earned := func(topic chat.Topic) bool { return topic.State == chat.TopicAnswers && topic.Site == site }
	if err != nil || !slices.ContainsFunc(topics, earned) {
		return "", err
	}
	list, err := t.store.Rehearsals(ctx)
	if err != nil {
		return "", err
	}
	topic := chat.TopicIn(topics, topicsIn(list, false).Of(site, question, before))
	if topic == nil || !earned(*topic) {
		return "", nil
	}
	return topic.ID, nil
}

// Answering implements [ai.Topics].
func (t *Topics) Answering(ctx context.Context, a chat.TopicAnswer) error {
	return t.store.PutTopicAnswer(ctx, a)
}

// Offered implements [ai.Topics].
func (t *Topics) Offered(ctx context.Context, sessionID string) (bool, error) {
	topics, err := t.store.Topics(ctx)
	return slices.ContainsFunc(topics, func(t chat.Topic) bool { return t.State == chat.TopicOffered && t.SessionID == sessionID }), err
}

// Yes implements [ai.Topics].
func (t *Topics) Yes(ctx context.Context, sessionID string, by chat.Author) (string, error) {
	topics, list, err := t.read(ctx)
	if err != nil {
		return "", err
	}
	in := func(state string) int {
		return slices.IndexFunc(topics, func(t chat.Topic) bool { return t.State == state && t.SessionID == sessionID })
	}
	at := in(chat.TopicOffered)
	if at < 0 {
		if at = in(chat.TopicAnswers); at >= 0 { // relay stopped before it said so, or somebody says it twice
			return answersNow(topics[at].Name), nil
		}
		return "The AI has asked nothing here.", nil
	}
	topic := &topics[at]
	entry := chat.AuditBy(by, chat.AuditEntry{Action: chat.AuditAITopicAnswers, Target: topic.ID, Detail: topic.Name, Site: chat.SiteName(topic.Site)})
	err = t.promote(ctx, topic, list, sessionID, entry)
	var refused *chat.Error
	switch {
	case errors.As(err, &refused):
		return refused.Text + ".", nil
	case err != nil:
		return "", err
	}
	return answersNow(topic.Name), nil
}

func answersNow(name string) string {
	return "From now on the AI answers questions about “" + name + "” by itself. It stops once somebody corrects it."
}

// letAnswer lets the AI answer a topic by itself, or no longer.
func (t *Topics) letAnswer(ctx context.Context, id string, answers bool, entry chat.AuditEntry) error {
	topics, list, err := t.read(ctx)
	if err != nil {
		return err
	}
	topic := chat.TopicIn(topics, id)
	switch {
	case topic == nil:
		return chat.ErrTopicNotFound
	case answers:
		return t.promote(ctx, topic, list, "", entry)
	case topic.State != chat.TopicAnswers:
		return nil
	}
	topic.State, topic.Reason, topic.FellAt = chat.TopicLearning, "a person took it back", chat.Now()
	_, err = t.store.TurnTopic(ctx, topic, chat.TopicAnswers, chat.TopicNote{}, entry)
	return err
}

// needed is how many answers must be right, one behind the other, before the AI may answer a topic of
// a site.
func (t *Topics) needed(site string) int {
	return int(t.engine.SettingsOf(site).Number("aiTopicRow"))
}

// promote lets the AI answer a topic that has earned it, because of a yes in a session if there is one.
func (t *Topics) promote(ctx context.Context, topic *chat.Topic, list []chat.Rehearsal, sessionID string, entry chat.AuditEntry) error {
	from, needed := topic.State, t.needed(topic.Site)
	switch row := topic.Sum(list).Row; {
	case from == chat.TopicAnswers:
		return nil
	case !t.rehearses(topic.Site):
		return chat.Errorf(chat.Conflict, "The AI answers topics by itself only while it rehearses (aiMode)")
	case row < needed:
		return chat.Errorf(chat.Conflict, "The AI has not earned this topic: %d of %d answers in a row are right", row, needed)
	}
	topic.State, topic.Reason, topic.SessionID = chat.TopicAnswers, "", sessionID
	if turned, err := t.store.TurnTopic(ctx, topic, from, chat.TopicNote{}, entry); err != nil || !turned {
		return cmp.Or(err, error(chat.Errorf(chat.Conflict, "The topic changed meanwhile")))
	}
	return nil
}

// consider looks at a topic when one of its questions is answered or judged: the AI asks whether
// it may answer it, asks no longer, or may not any more. What came of the question is stored
// afterwards, so that this is done again if it fails.
func (t *Topics) consider(ctx context.Context, question *chat.Rehearsal) error {
	topics, list, err := t.read(ctx)
	at := slices.IndexFunc(list, func(r chat.Rehearsal) bool { return r.ID == question.ID })
	if err != nil || at < 0 {
		return err
	}
	r := &list[at]
	r.Verdict, r.Reason, r.Judged = question.Verdict, question.Reason, question.Judged
	topic := chat.TopicIn(topics, r.Topic)
	if topic == nil {
		return nil
	}
	row, needed := topic.Sum(list).Row, t.needed(topic.Site)
	switch {
	case topic.State == chat.TopicAnswers && r.Judged == chat.JudgedWrong:
		return t.fall(ctx, topic, r.SessionID, "a person judged an answer wrong")
	case topic.State == chat.TopicAnswers && r.Judged == "" && r.Verdict == chat.RehearsedDiffers:
		why := "it would say otherwise than a person: " + r.Reason
		if r.Cause != "" {
			why = "the page “" + r.Cause + "” changed, and " + why
		}
		return t.fall(ctx, topic, r.SessionID, why)
	case topic.State == chat.TopicLearning && row >= needed && t.rehearses(topic.Site):
		return t.offer(ctx, topic, r.SessionID)
	case topic.State == chat.TopicOffered && row < needed:
		topic.State, topic.SessionID = chat.TopicLearning, ""
		_, err = t.store.TurnTopic(ctx, topic, chat.TopicOffered, chat.TopicNote{}, chat.AuditEntry{})
	}
	return err
}

// offer asks in a session whether the AI may answer a topic by itself.
func (t *Topics) offer(ctx context.Context, topic *chat.Topic, sessionID string) error {
	topic.State, topic.SessionID = chat.TopicOffered, sessionID
	text := fmt.Sprintf("I matched your last %d answers about “%s”. Answer these myself from now on? !yes", t.needed(topic.Site), topic.Name)
	if turned, err := t.store.TurnTopic(ctx, topic, chat.TopicLearning, noteOf(topic, "offered", text), chat.AuditEntry{}); err != nil || !turned {
		return err
	}
	t.tellSoon(ctx)
	return nil
}

// fall gives a topic back to people.
func (t *Topics) fall(ctx context.Context, topic *chat.Topic, sessionID, reason string) error {
	topic.State, topic.Reason, topic.FellAt, topic.SessionID = chat.TopicLearning, reason, chat.Now(), sessionID
	note := noteOf(topic, "fell", "I no longer answer questions about “"+topic.Name+"” myself: "+reason+".")
	entry := chat.AuditBy(chat.Author{Name: "relay"}, chat.AuditEntry{Action: chat.AuditAITopicFell, Target: topic.ID, Detail: topic.Name + ": " + reason,
		Site: chat.SiteName(topic.Site)})
	if turned, err := t.store.TurnTopic(ctx, topic, chat.TopicAnswers, note, entry); err != nil || !turned {
		return err
	}
	t.tellSoon(ctx)
	return nil
}

// noteOf is what operators are told in the session of a topic.
func noteOf(topic *chat.Topic, kind, text string) chat.TopicNote {
	return chat.TopicNote{ClientID: kind + "." + topic.ID + "." + chat.NewID(), SessionID: topic.SessionID, Content: text}
}

func (t *Topics) tellOne(ctx context.Context, n chat.TopicNote) error {
	reply := engine.AIReply{SessionID: n.SessionID, ClientID: n.ClientID, Name: t.engine.SettingsOf(n.Site).AI().Name, Content: n.Content, Asked: true}
	_, err := t.engine.AINote(ctx, reply, false)
	if err == nil || errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile, and the note with it
		err = t.store.DropTopicNote(ctx, n.ClientID)
	}
	return err
}

// tellSoon is tell. What could not be written is stored, and [Rehearsals.Run] writes it later.
func (t *Topics) tellSoon(ctx context.Context) {
	_ = t.tell(ctx)
}
