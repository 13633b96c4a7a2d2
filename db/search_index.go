package db

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// Search finds messages by their words. The index of these is filled after messages are
// stored, so that accepting them costs nothing: what a session has beyond its last
// indexed message is found in the database itself, whatever happened in between.
type Search struct {
	db      *DB
	log     *slog.Logger
	running chan struct{} // as many as there are searches

	mu     sync.Mutex
	fresh  map[string]bool // sessions with new messages, as far as this process knows
	missed bool            // too many to remember
	latest time.Time       // when the last message was noticed
	bell   chan struct{}

	todo  []int64 // sessions to index, of Step only
	below int64   // the round goes on with the sessions below this number, 0 without one
	low   int64   // where it goes on when todo is done
	since chat.Time
	wide  chat.Time // when recent last looked far back
	busy  time.Time // since when people write while there is more to index, zero if not so
}

// NewSearch returns the search of a database.
func NewSearch(d *DB, log *slog.Logger) *Search {
	return &Search{db: d, log: log, running: make(chan struct{}, maxSearches), fresh: map[string]bool{}, bell: make(chan struct{}, 1)}
}

// maxFresh bounds how many sessions are remembered.
const maxFresh = 4096

// Notice notes that a session has a new message; it is a tap of the engine. Without it,
// as on several nodes, messages are indexed a few seconds later.
func (s *Search) Notice(e *chat.Event) {
	if !e.For(chat.SearchIndex) {
		return
	}
	s.mu.Lock()
	s.latest = time.Now()
	if len(s.fresh) < maxFresh {
		s.fresh[e.SessionID] = true
	} else {
		s.missed = true
	}
	s.mu.Unlock()
	select {
	case s.bell <- struct{}{}:
	default:
	}
}

// The pace of indexing. A batch is short because others wait for it on SQLite; the pause
// behind it is a multiple of its time, long while people write, shorter when they do so
// for long and the index would stay behind.
const (
	startPause = 2 * time.Second
	gatherTime = 500 * time.Millisecond
	quietPause = 4
	busyPause  = 99
	latePause  = 19
	maxPause   = 2 * time.Second // what was slow may have been the disk, or the reading
	maxLate    = time.Minute
	writeTime  = time.Second     // people write if a message came within it
	lookEvery  = 3 * time.Second // for what other nodes store
	roundEvery = 6 * time.Hour   // for what nobody noticed, such as after the clock was wrong
	quietBatch = 20              // messages of 1 KiB
	busyBatch  = 4
	roundStep  = 500 // sessions
)

// Run keeps the index until ctx ends. It begins with a round through all sessions, the
// newest first: that indexes an older database, and what was stored before a crash.
func (s *Search) Run(ctx context.Context) error {
	s.mu.Lock()
	s.missed, s.todo, s.below = true, nil, 0
	s.mu.Unlock()
	rounds, polls := time.NewTicker(roundEvery), time.NewTicker(lookEvery)
	defer rounds.Stop()
	defer polls.Stop()
	poll := polls.C
	if s.db.Cluster() == nil {
		poll = nil
	}
	for pause := startPause; rest(ctx, pause); {
		begun := time.Now()
		most, factor := s.pace()
		more, err := s.step(ctx, most)
		switch {
		case err != nil && ctx.Err() == nil:
			s.log.Warn("messages cannot be indexed for the search; relay retries", "err", err)
			pause = 30 * chat.StorePause
			continue
		case more:
			pause = min(time.Since(begun)*factor, maxPause)
			continue
		}
		pause, s.busy = gatherTime, time.Time{}
		select {
		case <-ctx.Done():
		case <-s.bell:
		case <-poll:
			pause = s.recent(ctx)
		case <-rounds.C:
			s.miss()
		}
	}
	return nil
}

// pace returns how many messages a batch has now, and how much longer than the batch the
// pause behind it is.
func (s *Search) pace() (most int, factor time.Duration) {
	s.mu.Lock()
	writing := time.Since(s.latest) < writeTime
	s.mu.Unlock()
	switch {
	case !writing:
		s.busy = time.Time{}
		return quietBatch, quietPause
	case s.busy.IsZero():
		s.busy = time.Now()
	case time.Since(s.busy) > maxLate:
		return busyBatch, latePause
	}
	return busyBatch, busyPause
}

// miss makes the next step begin a round.
func (s *Search) miss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed = true
}

// rest pauses, and reports whether ctx goes on.
func rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Step indexes one batch at most and reports whether there is more to do.
func (s *Search) Step(ctx context.Context) (more bool, err error) { return s.step(ctx, quietBatch) }

func (s *Search) step(ctx context.Context, most int) (more bool, err error) {
	defer func() {
		if err != nil { // what was taken from fresh may be lost
			s.todo, s.below = nil, 0
			s.miss()
		}
	}()
	if err := s.take(ctx); err != nil {
		return true, err
	}
	if len(s.todo) == 0 && s.below > 0 {
		if err := s.portion(ctx); err != nil {
			return true, err
		}
	}
	if len(s.todo) > 0 {
		done := 0
		err := s.db.backend.applyRelaxed(ctx, func(t *tx) (err error) {
			done, err = t.index(s.todo, most)
			return err
		})
		if err != nil {
			return true, err
		}
		s.todo = s.todo[done:]
	}
	if len(s.todo) == 0 && s.below > 0 {
		s.below = s.low
		if err := s.report(ctx); err != nil {
			return true, err
		}
	}
	return len(s.todo) > 0 || s.below > 0, nil
}

const selectHighest = `SELECT COALESCE(MAX(number), 0) FROM sessions`

// numbersAtOnce is how many numbers a query reads, always the same one.
const numbersAtOnce = 32

var selectNumbers = `SELECT number FROM sessions WHERE id IN (` + marks(numbersAtOnce) + `)`

// numbers returns the numbers of sessions, numbersAtOnce at most, without those that were erased.
func (t *tx) numbers(ids []string) ([]int64, error) {
	args := make([]any, numbersAtOnce)
	for i := range args {
		args[i] = ids[i%len(ids)]
	}
	return list[int64](t, selectNumbers, args...)
}

// take puts the sessions that have new messages before the others.
func (s *Search) take(ctx context.Context) error {
	s.mu.Lock()
	fresh, missed := s.fresh, s.missed
	s.fresh, s.missed = map[string]bool{}, false
	s.mu.Unlock()
	if len(fresh) == 0 && !missed {
		return nil
	}
	return s.db.backend.look(ctx, func(t *tx) error {
		for ids := range slices.Chunk(slices.Collect(maps.Keys(fresh)), numbersAtOnce) {
			numbers, err := t.numbers(ids)
			if err != nil {
				return err
			}
			s.todo = append(numbers, s.todo...)
		}
		if !missed {
			return nil
		}
		highest, err := one[int64](t, nil, selectHighest)
		s.below = highest + 1
		s.low = s.below // what is in todo now is no portion of this round
		return err
	})
}

// behindTheirs are those of some sessions that have messages which are not indexed.
const behindTheirs = ` AS s WHERE COALESCE((SELECT MAX(seq) FROM messages WHERE session = s.number), 0)
	> COALESCE((SELECT MAX(seq) FROM search_texts WHERE session = s.number), 0)`

const (
	selectRoundStep = `SELECT number FROM sessions WHERE number < ? ORDER BY number DESC LIMIT ?`
	selectBehind    = `SELECT s.number FROM (` + selectRoundStep + `)` + behindTheirs + ` ORDER BY s.number DESC`
	selectLowest    = `SELECT COALESCE(MIN(number), 0) FROM (` + selectRoundStep + `) AS s`
	selectRecent    = `SELECT number FROM sessions WHERE status = ? AND started_at > 0 AND listed_at > ? AND last_activity > ?`
)

// portion reads what is to be indexed of the next sessions of the round.
func (s *Search) portion(ctx context.Context) error {
	return s.db.backend.look(ctx, func(t *tx) (err error) {
		if s.low, err = one[int64](t, nil, selectLowest, s.below, roundStep); err == nil {
			s.todo, err = list[int64](t, selectBehind, s.below, roundStep)
		}
		return err
	})
}

// overlap is how far clocks may differ usually, and how long a change may take. Now and
// then more is looked through, for a node whose clock is wrong.
const (
	overlap     = time.Minute
	wideOverlap = 24 * time.Hour
	wideEvery   = time.Minute
)

// recent finds what other nodes have stored, and returns the pause before it is indexed.
func (s *Search) recent(ctx context.Context) time.Duration {
	now, back := chat.Now(), overlap
	if now.Sub(s.wide) >= wideEvery {
		s.wide, back = now, wideOverlap
	}
	err := s.db.backend.look(ctx, func(t *tx) error {
		for _, status := range []chat.Status{chat.StatusOpen, chat.StatusClosed} {
			for _, recent := range halved(selectRecent) {
				since := int64(s.since.Add(-back))
				numbers, err := list[int64](t, `SELECT s.number FROM (`+recent+`)`+behindTheirs, string(status), since-listedWithin, since)
				if err != nil {
					return err
				}
				s.todo = append(numbers, s.todo...)
			}
		}
		return nil
	})
	if err != nil {
		s.miss()
		return 30 * chat.StorePause
	}
	s.since = now
	return 0
}

const updateProgress = `UPDATE search_progress SET behind = ? WHERE behind > ?`

// report stores how far the index of an older database is.
func (s *Search) report(ctx context.Context) error {
	p, err := s.Progress(ctx)
	if err != nil || p.Complete() {
		return err
	}
	return s.db.backend.apply(ctx, func(t *tx) error {
		_, err := t.q.exec(updateProgress, s.below, s.below)
		return err
	})
}

const selectProgress = `SELECT COALESCE(MAX(behind), 0) FROM search_progress`

// Progress says how far the index of an older database is.
func (s *Search) Progress(ctx context.Context) (p chat.SearchProgress, err error) {
	err = s.db.backend.look(ctx, func(t *tx) error {
		behind, err := one[int64](t, nil, selectProgress)
		if err == nil && behind > 0 {
			p.Total, err = one[int64](t, nil, selectHighest)
		}
		p.Done = max(p.Total-behind+1, 0)
		return err
	})
	if p.Total == 0 {
		p = chat.SearchProgress{}
	}
	return p, err
}

const selectUnindexed = `SELECT session AS number, ` + messageColumns + ` FROM messages WHERE session = ?
	AND seq > COALESCE((SELECT MAX(t.seq) FROM search_texts t WHERE t.session = ?), 0) ORDER BY seq LIMIT ?`

// unindexed is a message with its session's number.
type unindexed struct {
	Number int64
	chat.Message
}

// index indexes at most that many messages of some sessions, and returns of how many
// sessions all are indexed now. A message that changes meanwhile waits on Postgres.
func (t *tx) index(sessions []int64, most int) (done int, err error) {
	var rows []unindexed
	bytes := 0
	for _, session := range sessions {
		part, err := list[unindexed](t, t.q.lock(selectUnindexed), session, session, most-len(rows))
		if err != nil {
			return 0, err
		}
		rows = append(rows, part...)
		for i := range part {
			bytes += len(part[i].Content)
		}
		if len(rows) >= most || bytes >= most<<10 {
			break
		}
		done++
	}
	texts := make([]searchedText, len(rows))
	for i := range rows {
		m := &rows[i].Message
		texts[i] = searchedText{textPlace{numberOf(m.Timestamp, rows[i].Number, m.Seq), rows[i].Number, m.Seq}, words.Set(searchedTexts(m)...)}
	}
	// In the order of their numbers they become one segment of SQLite's index.
	sort.Slice(texts, func(i, j int) bool { return texts[i].Number < texts[j].Number })
	return done, t.putTexts(texts)
}

// searchedText is a message's words.
type searchedText struct {
	textPlace
	set []string
}

// sameTime is how many messages of one millisecond may get the same number.
const sameTime = 16

// putTexts stores words under their numbers, or the next that are free.
func (t *tx) putTexts(texts []searchedText) error {
	for range sameTime {
		left, err := t.q.putTexts(texts)
		if err != nil || len(left) == 0 {
			return err
		}
		for i := range left {
			left[i].Number++
		}
		texts = left
	}
	return nil // another node has stored them
}

// numberOf orders messages by their time. In the same millisecond, those of one session keep
// their order, and those of others differ by chance.
func numberOf(at chat.Time, session, seq int64) int64 {
	const bits = 20
	chance := uint64(session) * 0x9E3779B97F4A7C15 >> (64 - bits)
	return min(max(int64(at), 0), 1<<42-1)<<bits | int64((chance+uint64(seq))%(1<<bits))
}
