package outbound

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// planner plans what a thread must show. It is pure: the same view has the same plan, so
// that a later attempt continues where this one stopped.
type planner struct {
	split      func(chat.Op) []chat.Op
	names      names
	shared     func(channel string) bool // the conversations of several sites begin there
	stateless  bool
	searchable bool // the platform can be searched for copies
	links      *chat.FileLinks
	open       Opener
}

// names are what operators read of a session at the beginning of its thread.
type names interface {
	Title(*chat.Session) string
	TitleAlone(*chat.Session) string // without the site
	Describe(*chat.Session) []string
}

// plan is what is missing until the thread shows what it must.
type plan struct {
	steps []step
	// opens: a thread is opened for it if there is none.
	opens bool
	more  int // how many deliveries behind the head it concerns, too
}

// stateLife is how long it matters that a visitor read something or left.
const stateLife = 10 * time.Minute

// plan plans what the head of a lane shows, with those behind it that can go with it.
func (p planner) plan(v view) (plan, error) {
	kind, outdated := v.event().Type, v.now.Sub(v.event().At) > stateLife
	switch {
	case kind == chat.EventNewSession:
		return plan{opens: true}, nil
	case len(v.messages) > 0:
		return p.messages(&v), nil
	case v.turns():
		return p.status(&v), nil
	case outdated && kind == chat.EventDisconnect, kind == chat.EventMessageRead && (outdated || v.readCopy == ""):
		return plan{}, nil
	case kind == chat.EventMessageRead:
		op := chat.Op{Kind: chat.OpReact, Remote: v.readCopy, Receipt: v.receipt.Status}
		return plan{steps: []step{{op: op, optional: true}}}, nil
	}
	return p.note(&v)
}

// status closes the session's thread or opens it again.
func (p planner) status(v *view) plan {
	pl, op, state := plan{}, chat.Op{Kind: chat.OpReopen}, chat.ThreadLive
	if v.event().Type == chat.EventSessionClosed {
		op, state = chat.Op{Kind: chat.OpClose}, chat.ThreadClosed
		pl.steps = p.notes(v.head(), v.event().Name(), "The conversation was closed ("+v.event().Source+").", v.noted)
	}
	if v.thread.State != state {
		pl.steps = append(pl.steps, step{op: op, optional: true})
	}
	return pl
}

// note shows an event that is no message, unless a later event of the lane repeats it.
// The operators' status is shown in bridge mode only, which has no console.
func (p planner) note(v *view) (plan, error) {
	e := v.event()
	pl := plan{opens: v.head().SessionID == engine.SystemSession || p.stateless && e.Type != chat.EventDisconnect}
	identity, status := e.Type == chat.EventIdentityUpdate, e.Type == chat.EventStatusSet
	repeated := slices.ContainsFunc(v.lane[1:], func(d chat.Delivery) bool { return d.Event.Type == e.Type })
	if status && !p.stateless || (identity || status) && repeated {
		return plan{}, nil
	}
	text, err := noteOf(e)
	switch {
	case err != nil || text == "":
		return plan{}, err
	case identity && (v.threadless() || v.thread.CreatedAt > e.At): // the summary says it
		return pl, nil
	}
	pl.steps = p.notes(v.head(), e.Name(), text, v.noted)
	return pl, nil
}

// notes write as relay itself what a note does not show yet; name is what it is about.
func (p planner) notes(d *chat.Delivery, name, text string, shown []chat.Link) (steps []step) {
	for i, op := range p.split(chat.Op{Kind: chat.OpNote, Text: text}) {
		if !slices.ContainsFunc(shown, func(l chat.Link) bool { return l.Part == i }) {
			steps = append(steps, step{op: op, shows: []string{engine.Placeholder(name)}, part: i, rev: d.Rev})
		}
	}
	return steps
}

// The parts of a message: those of its text, from fileParts on its files, and from
// headParts on the texts that some platforms need before a file.
const (
	fileParts = 1000
	headParts = 2000
)

// lateAfter is the age from which a message is marked as delivered late.
const lateAfter = 2 * time.Minute

// messages post, edit or remove a message's copies until they show its newest state, so
// that its later deliveries have nothing left to do. A note opens no thread; one that is
// opened later shows it among the earlier messages.
func (p planner) messages(v *view) plan {
	pl := plan{}
	if v.fresh() && len(v.messages[0].links) == 0 {
		v.messages = p.batch(v)
		pl.more = len(v.messages) - 1
	}
	pl.steps = append(p.earlierSteps(v), p.textSteps(v)...)
	for i := range v.messages {
		pl.steps = append(pl.steps, p.fileSteps(v, &v.messages[i])...)
	}
	pl.steps = append(pl.steps, p.warning(v)...)
	pl.opens = len(pl.steps) > 0 && (v.fresh() || p.stateless) && !v.messages[0].Internal
	pl.steps = append(v.reservation(), pl.steps...)
	return pl
}

// batch returns the messages that go out with the head: those that an earlier attempt has
// sent with it, or as many as one platform message holds.
func (p planner) batch(v *view) []copies {
	some := *v
	for n := 2; v.came != unknown && n <= len(v.messages); n++ {
		if some.messages = v.messages[:n]; len(p.textOps(&some)) != 1 {
			return v.messages[:n-1]
		}
	}
	return v.messages
}

// reservation stores which messages are about to be sent together, as links to a
// placeholder: an attempt after a restart has to ask for the same batch, whatever was
// edited, deleted or written since. Batches that never left are dropped.
func (v *view) reservation() []step {
	first := &v.messages[0]
	if !v.fresh() || len(v.messages) == 1 && len(first.sending) == 0 {
		return nil
	}
	st := step{op: chat.Op{Kind: opReserve}, assumed: true}
	if len(first.links) == 0 && len(v.messages) > 1 {
		st.shows = v.ids()
	}
	name := batchName(v.head().SessionID, st.shows)
	for _, l := range first.sending {
		if l.Remote == name {
			st.shows = nil // that is stored
		} else {
			st.drops = append(st.drops, l.Remote)
		}
	}
	if st.op.Remote = name; len(st.shows)+len(st.drops) == 0 {
		return nil
	}
	return []step{st}
}

// earlierSteps update the notes that show an edited or deleted message. A note that was
// deleted, or whose thread was, is not posted again.
func (p planner) earlierSteps(v *view) (steps []step) {
	for _, n := range v.earlier {
		op := chat.Op{Kind: chat.OpEdit, Remote: n.Remote, Text: earlierText(n.messages)}
		steps = append(steps, step{op: op, shows: n.placeholders, part: n.Part, rev: v.head().Rev, optional: true})
	}
	return steps
}

// textSteps bring the texts' copies up to date, part by part.
func (p planner) textSteps(v *view) (steps []step) {
	have := copiesByPart(v.messages, false)
	for i, op := range p.textOps(v) {
		st := step{op: op, shows: v.ids(), part: i, rev: v.rev}
		copied, exists := have[i]
		delete(have, i)
		switch {
		case exists && (v.fresh() || copied.Rev >= v.head().Rev):
			continue
		case exists:
			st.op.Kind, st.op.Remote, st.op.ReplyTo, st.op.Edited = chat.OpEdit, copied.Remote, "", false
		case i > 0:
			st.op.ReplyTo = ""
		}
		steps = append(steps, st)
	}
	first := &v.messages[0]
	for _, part := range slices.Sorted(maps.Keys(have)) {
		st := step{op: chat.Op{Kind: chat.OpDelete, Remote: have[part].Remote}, shows: v.ids(), part: part, rev: v.rev}
		if part == 0 {
			st.fallback = keptNote(first, &st)
		}
		steps = append(steps, st)
	}
	if first.DeletedAt != 0 { // what the operator wrote here is removed too
		for _, l := range first.links {
			if l.Origin {
				steps = append(steps, step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, shows: []string{first.ID}, part: l.Part, rev: v.rev, optional: true})
			}
		}
	}
	return steps
}

// keptNote explains what happened to a message whose copy the platform does not remove.
func keptNote(c *copies, st *step) *step {
	op := chat.Op{Kind: chat.OpNote, Text: keptText(&c.Message), ReplyTo: st.op.Remote}
	return &step{op: op, shows: []string{engine.Placeholder("kept " + c.ID)}, part: st.part, rev: st.rev}
}

// copiesByPart are the live copies of messages' text, or of their files; of two the newer.
func copiesByPart(messages []copies, files bool) map[int]chat.Link {
	have := map[int]chat.Link{}
	for i := range messages {
		for _, l := range messages[i].links {
			if !l.Origin && (l.Part >= fileParts) == files {
				have[l.Part] = l
			}
		}
	}
	return have
}

// textOps are the ops that post the messages' text, none when nothing is left of it or
// when it is on the platform already.
func (p planner) textOps(v *view) []chat.Op {
	var lines []string
	for i := range v.messages {
		m := &v.messages[i]
		original := m.writtenHere && m.EditedAt == 0
		if m.DeletedAt == 0 && m.Content != "" && !original {
			lines = append(lines, shownText(&m.Message))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	text, first := strings.Join(lines, "\n"), &v.messages[0]
	if v.fresh() && v.firstShown().Sub(v.event().At) > lateAfter {
		text += lateText(v.event().At)
	}
	return p.split(chat.Op{Kind: chat.OpPost, Text: text, From: authorOf(&first.Message), ReplyTo: v.replyTo, Edited: !v.fresh(), Aside: first.Internal})
}

// firstShown is when the first part of a message was delivered: now, if none was.
func (v *view) firstShown() chat.Time {
	if links := v.messages[0].links; len(links) > 0 {
		return links[0].CreatedAt
	}
	return v.now
}

// fileSteps post the files of a message that are missing and remove those of
// one that was deleted.
func (p planner) fileSteps(v *view, m *copies) (steps []step) {
	have := copiesByPart([]copies{*m}, true)
	if m.DeletedAt != 0 {
		for _, part := range slices.Sorted(maps.Keys(have)) {
			st := step{op: chat.Op{Kind: chat.OpDelete, Remote: have[part].Remote}, shows: []string{m.ID}, part: part, rev: v.rev}
			st.fallback = keptNote(m, &st)
			steps = append(steps, st)
		}
		return steps
	}
	if m.writtenHere || !v.fresh() {
		return nil
	}
	for i, a := range m.Attachments.V {
		if _, exists := have[fileParts+i]; exists {
			continue
		}
		op := chat.Op{Kind: chat.OpPost, From: authorOf(&m.Message), File: p.file(v.head().SessionID, a), Aside: m.Internal}
		if i == 0 && m.Content == "" {
			op.ReplyTo = v.replyTo
		}
		for _, op := range p.split(op) {
			st := step{op: op, shows: []string{m.ID}, part: headParts + i, rev: v.rev}
			if op.File != nil {
				st.part = fileParts + i
				st.fallback = &step{op: chat.Op{Kind: chat.OpNote, Text: unsent(op.File)}, shows: st.shows, part: st.part, rev: st.rev}
			}
			if _, exists := have[st.part]; !exists {
				steps = append(steps, st)
			}
		}
	}
	return steps
}

// file is an attachment on its way to the platform.
func (p planner) file(sessionID string, a chat.Attachment) *chat.OpFile {
	f := &chat.OpFile{Filename: a.Filename, MimeType: a.MimeType, Size: a.Size}
	switch {
	case strings.HasPrefix(a.URL, "https://"), strings.HasPrefix(a.URL, "http://"):
		f.URL = a.URL
	case p.links != nil && a.URL == "":
		f.URL = p.links.URL(&a, 0)
	}
	f.Open = func(ctx context.Context) (io.ReadCloser, error) {
		body, err := p.open(ctx, sessionID, a)
		if err != nil {
			return nil, unreadable{err}
		}
		return body, nil
	}
	return f
}

// warning warns of a deleted message that an unknown attempt may have made, where the
// platform cannot be searched and there is a thread.
func (p planner) warning(v *view) []step {
	first := &v.messages[0]
	if p.searchable || v.threadless() || !v.fresh() || v.came != unknown || !v.gone() || len(first.links) > 0 {
		return nil
	}
	op := chat.Op{Kind: chat.OpNote, Text: perhapsHereText(&first.Message)}
	return []step{{op: op, shows: []string{engine.Placeholder("perhaps " + first.ID)}, rev: v.rev}}
}
