// Package cache remembers a bounded number of values. It imports the standard
// library only.
package cache

import "sync"

// Cache holds values by their keys. When it is full, all are dropped and learnt
// again.
type Cache[V any] struct {
	mu   sync.Mutex
	most int
	kept map[string]V
}

// New returns a cache of a limited number of values.
func New[V any](most int) *Cache[V] { return &Cache[V]{most: most, kept: map[string]V{}} }

// Get returns a value; known is false when there is none.
func (c *Cache[V]) Get(key string) (value V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, known = c.kept[key]
	return value, known
}

// Put stores a value.
func (c *Cache[V]) Put(key string, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= c.most {
		clear(c.kept)
	}
	c.kept[key] = value
}

// Remove drops one value.
func (c *Cache[V]) Remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, key)
}

// Clear drops all values.
func (c *Cache[V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.kept)
}
