package slack

import "sync"

// memo remembers things for a while: when it is full, all is forgotten and
// learnt anew.
type memo[V any] struct {
	mu   sync.Mutex
	most int
	kept map[string]V
}

func newMemo[V any](most int) *memo[V] { return &memo[V]{most: most, kept: map[string]V{}} }

func (m *memo[V]) get(key string) (value V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, known = m.kept[key]
	return value, known
}

func (m *memo[V]) put(key string, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) >= m.most {
		clear(m.kept)
	}
	m.kept[key] = value
}

// first keeps a value unless there is one already.
func (m *memo[V]) first(key string, value V) {
	if _, known := m.get(key); !known {
		m.put(key, value)
	}
}
