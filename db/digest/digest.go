// Package digest packs what statistics need of many sessions into a few bytes each, so that
// a year of them is read in the time of one query.
package digest

import (
	"encoding/binary"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// A version begins every digest. One of another version is read as if it were broken, and
// its rows instead. Most relays have one site, which is not written.
const (
	ofFirstSite = 1
	ofSites     = 2
)

// The flags of a session.
const (
	closed = 1 << iota
	commented
	answered
	responded
)

// Encode packs sessions; they must be in the order of their numbers.
func Encode(sessions []chat.SessionFacts) []byte {
	writers, order := map[chat.Writer]uint64{}, []*chat.Writer(nil)
	messages := 0
	for i := range sessions {
		messages += len(sessions[i].Messages)
		for _, m := range sessions[i].Messages {
			if _, known := writers[*m.By]; !known {
				writers[*m.By] = uint64(len(order))
				order = append(order, m.By)
			}
		}
	}
	b, sites := appendSites(nil, sessions)
	b = binary.AppendUvarint(b, uint64(len(order)))
	for _, w := range order {
		for _, text := range []string{string(w.Sender), w.Bridge, w.Author, w.Person} {
			b = appendText(b, text)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(sessions)))
	b = binary.AppendUvarint(b, uint64(messages))
	var number, started int64
	for i := range sessions {
		s := &sessions[i]
		b = binary.AppendVarint(b, s.Number-number)
		b = binary.AppendVarint(b, int64(s.StartedAt)-started)
		if sites != nil {
			b = binary.AppendUvarint(b, sites[s.Site])
		}
		b = appendSession(b, s, writers)
		number, started = s.Number, int64(s.StartedAt)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// appendSites appends the version and, unless all sessions are of the first site, the
// sites; each has a number.
func appendSites(b []byte, sessions []chat.SessionFacts) ([]byte, map[string]uint64) {
	numbers, order := map[string]uint64{}, []string(nil)
	for i := range sessions {
		if _, known := numbers[sessions[i].Site]; !known {
			numbers[sessions[i].Site] = uint64(len(order))
			order = append(order, sessions[i].Site)
		}
	}
	if len(order) == 0 || len(order) == 1 && order[0] == "" {
		return append(b, ofFirstSite), nil
	}
	b = binary.AppendUvarint(append(b, ofSites), uint64(len(order)))
	for _, site := range order {
		b = appendText(b, site)
	}
	return b, numbers
}

// appendSession appends what follows the session's number and beginning.
func appendSession(b []byte, s *chat.SessionFacts, writers map[chat.Writer]uint64) []byte {
	flags := uint64(0)
	for i, set := range []bool{s.Closed, s.Commented, s.AnsweredAt != 0, s.RespondedAt != 0} {
		if set {
			flags |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, flags)
	if s.AnsweredAt != 0 {
		b = binary.AppendVarint(b, int64(s.AnsweredAt-s.StartedAt))
	}
	if s.RespondedAt != 0 {
		b = binary.AppendVarint(b, int64(s.RespondedAt-s.StartedAt))
		b = binary.AppendVarint(b, int64(s.Score))
	}
	b = binary.AppendUvarint(b, uint64(len(s.Messages)))
	last := s.StartedAt
	for _, m := range s.Messages {
		b = binary.AppendVarint(b, int64(m.At-last))
		b = binary.AppendUvarint(b, writers[*m.By])
		last = m.At
	}
	for _, list := range [][]chat.Time{s.Closings, s.HandBacks} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		last = s.StartedAt
		for _, at := range list {
			b = binary.AppendVarint(b, int64(at-last))
			last = at
		}
	}
	return b
}

// Sessions are the sessions of a digest. They are valid until the next one is decoded.
type Sessions struct {
	List     []chat.SessionFacts
	messages []chat.MessageFact
}

var errBroken = errors.New("not a digest of this version")

// Decode unpacks a digest. Its error says that the bytes are none.
func (d *Sessions) Decode(packed []byte) error {
	d.List, d.messages = d.List[:0], d.messages[:0]
	if len(packed) == 0 || packed[0] != ofFirstSite && packed[0] != ofSites {
		return errBroken
	}
	r := &reader{left: packed[1:]}
	sites := r.sites(packed[0])
	writers := make([]chat.Writer, r.count())
	for i := range writers {
		writers[i] = chat.Writer{Sender: chat.Sender(r.text()), Bridge: r.text(), Author: r.text(), Person: r.text()}
	}
	sessions, messages := r.count(), r.count()
	if cap(d.messages) < messages { // never moved while sessions point into it
		d.messages = make([]chat.MessageFact, 0, messages)
	}
	var last chat.SessionFacts
	for range sessions {
		s := chat.SessionFacts{Number: last.Number + r.number(), StartedAt: last.StartedAt + r.time()}
		if len(sites) > 0 {
			s.Site = r.oneOf(sites)
		}
		d.session(r, &s, writers)
		if r.broken || len(d.messages) > messages {
			return errBroken
		}
		d.List = append(d.List, s)
		last = s
	}
	if r.broken || len(r.left) > 0 {
		return errBroken
	}
	return nil
}

// session reads what follows the session's number and beginning.
func (d *Sessions) session(r *reader, s *chat.SessionFacts, writers []chat.Writer) {
	flags := r.unsigned()
	s.Closed, s.Commented = flags&closed != 0, flags&commented != 0
	if flags&answered != 0 {
		s.AnsweredAt = s.StartedAt + r.time()
	}
	if flags&responded != 0 {
		s.RespondedAt = s.StartedAt + r.time()
		s.Score = int(r.number())
	}
	begin, at := len(d.messages), s.StartedAt
	for range r.count() {
		at += r.time()
		by := r.unsigned()
		if by >= uint64(len(writers)) || len(d.messages) == cap(d.messages) {
			r.broken = true
			return
		}
		d.messages = append(d.messages, chat.MessageFact{At: at, By: &writers[by]})
	}
	s.Messages = d.messages[begin:len(d.messages):len(d.messages)]
	s.Closings = r.times(s.StartedAt)
	s.HandBacks = r.times(s.StartedAt)
}

// reader reads numbers and texts. Once it is broken, all that it returns is empty.
type reader struct {
	left   []byte
	broken bool
}

func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.left)
	if !r.skip(n) {
		return 0
	}
	return v
}

func (r *reader) number() int64 {
	v, n := binary.Varint(r.left)
	if !r.skip(n) {
		return 0
	}
	return v
}

// skip skips the n bytes of a number and reports whether there was one.
func (r *reader) skip(n int) bool {
	if n <= 0 {
		r.left, r.broken = nil, true
		return false
	}
	r.left = r.left[n:]
	return true
}

func (r *reader) time() chat.Time { return chat.Time(r.number()) }

// count reads how many of something follow; each has at least a byte.
func (r *reader) count() int {
	n := r.unsigned()
	if n > uint64(len(r.left)) {
		r.left, r.broken = nil, true
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	text := string(r.left[:n])
	r.left = r.left[n:]
	return text
}

// sites reads the sites of a digest, none when all is the first one's.
func (r *reader) sites(version byte) []string {
	if version == ofFirstSite {
		return nil
	}
	sites := make([]string, r.count())
	for i := range sites {
		sites[i] = r.text()
	}
	r.broken = r.broken || len(sites) == 0
	return sites
}

// oneOf reads the number of a text.
func (r *reader) oneOf(texts []string) string {
	n := r.unsigned()
	if n >= uint64(len(texts)) {
		r.broken = true
		return ""
	}
	return texts[n]
}

func (r *reader) times(at chat.Time) []chat.Time {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := make([]chat.Time, n)
	for i := range list {
		at += r.time()
		list[i] = at
	}
	return list
}
