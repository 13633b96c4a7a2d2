package slack

import "sync"

// cache holds at most so many values; when it is full, all are dropped and learnt
// again.
type cache[V any] struct {
	mu   sync.Mutex
	most int
	kept map[string]V
}

func newCache[V any](most int) *cache[V] { return &cache[V]{most: most, kept: map[string]V{}} }

func (m *cache[V]) get(key string) (value V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, known = m.kept[key]
	return value, known
}

func (m *cache[V]) put(key string, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= m.most {
		clear(m.kept)
	}
	m.kept[key] = value
}
