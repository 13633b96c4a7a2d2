package ports

import (
	"strconv"
	"testing"
)

// TestFree: each port is given once, and none that a connection may get on its own.
func TestFree(t *testing.T) {
	given := map[string]bool{}
	for range 100 {
		port, err := Free()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(port); err != nil || n < first || n >= first+number || given[port] {
			t.Errorf("port %s (given before: %t)", port, given[port])
		}
		given[port] = true
	}
}
