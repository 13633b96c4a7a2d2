package slack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/server/chat"
)

// parser reads events.
type parser struct {
	client *client
	people *people
	last   *cache.Cache[*message] // the last version of edited messages, nil for deleted ones, by ts
}

// Parse implements [chat.Bridge]. It returns what people write in threads of the
// bridge's channel. It fetches nothing but names that it does not know yet, and works
// without them.
func (p *parser) Parse(raw []byte) ([]chat.Inbound, error) {
	e, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: not an event from Slack: %w", chat.ErrPermanent, err)
	}
	in, m := p.meaning(e)
	if in.Kind == 0 {
		return nil, nil
	}
	if in.Kind == chat.InboundDeleted {
		p.last.Put(in.Remote, nil)
	}
	if m != nil {
		if m = p.latest(m); m == nil {
			return nil, nil
		}
		in.Operator, in.Handles = p.people.operator(m), []string{m.User}
		if in.Guest = p.people.guest(e, m); in.Guest && !p.client.cfg.OtherWorkspaces {
			in.Barred = fmt.Sprintf(barredText, cmp.Or(in.Operator, "The author"))
		}
		in.Text = p.textOf(m)
		in.Files = m.attached()
		if in.Text == "" && len(in.Files) == 0 {
			return nil, nil
		}
	}
	return []chat.Inbound{in}, nil
}

// latest returns the last version of a message, nil when it was deleted. Slack repeats
// an event that it could not deliver minutes later, after the message's changes.
func (p *parser) latest(m *message) *message {
	last, known := p.last.Get(m.TS)
	if known && (last == nil || last.Edited.TS > m.changedAt()) {
		return last
	}
	if m.Edited != nil {
		p.last.Put(m.TS, m)
	}
	return m
}

// meaning returns what an event means, Kind 0 for nothing, and the message whose text
// matters, nil for none. It depends on the event alone.
func (p *parser) meaning(e *envelope) (in chat.Inbound, words *message) {
	ev := &e.Event
	if e.Type == typeListed && ev.Channel == p.client.cfg.ChannelID {
		return e.listed(), nil
	}
	if e.Type != "event_callback" || ev.Type != "message" || ev.Channel != p.client.cfg.ChannelID {
		return in, nil
	}
	in = chat.Inbound{At: timeOf(cmp.Or(ev.EventTS, ev.TS)), Thread: chat.Thread{Bridge: Name, Channel: ev.Channel}}
	own := ""
	if me := p.client.self.Load(); me != nil {
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

// changed returns an edit. Slack also reports unfolded links, counted replies and the
// bot's own changes. A thread whose first message was deleted keeps a tombstone.
func changed(e *envelope, in chat.Inbound, own string) (chat.Inbound, *message) {
	m, before := e.Event.Changed, e.Event.Previous
	if m.Subtype == subtypeTombstone {
		if m.TS != "" && !m.inThread() {
			in.Kind, in.Thread.Ref = chat.InboundThreadDeleted, m.TS
		}
		return in, nil
	}
	if lost(m, before) && m.TS != "" && m.inThread() && e.human(m, own) {
		in.Kind, in.Remote, in.Thread.Ref = chat.InboundFileDeleted, m.TS, m.ThreadTS
		if m.Text == "" && len(m.attached()) == 0 { // nothing of it is left
			in.Kind = chat.InboundDeleted
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

// lost reports whether a file of a message was deleted alone.
func lost(m, before *message) bool {
	if before == nil || m.changedAt() != before.changedAt() {
		return false
	}
	left := m.attached()
	return slices.ContainsFunc(before.attached(), func(f chat.InboundFile) bool {
		return !slices.ContainsFunc(left, func(other chat.InboundFile) bool { return other.Ref == f.Ref })
	})
}

// removed returns a deleted message. The bot deletes messages of its own, so only
// those of people count; a thread's first message without replies leaves no tombstone.
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

// key returns the event's key in the store, the same each time it is received or read,
// whatever its event id. An edit that was read from its thread has no event time.
func (e *envelope) key() string {
	ev := &e.Event
	if e.Type == typeListed {
		return "listed:" + ev.ThreadTS + ":" + ev.EventTS
	}
	switch ev.Subtype {
	case subtypeChanged:
		if lost(ev.Changed, ev.Previous) { // which no edit's time tells from others
			return "file:" + ev.Changed.TS + ":" + ev.EventTS
		}
		return "changed:" + ev.Changed.TS + ":" + cmp.Or(ev.Changed.changedAt(), ev.EventTS)
	case subtypeDeleted:
		return "deleted:" + ev.DeletedTS
	}
	return "message:" + ev.TS
}

// textOf returns a message's plain text, with links to external files.
func (p *parser) textOf(m *message) string {
	lines := []string{}
	if m.Text != "" {
		lines = append(lines, plain(m.Text, p.people.name))
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

// attached returns a message's files that are at Slack.
func (m *message) attached() (files []chat.InboundFile) {
	for _, f := range m.Files {
		if f.ID == "" || f.external() || f.Mode == subtypeTombstone || f.Mode == "hidden_by_limit" {
			continue
		}
		files = append(files, chat.InboundFile{Ref: f.ID, Filename: cmp.Or(f.Name, f.Title, "file"), MimeType: cmp.Or(f.Type, "application/octet-stream"), Size: f.Size})
	}
	return files
}
