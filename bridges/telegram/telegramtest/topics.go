package telegramtest

// place says where a message goes that names a topic. The server looks for
// the topic first; in a group without topics it forgets what was named.
func (f *Platform) place(p params) (topic int64, refusal *apiError) {
	id := p.int("message_thread_id")
	if id == 0 || f.group.noTopics {
		return 0, nil
	}
	t := f.topicIn(p)
	switch {
	case t == nil:
		return 0, badRequest("message thread not found")
	case t.closed && f.group.shut:
		return 0, badRequest("TOPIC_CLOSED")
	}
	return id, nil
}

func (f *Platform) createForumTopic(p params) (any, *apiError) {
	switch {
	case f.group.noTopics:
		return nil, badRequest("the chat is not a forum")
	case f.group.demoted:
		return nil, badRequest("not enough rights to create a topic")
	}
	if refusal := f.spend(); refusal != nil {
		return nil, refusal
	}
	t := f.makeTopic(p.int("chat_id"), p.text("name"), bot())
	return map[string]any{"message_thread_id": t.id, "name": t.name, "icon_color": 7322096}, nil
}

// makeTopic makes a topic and emits that, to the bot for its own too.
func (f *Platform) makeTopic(group int64, name string, by user) *topic {
	t := &topic{id: f.lastID + 1, name: name, group: group}
	f.topics, f.byID[t.id] = append(f.topics, t), t
	root := f.newMessage(&message{topic: t.id, from: by,
		service: map[string]any{"forum_topic_created": map[string]any{"name": name, "icon_color": 7322096}}})
	f.emit("message", f.render(root))
	return t
}

func (f *Platform) deleteForumTopic(p params) (any, *apiError) {
	t := f.topicIn(p)
	switch {
	case f.group.noTopics:
		return nil, badRequest("the chat is not a forum")
	case f.group.demoted:
		return nil, badRequest("not enough rights to delete a topic")
	case t == nil:
		return nil, badRequest("TOPIC_ID_INVALID")
	}
	t.deleted = true
	return true, nil
}

func (f *Platform) closeForumTopic(p params) (any, *apiError) { return f.turn(p, true) }

func (f *Platform) reopenForumTopic(p params) (any, *apiError) { return f.turn(p, false) }

func (f *Platform) turn(p params, closed bool) (any, *apiError) {
	t := f.topicIn(p)
	switch {
	case f.group.noTopics:
		return nil, badRequest("the chat is not a forum")
	case f.group.demoted:
		return nil, badRequest("not enough rights")
	case t == nil:
		return nil, badRequest("TOPIC_ID_INVALID")
	case t.closed == closed:
		return nil, badRequest("TOPIC_NOT_MODIFIED")
	}
	f.turnTopic(t, closed, bot())
	return true, nil
}

func (f *Platform) turnTopic(t *topic, closed bool, by user) {
	t.closed = closed
	what := map[bool]string{true: "forum_topic_closed", false: "forum_topic_reopened"}[closed]
	f.emit("message", f.render(f.newMessage(&message{topic: t.id, from: by, service: map[string]any{what: map[string]any{}}})))
}

// remove deletes a message.
func (f *Platform) remove(m *message) {
	delete(f.messages, m.id)
	t := f.topic(m.topic)
	if t == nil {
		return
	}
	for i, other := range t.messages {
		if other == m {
			t.messages = append(t.messages[:i:i], t.messages[i+1:]...)
			return
		}
	}
}
