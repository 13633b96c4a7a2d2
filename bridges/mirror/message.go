package mirror

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"relay/server/chat"
)

// fileParts is where the parts begin that are files: before them are those of
// the text.
const fileParts = 1000

// lateAfter is the age from which a message is marked as delivered late.
const lateAfter = 2 * time.Minute

// shown is a message with its copies at the desk.
type shown struct {
	chat.Message
	links []chat.Link // that are live
	// leaving are those of a batch that an attempt has made of it.
	leaving []chat.Link
	// here tells that the message was written at this desk.
	here bool
}

// posting is what one platform message shows, or several when it is long: a
// message, or some of a visitor that were waiting together.
type posting struct {
	messages []shown
	rev      int64 // of the session when they were read
	// fresh is false for what comes from an edit or a delete.
	fresh bool
	// replyTo is the copy of the message that is answered.
	replyTo string
	// batch are the messages that an earlier attempt sent together, if any.
	batch []string
}

// carryMessage brings the copies of a message up to date: it is posted, edited
// or removed, whatever is missing. What a message became while its deliveries
// waited is not acted out: its newest state is shown at once, and the later
// deliveries find nothing left to do. In bridge mode a restart may have forgotten
// the thread that shows what is edited: then another one shows the edit. A note opens no
// thread: one that is opened later shows it among what came earlier.
func (r *round) carryMessage(lane []chat.Delivery) error {
	p, err := r.load(lane)
	again := false
	if err == nil {
		again, err = r.recall(&p)
	}
	if again && err == nil {
		p, err = r.load(lane)
	}
	if err == nil {
		err = r.noteBatch(&p)
	}
	if err != nil {
		return err
	}
	if !p.fresh {
		if err := r.retell(); err != nil {
			return err
		}
	}
	left, err := r.perhapsHere(&p)
	if err != nil {
		return err
	}
	return r.all(append(r.steps(&p), left...), (p.fresh || r.desk.opts.Stateless) && !p.messages[0].Internal)
}

// load reads what the head shows, and when it waits with others of its kind
// those too.
func (r *round) load(lane []chat.Delivery) (p posting, err error) {
	err = r.desk.store.Read(r.ctx, func(rd chat.Reader) error {
		session, err := rd.Session(r.sessionID)
		if err != nil {
			return err
		}
		p = posting{rev: session.Rev, fresh: lane[0].Event.Type == chat.EventMessage || lane[0].Event.Type == chat.EventNote}
		first, err := r.shown(rd, &lane[0].Event)
		if err != nil {
			return err
		}
		p.messages, r.unit = []shown{first}, lane[:1]
		if p.fresh {
			return r.gather(rd, &p, lane)
		}
		return r.together(rd, &p)
	})
	return p, err
}

// shown reads a message with its copies.
func (r *round) shown(rd chat.Reader, e *chat.Event) (shown, error) {
	m, err := rd.Message(r.sessionID, e.MessageID)
	if errors.Is(err, chat.ErrMessageNotFound) { // bridge mode, after a restart
		m, err = e.Message()
	}
	if err != nil {
		return shown{}, err
	}
	s := shown{Message: m}
	links, err := rd.Links(r.sessionID, m.ID, r.desk.bridge.Name(), r.desk.bridge.Channel())
	for _, l := range links {
		switch l.State {
		case chat.LinkLive:
			s.links = append(s.links, l)
			s.here = s.here || l.Origin
		case chat.LinkSending:
			s.leaving = append(s.leaving, l)
		}
	}
	return s, err
}

// gather adds to a visitor's text those that wait behind it, as far as one
// platform message carries them, and finds what it answers. What an earlier
// attempt has perhaps sent stays in the batch that it left in.
func (r *round) gather(rd chat.Reader, p *posting, lane []chat.Delivery) error {
	if len(p.messages[0].links) > 0 {
		if err := r.together(rd, p); err != nil {
			return err
		}
	}
	first := &p.messages[0]
	if first.ReplyTo != "" {
		var err error
		p.replyTo, err = r.copyOf(rd, first.ReplyTo)
		return err
	}
	if r.uncertain && len(first.links) == 0 {
		return r.rejoin(rd, p, lane)
	}
	if !r.desk.bridge.Limits().Coalesce || !first.plain() {
		return nil
	}
	for i := 1; i < len(lane) && lane[i].Event.Type == chat.EventMessage; i++ {
		m, err := r.shown(rd, &lane[i].Event)
		if err != nil {
			return err
		}
		if !m.plain() {
			return nil
		}
		more := posting{messages: append(slices.Clone(p.messages), m), fresh: true}
		if len(r.texts(&more)) != 1 {
			return nil
		}
		p.messages, r.unit = more.messages, lane[:i+1]
	}
	return nil
}

// plain reports whether a message may go out together with others.
func (s *shown) plain() bool {
	return s.Sender == chat.SenderVisitor && s.ReplyTo == "" && s.DeletedAt == 0 && len(s.Attachments.V) == 0 && len(s.links) == 0
}

// together adds to a message those that share its copy, in their order.
func (r *round) together(rd chat.Reader, p *posting) error {
	first := &p.messages[0]
	for _, l := range first.links {
		if l.Origin || l.Part != 0 || l.Remote == "" {
			continue
		}
		sharing, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		if err != nil {
			return err
		}
		for _, other := range sharing {
			known := slices.ContainsFunc(p.messages, func(m shown) bool { return m.ID == other.MessageID })
			if other.SessionID != r.sessionID || known || chat.IsPlaceholder(other.MessageID) {
				continue
			}
			m, err := r.shown(rd, &chat.Event{MessageID: other.MessageID, Payload: chat.Raw("{}")})
			if err != nil {
				return err
			}
			p.messages = append(p.messages, m)
		}
	}
	slices.SortFunc(p.messages, func(a, b shown) int { return int(a.Seq - b.Seq) })
	return nil
}

// copyOf finds a platform message that shows a message, "" when there is none.
func (r *round) copyOf(rd chat.Reader, messageID string) (string, error) {
	links, err := rd.Links(r.sessionID, messageID, r.desk.bridge.Name(), r.desk.bridge.Channel())
	for _, l := range links {
		if l.State == chat.LinkLive && l.Remote != "" {
			return l.Remote, err
		}
	}
	return "", err
}

func (p *posting) ids() []string {
	ids := make([]string, len(p.messages))
	for i := range p.messages {
		ids[i] = p.messages[i].ID
	}
	return ids
}

// steps are what is missing until the copies show what they should.
func (r *round) steps(p *posting) []step {
	steps := r.textSteps(p)
	for i := range p.messages {
		steps = append(steps, r.fileSteps(p, &p.messages[i])...)
	}
	return steps
}

// textSteps bring the texts' copies up to date, part by part.
func (r *round) textSteps(p *posting) (steps []step) {
	have := p.textCopies()
	want := r.texts(p)
	first := &p.messages[0]
	for i, op := range want {
		s := step{op: op, carries: p.ids(), part: i, rev: p.rev}
		copied, exists := have[i]
		delete(have, i)
		switch {
		case exists && (p.fresh || copied.Rev >= r.head().Rev):
			continue
		case exists:
			s.op.Kind, s.op.Remote, s.op.ReplyTo, s.op.Edited = chat.OpEdit, copied.Remote, "", false
		case i > 0:
			s.op.ReplyTo = ""
		}
		steps = append(steps, s)
	}
	for _, l := range sortedLinks(have) {
		s := step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, carries: p.ids(), part: l.Part, rev: p.rev}
		if l.Part == 0 {
			s.fallback = kept(first, &s)
		}
		steps = append(steps, s)
	}
	if first.DeletedAt != 0 { // what the operator wrote here is removed too
		for _, l := range first.links {
			if l.Origin {
				steps = append(steps, step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, carries: []string{first.ID}, part: l.Part, rev: p.rev, optional: true})
			}
		}
	}
	return steps
}

// kept says by a copy which the platform does not remove what became of its
// message.
func kept(m *shown, s *step) *step {
	op := chat.Op{Kind: chat.OpNote, Text: keptText(m), ReplyTo: s.op.Remote}
	return &step{op: op, carries: []string{chat.Placeholder("kept " + m.ID)}, part: s.part, rev: s.rev}
}

// textCopies are the live copies of the text by part; of two the newer.
func (p *posting) textCopies() map[int]chat.Link {
	have := map[int]chat.Link{}
	for i := range p.messages {
		for _, l := range p.messages[i].links {
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
	slices.SortFunc(links, func(a, b chat.Link) int { return a.Part - b.Part })
	return links
}

// texts are the ops that post the text of a posting, none when nothing is left
// of it or when it is on the platform already.
func (r *round) texts(p *posting) []chat.Op {
	var lines []string
	for i := range p.messages {
		m := &p.messages[i]
		original := m.here && m.EditedAt == 0
		if m.DeletedAt == 0 && m.Content != "" && !original {
			lines = append(lines, m.Content)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	text := strings.Join(lines, "\n")
	if p.fresh {
		text += lateNote(&p.messages[0], r.head().Event.At)
	}
	return r.desk.bridge.Split(chat.Op{Kind: chat.OpPost, Text: text, From: authorOf(&p.messages[0].Message), ReplyTo: p.replyTo, Edited: !p.fresh})
}

// lateNote tells when a message was written that comes late, "" when it does
// not. A message of which a part is there already keeps to what that part was.
func lateNote(m *shown, written chat.Time) string {
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
func (r *round) fileSteps(p *posting, m *shown) (steps []step) {
	have := map[int]chat.Link{}
	for _, l := range m.links {
		if !l.Origin && l.Part >= fileParts {
			have[l.Part] = l
		}
	}
	if m.DeletedAt != 0 {
		for _, l := range sortedLinks(have) {
			s := step{op: chat.Op{Kind: chat.OpDelete, Remote: l.Remote}, carries: []string{m.ID}, part: l.Part, rev: p.rev}
			s.fallback = kept(m, &s)
			steps = append(steps, s)
		}
		return steps
	}
	if m.here || !p.fresh {
		return nil
	}
	for i, a := range m.Attachments.V {
		s := step{carries: []string{m.ID}, part: fileParts + i, rev: p.rev}
		if _, exists := have[s.part]; exists {
			continue
		}
		s.op = chat.Op{Kind: chat.OpPost, From: authorOf(&m.Message), File: r.file(a)}
		if i == 0 && m.Content == "" {
			s.op.ReplyTo = p.replyTo
		}
		instead := s
		instead.op = chat.Op{Kind: chat.OpNote, Text: unsent(s.op.File)}
		s.fallback = &instead
		steps = append(steps, s)
	}
	return steps
}

// file is an attachment on its way to the platform.
func (r *round) file(a chat.Attachment) *chat.OpFile {
	f := &chat.OpFile{Filename: a.Filename, MimeType: a.MimeType, Size: a.Size}
	switch {
	case strings.HasPrefix(a.URL, "https://"), strings.HasPrefix(a.URL, "http://"):
		f.URL = a.URL
	case r.desk.opts.Links != nil && a.URL == "":
		f.URL = r.desk.opts.Links.URL(&a, 0)
	}
	f.Open = func(ctx context.Context) (io.ReadCloser, error) {
		body, err := r.desk.opts.OpenFile(ctx, r.sessionID, a)
		r.unreadable = err != nil
		return body, err
	}
	return f
}
