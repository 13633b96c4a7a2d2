package slacktest

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (f *Platform) authTest(url.Values) (map[string]any, *apiError) {
	return map[string]any{"url": "https://relay-test.slack.com/", "team": "Relay Test", "team_id": "T0RELAY", "user": "relay", "user_id": botUser, "bot_id": botID}, nil
}

func (f *Platform) usersInfo(form url.Values) (map[string]any, *apiError) {
	id := form.Get("user")
	name, known := f.names[id]
	if !known {
		return nil, refuse("user_not_found")
	}
	return map[string]any{"user": map[string]any{"id": id, "team_id": cmp.Or(f.guests[id], "T0RELAY"), "name": strings.ToLower(name), "real_name": name + " Example",
		"profile": map[string]any{"display_name": name, "real_name": name + " Example"}}}, nil
}

func (f *Platform) conversationsInfo(form url.Values) (map[string]any, *apiError) {
	if id := form.Get("channel"); slices.Contains(f.others, id) {
		return map[string]any{"channel": other(id)}, nil
	}
	return map[string]any{"channel": map[string]any{"id": f.Channel, "name": "support", "is_channel": true,
		"is_member": !f.channel.left, "is_archived": f.channel.archived, "is_private": f.channel.private}}, nil
}

func (f *Platform) conversationsList(form url.Values) (map[string]any, *apiError) {
	info, _ := f.conversationsInfo(form)
	general := map[string]any{"id": "C0GENERAL1", "name": "general", "is_channel": true, "is_member": false}
	list := []any{general, info["channel"]}
	for _, id := range f.others {
		list = append(list, other(id))
	}
	return map[string]any{"channels": list, "response_metadata": map[string]any{"next_cursor": ""}}, nil
}

// other is a further channel.
func other(id string) map[string]any {
	return map[string]any{"id": id, "name": strings.ToLower(id), "is_channel": true, "is_member": true, "is_archived": false, "is_private": false}
}

func (f *Platform) conversationsJoin(form url.Values) (map[string]any, *apiError) {
	if form.Get("channel") == f.Channel {
		f.channel.left = false
	}
	return map[string]any{"channel": map[string]any{"id": form.Get("channel")}}, nil
}

// postMessage posts. Where the first message of the thread is deleted the text
// goes into the channel itself, silently (platforms 3.2).
func (f *Platform) postMessage(form url.Values) (map[string]any, *apiError) {
	if strings.TrimSpace(form.Get("text")) == "" {
		return nil, refuse("no_text")
	}
	if refusal := f.spend(); refusal != nil {
		return nil, refusal
	}
	m := &message{text: form.Get("text"), bot: botID, app: appID, user: botUser, plain: form.Get("mrkdwn") == "false", rich: readBlocks(form.Get("blocks"))}
	if m.username = form.Get("username"); m.username != "" {
		m.user, m.subtype = "", "bot_message"
	}
	m.channel = form.Get("channel")
	if thread := form.Get("thread_ts"); f.liveIn(m.channel, thread) != nil {
		m.thread = thread
	}
	m.metadata = readMetadata(form.Get("metadata"))
	f.add(m)
	f.emit(m.render())
	return map[string]any{"channel": m.channel, "ts": m.ts, "message": m.render()}, nil
}

func readMetadata(text string) (m map[string]any) {
	_ = json.Unmarshal([]byte(text), &m)
	return m
}

func (f *Platform) update(form url.Values) (map[string]any, *apiError) {
	m := f.liveIn(form.Get("channel"), form.Get("ts"))
	switch {
	case m == nil:
		return nil, refuse("message_not_found")
	case m.bot != botID:
		return nil, refuse("cant_update_message")
	}
	before := m.render()
	m.text, m.plain, m.edited = colons.Replace(form.Get("text")), false, f.newTS() // markup is read again
	if form.Has("blocks") {                                                        // else the earlier ones stay
		m.rich = readBlocks(form.Get("blocks"))
	}
	if form.Has("metadata") {
		m.metadata = readMetadata(form.Get("metadata"))
	}
	f.emit(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": before})
	return map[string]any{"channel": m.channel, "ts": m.ts, "text": m.text, "message": m.render()}, nil
}

func (f *Platform) delete(form url.Values) (map[string]any, *apiError) {
	m := f.liveIn(form.Get("channel"), form.Get("ts"))
	switch {
	case m == nil:
		return nil, refuse("message_not_found")
	case m.bot != botID:
		return nil, refuse("cant_delete_message")
	}
	f.remove(m)
	return map[string]any{"channel": m.channel, "ts": m.ts}, nil
}

// remove deletes a message. One that begins a thread with replies leaves a
// tombstone, and the replies are emitted once more as if they had changed.
func (f *Platform) remove(m *message) {
	before := m.render()
	replies := f.in(m.ts)
	if m.thread != "" || len(replies) == 0 {
		m.gone = true
		f.emit(map[string]any{"subtype": "message_deleted", "hidden": true, "ts": f.newTS(), "deleted_ts": m.ts, "previous_message": before})
		return
	}
	m.tombstone = true
	f.emit(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": m.render(), "previous_message": before})
	for _, reply := range replies {
		f.emit(map[string]any{"subtype": "message_changed", "hidden": true, "ts": f.newTS(), "message": reply.render(), "previous_message": reply.render()})
	}
}

func (f *Platform) react(form url.Values) (map[string]any, *apiError) {
	m := f.liveIn(form.Get("channel"), form.Get("timestamp"))
	switch name := form.Get("name"); {
	case m == nil:
		return nil, refuse("message_not_found")
	case slices.Contains(m.reactions, name):
		return nil, refuse("already_reacted")
	default:
		m.reactions = append(m.reactions, name)
	}
	return nil, nil
}

// history lists what is in the channel itself, newest first.
func (f *Platform) history(form url.Values) (map[string]any, *apiError) {
	var list []*message
	for _, m := range slices.Backward(f.messages) {
		if m.channel == form.Get("channel") && m.thread == "" && !m.gone {
			list = append(list, m)
		}
	}
	return page(list, form, 100), nil
}

// replies lists a thread, oldest first; its first message always is among them.
func (f *Platform) replies(form url.Values) (map[string]any, *apiError) {
	first := f.liveIn(form.Get("channel"), form.Get("ts"))
	if first == nil {
		return nil, refuse("thread_not_found")
	}
	answer := page(f.in(first.ts), form, 1000)
	if form.Get("cursor") == "" {
		answer["messages"] = append([]any{first.withMetadata(form.Get("include_all_metadata") == "1")}, answer["messages"].([]any)...)
	}
	return answer, nil
}

// page takes out of a list what was asked for.
func page(list []*message, form url.Values, usual int) map[string]any {
	oldest, latest, limit := form.Get("oldest"), form.Get("latest"), usual
	if n, err := strconv.Atoi(form.Get("limit")); err == nil && n > 0 {
		limit = n
	}
	inclusive := form.Get("inclusive") == "1"
	var found []*message
	for _, m := range list {
		tooOld := oldest != "" && (m.ts < oldest || m.ts == oldest && !inclusive)
		tooNew := latest != "" && (m.ts > latest || m.ts == latest && !inclusive)
		if !tooOld && !tooNew {
			found = append(found, m)
		}
	}
	from, _ := strconv.Atoi(cmp.Or(form.Get("cursor"), "0"))
	from = min(from, len(found))
	to := min(from+limit, len(found))
	messages := []any{}
	for _, m := range found[from:to] {
		messages = append(messages, m.withMetadata(form.Get("include_all_metadata") == "1"))
	}
	answer := map[string]any{"messages": messages, "has_more": to < len(found)}
	if to < len(found) {
		answer["response_metadata"] = map[string]any{"next_cursor": strconv.Itoa(to)}
	}
	return answer
}
