package db

import (
	"bytes"
	"sync"

	"github.com/relay-chat/relay/server/chat"
)

// stored is a session with its number, to which other tables refer, and the time by which
// lists find it (see listedAt).
type stored struct {
	chat.Session
	Number   int64 `db:"number"`
	ListedAt int64 `db:"listed_at"`
}

// own returns a copy that shares no memory with s.
func (s *stored) own() stored {
	c := *s
	c.Identity, c.PreChat = bytes.Clone(s.Identity), bytes.Clone(s.PreChat)
	return c
}

// maxCached bounds the cache to a few megabytes.
const maxCached = 1024

// sessionCache is what the one writer of a SQLite database remembers of the
// sessions it wrote: every message begins with reading its session. It is
// emptied when anything is rolled back and when another process has written.
type sessionCache struct {
	// changing is held for writing while a transaction is open, so that readers
	// see only what is committed.
	changing sync.RWMutex
	sessions map[string]stored
	// version is SQLite's data_version: it changes with others' writes.
	version int64
}

func newSessionCache() *sessionCache { return &sessionCache{sessions: map[string]stored{}} }

// refresh forgets everything if another process has written.
func (c *sessionCache) refresh(version int64) {
	if version != c.version {
		c.clear()
		c.version = version
	}
}

func (c *sessionCache) clear() { clear(c.sessions) }

// get returns a session that is in the cache.
func (c *sessionCache) get(id string) (stored, bool) {
	if c == nil {
		return stored{}, false
	}
	s, ok := c.sessions[id]
	return s, ok
}

// header returns the committed header of a cached session. It does not wait for
// an open transaction. It makes opening a stream a fifth cheaper.
func (c *sessionCache) header(id string) (chat.Session, bool) {
	if c == nil || !c.changing.TryRLock() {
		return chat.Session{}, false
	}
	defer c.changing.RUnlock()
	s, ok := c.sessions[id]
	return chat.Session{ID: id, Site: s.Site, TokenHash: s.TokenHash, Devices: s.Devices, Status: s.Status, Blocked: s.Blocked, Rev: s.Rev, InitRev: s.InitRev,
		LeavingRev: s.LeavingRev, ContinuedIn: s.ContinuedIn, Merged: s.Merged, MovedOn: s.MovedOn}, ok
}

// put caches a session as it is stored now. The caller must not change s after it.
func (c *sessionCache) put(s *stored) {
	if c == nil {
		return
	}
	if _, ok := c.sessions[s.ID]; !ok && len(c.sessions) >= maxCached {
		for id := range c.sessions { // whichever comes first
			delete(c.sessions, id)
			break
		}
	}
	c.sessions[s.ID] = *s
}

func (c *sessionCache) drop(id string) {
	if c != nil {
		delete(c.sessions, id)
	}
}
