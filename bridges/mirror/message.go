package mirror

import (
	"context"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// The parts of a message: those of its text, from fileParts on its files, and from
// headParts on the texts that some platforms need before a file.
const (
	fileParts = 1000
	headParts = 2000
)

// lateAfter is the age from which a message is marked as delivered late.
const lateAfter = 2 * time.Minute

// messageCopies is a message with its copies on the platform.
type messageCopies struct {
	chat.Message
	links []chat.Link // that are live
	// sending are those of a batch that an attempt has made of it.
	sending []chat.Link
	// writtenHere: the message was written on this platform.
	writtenHere bool
}

// renderedMessage is what one platform message shows, or several when it is long: a
// message, or some of a visitor that were waiting together.
type renderedMessage struct {
	messages []messageCopies
	rev      int64 // of the session when they were read
	// fresh is false for an edit or a delete.
	fresh bool
	// replyTo is the copy of the message that is answered.
	replyTo string
	// sentTogether are the messages that an earlier attempt sent together, if any.
	sentTogether []string
}

// applyMessage posts, edits or removes a message's copies until they show its newest
// state, so that its later deliveries have nothing left to do. A note opens no thread; one
// that is opened later shows it among the earlier messages.
func (run *deliveryRun) applyMessage(ctx context.Context, lane []chat.Delivery) error {
	rm, err := run.load(ctx, lane)
	again := false
	if err == nil {
		again, err = run.recallCopies(ctx, &rm)
	}
	if again && err == nil {
		rm, err = run.load(ctx, lane)
	}
	if err == nil {
		err = run.saveBatch(ctx, &rm)
	}
	if err != nil {
		return err
	}
	if !rm.fresh {
		if err := run.updateEarlier(ctx); err != nil {
			return err
		}
	}
	left, err := run.warnOfLeftover(ctx, &rm)
	if err != nil {
		return err
	}
	return run.applySteps(ctx, append(run.steps(&rm), left...), (rm.fresh || run.mirror.opts.Stateless) && !rm.messages[0].Internal)
}

// load reads what the head shows, and when it waits with others of its kind
// those too.
func (run *deliveryRun) load(ctx context.Context, lane []chat.Delivery) (rm renderedMessage, err error) {
	err = run.mirror.store.Read(ctx, func(rd chat.Reader) error {
		session, err := rd.Session(run.sessionID)
		if err != nil {
			return err
		}
		rm = renderedMessage{rev: session.Rev, fresh: lane[0].Event.Type == chat.EventMessage || lane[0].Event.Type == chat.EventNote}
		first, err := run.loadMessage(rd, &lane[0].Event)
		if err != nil {
			return err
		}
		rm.messages, run.batch = []messageCopies{first}, lane[:1]
		if rm.fresh {
			return run.gatherBatch(rd, &rm, lane)
		}
		return run.addSharers(rd, &rm)
	})
	return rm, err
}

// loadMessage reads a message with its copies.
func (run *deliveryRun) loadMessage(rd chat.Reader, e *chat.Event) (messageCopies, error) {
	m, err := rd.Message(run.sessionID, e.MessageID)
	if errors.Is(err, chat.ErrMessageNotFound) { // bridge mode, after a restart
		m, err = e.Message()
	}
	if err != nil {
		return messageCopies{}, err
	}
	s := messageCopies{Message: m}
	links, err := rd.Links(run.sessionID, m.ID, run.mirror.bridge.Name(), run.mirror.bridge.Channel())
	for _, l := range links {
		switch l.State {
		case chat.LinkLive:
			s.links = append(s.links, l)
			s.writtenHere = s.writtenHere || l.Origin
		case chat.LinkSending:
			s.sending = append(s.sending, l)
		}
	}
	return s, err
}

// gatherBatch adds to a visitor's text those that wait after it, as far as one platform
// message holds them, and finds what it answers. Messages that an earlier attempt may
// have sent stay in their batch.
func (run *deliveryRun) gatherBatch(rd chat.Reader, rm *renderedMessage, lane []chat.Delivery) error {
	if len(rm.messages[0].links) > 0 {
		if err := run.addSharers(rd, rm); err != nil {
			return err
		}
	}
	first := &rm.messages[0]
	if first.ReplyTo != "" {
		var err error
		rm.replyTo, err = run.copyOf(rd, first.ReplyTo)
		return err
	}
	if run.uncertain && len(first.links) == 0 {
		return run.restoreBatch(rd, rm, lane)
	}
	if !run.mirror.bridge.Limits().Coalesce || !first.plain() {
		return nil
	}
	for i := 1; i < len(lane) && lane[i].Event.Type == chat.EventMessage; i++ {
		m, err := run.loadMessage(rd, &lane[i].Event)
		if err != nil {
			return err
		}
		if !m.plain() {
			return nil
		}
		more := renderedMessage{messages: append(slices.Clone(rm.messages), m), fresh: true}
		if len(run.textOps(&more)) != 1 {
			return nil
		}
		rm.messages, run.batch = more.messages, lane[:i+1]
	}
	return nil
}

// plain reports whether a message may go out together with others.
func (s *messageCopies) plain() bool {
	return s.Sender == chat.SenderVisitor && s.ReplyTo == "" && s.DeletedAt == 0 && len(s.Attachments.V) == 0 && len(s.links) == 0
}

// addSharers adds to a message those that share its copy, in their order.
func (run *deliveryRun) addSharers(rd chat.Reader, rm *renderedMessage) error {
	first := &rm.messages[0]
	for _, l := range first.links {
		if l.Origin || l.Part != 0 || l.Remote == "" {
			continue
		}
		sharing, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		if err != nil {
			return err
		}
		for _, other := range sharing {
			known := slices.ContainsFunc(rm.messages, func(m messageCopies) bool { return m.ID == other.MessageID })
			if other.SessionID != run.sessionID || known || engine.IsPlaceholder(other.MessageID) {
				continue
			}
			m, err := run.loadMessage(rd, &chat.Event{MessageID: other.MessageID, Payload: chat.Raw("{}")})
			if err != nil {
				return err
			}
			rm.messages = append(rm.messages, m)
		}
	}
	sort.Slice(rm.messages, func(i, j int) bool { return rm.messages[i].Seq < rm.messages[j].Seq })
	return nil
}

// copyOf finds a platform message that shows a message, "" when there is none.
func (run *deliveryRun) copyOf(rd chat.Reader, messageID string) (string, error) {
	links, err := rd.Links(run.sessionID, messageID, run.mirror.bridge.Name(), run.mirror.bridge.Channel())
	for _, l := range links {
		if l.State == chat.LinkLive && l.Remote != "" {
			return l.Remote, err
		}
	}
	return "", err
}

func (rm *renderedMessage) ids() []string {
	ids := make([]string, len(rm.messages))
	for i := range rm.messages {
		ids[i] = rm.messages[i].ID
	}
	return ids
}

// steps are what is missing until the copies show what they should.
func (run *deliveryRun) steps(rm *renderedMessage) []step {
	steps := run.textSteps(rm)
	for i := range rm.messages {
		steps = append(steps, run.fileSteps(rm, &rm.messages[i])...)
	}
	return steps
}

// textSteps bring the texts' copies up to date, part by part.
func (run *deliveryRun) textSteps(rm *renderedMessage) (steps []step) {
	have := rm.textCopies()
	want := run.textOps(rm)
	first := &rm.messages[0]
	for i, op := range want {
		s := step{op: op, shows: rm.ids(), part: i, rev: rm.rev}
		copied, exists := have[i]
		delete(have, i)
		switch {
		case exists && (rm.fresh || copied.Rev >= run.head().Rev):
			continue
		case exists:
			s.op.Kind, s.op.Remote, s.op.ReplyTo, s.op.Edited = chat.OpEdit, copied.Remote, "", false
		case i > 0:
			s.op.ReplyTo = ""
		}
		steps = append(steps, s)
	}
	for _, l := range sortedLinks(have) {
		s := step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, shows: rm.ids(), part: l.Part, rev: rm.rev}
		if l.Part == 0 {
			s.fallback = keptNote(first, &s)
		}
		steps = append(steps, s)
	}
	if first.DeletedAt != 0 { // what the operator wrote here is removed too
		for _, l := range first.links {
			if l.Origin {
				steps = append(steps, step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, shows: []string{first.ID}, part: l.Part, rev: rm.rev, optional: true})
			}
		}
	}
	return steps
}

// keptNote explains what happened to a message whose copy the platform does not remove.
func keptNote(m *messageCopies, s *step) *step {
	op := chat.Op{Kind: chat.OpNote, Text: keptText(m), ReplyTo: s.op.Remote}
	return &step{op: op, shows: []string{engine.Placeholder("kept " + m.ID)}, part: s.part, rev: s.rev}
}

// textCopies are the live copies of the text by part; of two the newer.
func (rm *renderedMessage) textCopies() map[int]chat.Link {
	have := map[int]chat.Link{}
	for i := range rm.messages {
		for _, l := range rm.messages[i].links {
			if !l.Origin && l.Part < fileParts {
				have[l.Part] = l
			}
		}
	}
	return have
}

func sortedLinks(byPart map[int]chat.Link) []chat.Link {
	links := make([]chat.Link, 0, len(byPart))
	for _, l := range byPart {
		links = append(links, l)
	}
	sort.Slice(links, func(i, j int) bool { return links[i].Part < links[j].Part })
	return links
}

// textOps are the ops that post a rendered message's text, none when nothing is left
// of it or when it is on the platform already.
func (run *deliveryRun) textOps(rm *renderedMessage) []chat.Op {
	var lines []string
	for i := range rm.messages {
		m := &rm.messages[i]
		original := m.writtenHere && m.EditedAt == 0
		if m.DeletedAt == 0 && m.Content != "" && !original {
			lines = append(lines, shownText(&m.Message))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	text := strings.Join(lines, "\n")
	if rm.fresh {
		text += lateNote(&rm.messages[0], run.head().Event.At)
	}
	return run.mirror.bridge.Split(chat.Op{Kind: chat.OpPost, Text: text, From: authorOf(&rm.messages[0].Message), ReplyTo: rm.replyTo, Edited: !rm.fresh,
		Aside: rm.messages[0].Internal})
}

// lateNote returns when a message was written that is delivered late, else "". The parts
// of a message agree with the first that was delivered.
func lateNote(m *messageCopies, written chat.Time) string {
	at := chat.Now()
	if len(m.links) > 0 {
		at = m.links[0].CreatedAt
	}
	if at.Sub(written) <= lateAfter {
		return ""
	}
	return "\n\n(delivered late: written on " + written.Std().Format("2 January at 15:04 UTC") + ")"
}

// fileSteps post the files of a message that are missing and remove those of
// one that was deleted.
func (run *deliveryRun) fileSteps(rm *renderedMessage, m *messageCopies) (steps []step) {
	have := map[int]chat.Link{}
	for _, l := range m.links {
		if !l.Origin && l.Part >= fileParts {
			have[l.Part] = l
		}
	}
	if m.DeletedAt != 0 {
		for _, l := range sortedLinks(have) {
			s := step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, shows: []string{m.ID}, part: l.Part, rev: rm.rev}
			s.fallback = keptNote(m, &s)
			steps = append(steps, s)
		}
		return steps
	}
	if m.writtenHere || !rm.fresh {
		return nil
	}
	for i, a := range m.Attachments.V {
		if _, exists := have[fileParts+i]; exists {
			continue
		}
		op := chat.Op{Kind: chat.OpPost, From: authorOf(&m.Message), File: run.file(a), Aside: m.Internal}
		if i == 0 && m.Content == "" {
			op.ReplyTo = rm.replyTo
		}
		for _, op := range run.mirror.bridge.Split(op) {
			s := step{op: op, shows: []string{m.ID}, part: headParts + i, rev: rm.rev}
			if op.File != nil {
				instead := step{op: chat.Op{Kind: chat.OpNote, Text: unsent(op.File)}, shows: s.shows, part: fileParts + i, rev: s.rev}
				s.part, s.fallback = fileParts+i, &instead
			}
			if _, exists := have[s.part]; !exists {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// file is an attachment on its way to the platform.
func (run *deliveryRun) file(a chat.Attachment) *chat.OpFile {
	f := &chat.OpFile{Filename: a.Filename, MimeType: a.MimeType, Size: a.Size}
	switch {
	case strings.HasPrefix(a.URL, "https://"), strings.HasPrefix(a.URL, "http://"):
		f.URL = a.URL
	case run.mirror.opts.Links != nil && a.URL == "":
		f.URL = run.mirror.opts.Links.URL(&a, 0)
	}
	f.Open = func(ctx context.Context) (io.ReadCloser, error) {
		body, err := run.mirror.opts.OpenFile(ctx, run.sessionID, a)
		run.unreadable = err != nil
		return body, err
	}
	return f
}
