// Package ports finds ports for the servers of tests that stop and come back.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// The ports lie below those that systems give to connections that go out: nothing else takes
// one while its server is away.
const (
	first  = 20000
	number = 12000
)

// asked counts on from a place of chance, so that one process gets each port once,
// and two processes rarely get the same.
var asked atomic.Int64

func init() { asked.Store(rand.Int64N(number)) }

// Free finds a TCP port that nobody uses. It is given to no other test of this process.
func Free() (string, error) {
	for range number {
		port := strconv.FormatInt(first+asked.Add(1)%number, 10)
		if l, err := net.Listen("tcp", ":"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", fmt.Errorf("no port from %d to %d is free", first, first+number-1)
}
