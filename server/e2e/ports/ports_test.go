package ports

import (
	"net"
	"runtime"
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

// TestBlockIsKept: no other process gets the ports, however often memory is collected.
func TestBlockIsKept(t *testing.T) {
	held, err := own()
	if err != nil {
		t.Fatal(err)
	}
	leader := held.Addr().String()
	for range 2 {
		collected := make(chan struct{})
		runtime.SetFinalizer(new([64]byte), func(*[64]byte) { close(collected) })
		runtime.GC()
		<-collected // finalizers run one after the other
	}
	if l, err := net.Listen("tcp", leader); err == nil {
		l.Close()
		t.Errorf("%s is free", leader)
	}
}
