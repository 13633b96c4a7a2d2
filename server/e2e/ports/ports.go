// Package ports finds ports for the servers of tests that stop and come back.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
)

// The ports lie below those that systems give to connections that go out: nothing else takes
// one while its server is away. Each process has a block of its own.
const (
	first  = 20000
	number = 12000
	block  = 1500
)

// asked counts what this process was given.
var asked atomic.Int64

// own listens on the first port of a block: whoever does has the others. It is kept until the
// process ends, because a listener that nothing refers to is closed when memory is collected.
var own = sync.OnceValues(func() (net.Listener, error) {
	for _, i := range rand.Perm(number / block) {
		if leader, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(first+i*block)); err == nil {
			return leader, nil
		}
	}
	return nil, fmt.Errorf("%d processes use ports for tests already", number/block)
})

// Free finds a TCP port that nobody uses. It is given to no other test, in any process, until this
// one was given a whole block.
func Free() (string, error) {
	held, err := own()
	if err != nil {
		return "", err
	}
	leader := int64(held.Addr().(*net.TCPAddr).Port)
	for range block {
		port := strconv.FormatInt(leader+1+asked.Add(1)%(block-1), 10)
		if l, err := net.Listen("tcp", ":"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", fmt.Errorf("no port from %d to %d is free", leader+1, leader+block-1)
}
