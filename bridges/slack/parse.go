package slack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Parse implements [chat.Bridge]. It takes what people write in threads of the
// bridge's channel. It asks Slack for nothing but the names of people that it
// does not know yet, and does without if Slack cannot tell.
func (b *Bridge) Parse(raw []byte) ([]chat.Inbound, error) {
	e, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: the event is not Slack's: %w", chat.ErrPermanent, err)
	}
	in, m := b.meaning(e)
	if in.Kind == 0 {
		return nil, nil
	}
	if in.Kind == chat.InboundDeleted {
		b.last.Put(in.Remote, nil)
	}
	if m != nil {
		if m = b.latest(m); m == nil {
			return nil, nil
		}
		in.Operator = b.operator(m)
		in.Text = b.textOf(m)
		in.Files = m.attached()
		if in.Text == "" && len(in.Files) == 0 {
			return nil, nil
		}
	}
	return []chat.Inbound{in}, nil
}

// latest returns a message as Slack last told it, nil when it was deleted. What
// Slack could not deliver it brings again minutes later, behind what became of
// the message meanwhile.
func (b *Bridge) latest(told *message) *message {
	last, known := b.last.Get(told.TS)
	if known && (last == nil || last.Edited.TS > told.changedAt()) {
		return last
	}
	if told.Edited != nil {
		b.last.Put(told.TS, told)
	}
	return told
}

// meaning says what an event means, Kind 0 for nothing, and of which message
// the words are. It looks at nothing but the event.
func (b *Bridge) meaning(e *envelope) (in chat.Inbound, words *message) {
	ev := &e.Event
	if e.Type != "event_callback" || ev.Type != "message" || ev.Channel != b.cfg.ChannelID {
		return in, nil
	}
	in = chat.Inbound{At: timeOf(cmp.Or(ev.EventTS, ev.TS)), Thread: chat.Thread{Bridge: Name, Channel: ev.Channel}}
	own := ""
	if me := b.self.Load(); me != nil {
		own = me.user
	}
	switch {
	case slices.Contains(written, ev.Subtype) && ev.inThread() && e.human(&ev.message, own) && !e.foreign(&ev.message, own):
		in.Kind, in.Remote, in.Thread.Ref = chat.InboundMessage, ev.TS, ev.ThreadTS
		return in, &ev.message
	case ev.Subtype == subtypeChanged && ev.Changed != nil:
		return changed(e, in, own)
	case ev.Subtype == subtypeDeleted:
		return removed(e, in, own), nil
	}
	return in, nil
}

// changed is what became of a message. Slack also tells of links that unfold,
// of replies that are counted, and of the bot's own changes. A thread whose
// first message is deleted keeps a tombstone there.
func changed(e *envelope, in chat.Inbound, own string) (chat.Inbound, *message) {
	m, before := e.Event.Changed, e.Event.Previous
	if m.Subtype == subtypeTombstone {
		if m.TS != "" && !m.inThread() {
			in.Kind, in.Thread.Ref = chat.InboundThreadDeleted, m.TS
		}
		return in, nil
	}
	renewed := m.Edited != nil && (before == nil || before.Edited == nil || *before.Edited != *m.Edited) && (before == nil || !m.sameAs(before))
	if renewed && m.TS != "" && m.inThread() && slices.Contains(written, m.Subtype) && e.human(m, own) {
		in.Kind, in.Remote, in.Thread.Ref = chat.InboundEdited, m.TS, m.ThreadTS
		return in, m
	}
	return in, nil
}

// removed is a message that is no more. Of copies the bot removes some itself,
// so that only what people wrote counts; a thread's first message without
// replies leaves no tombstone.
func removed(e *envelope, in chat.Inbound, own string) chat.Inbound {
	m := e.Event.Previous
	if m == nil || e.Event.DeletedTS == "" {
		return in
	}
	m.TS = cmp.Or(m.TS, e.Event.DeletedTS)
	switch human := e.human(m, own); {
	case human && m.inThread():
		in.Kind, in.Remote, in.Thread.Ref = chat.InboundDeleted, e.Event.DeletedTS, m.ThreadTS
	case !human && !m.inThread():
		in.Kind, in.Thread.Ref = chat.InboundThreadDeleted, e.Event.DeletedTS
	}
	return in
}

// key names an event for the store: the same whichever way and however often it
// comes, and under whatever event id. An edit that is read from its thread has
// no time of an event.
func (e *envelope) key() string {
	ev := &e.Event
	switch ev.Subtype {
	case subtypeChanged:
		return "changed:" + ev.Changed.TS + ":" + cmp.Or(ev.Changed.changedAt(), ev.EventTS)
	case subtypeDeleted:
		return "deleted:" + ev.DeletedTS
	}
	return "message:" + ev.TS
}

// textOf is a message's text in plain form, with links to what is attached from
// elsewhere.
func (b *Bridge) textOf(m *message) string {
	lines := []string{}
	if m.Text != "" {
		lines = append(lines, plain(m.Text, b.name))
	}
	for _, f := range m.Files {
		if f.external() && f.URL != "" {
			lines = append(lines, "📎 "+cmp.Or(f.Title, f.Name)+": "+f.URL)
		}
	}
	return strings.ToValidUTF8(strings.Join(lines, "\n"), "\uFFFD")
}

// external reports whether a file only links to another service.
func (f *file) external() bool { return f.IsExternal || f.Mode == "external" }

// attached are the files of a message that are at Slack.
func (m *message) attached() (files []chat.InboundFile) {
	for _, f := range m.Files {
		if f.ID == "" || f.external() || f.Mode == subtypeTombstone || f.Mode == "hidden_by_limit" {
			continue
		}
		files = append(files, chat.InboundFile{Ref: f.ID, Filename: cmp.Or(f.Name, f.Title, "file"), MimeType: cmp.Or(f.Type, "application/octet-stream"), Size: f.Size})
	}
	return files
}
