package bench

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// streams are open streams with a reader each.
type streams struct {
	list    []*stream
	arrived chan time.Duration
	readers sync.WaitGroup
}

// stream is one of them. Whoever publishes on it notes when; the first data
// after that is the arrival.
type stream struct {
	conn net.Conn
	sent atomic.Int64 // since epoch, 0 when nothing is under way
}

// epoch is what moments are counted from, on the monotonic clock.
var epoch = time.Now()

func moment() int64 { return int64(time.Since(epoch)) }

// openStreams opens a stream for each of a list.
func openStreams(address string, list []*requests) (*streams, error) {
	s := &streams{list: make([]*stream, len(list)), arrived: make(chan time.Duration, 1<<12)}
	err := each(len(list), 32, func(i int) error {
		conn, _, err := openStream(address, list[i].stream())
		s.list[i] = &stream{conn: conn}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, one := range s.list {
		s.readers.Go(func() { one.read(s.arrived) })
	}
	return s, nil
}

// openStream opens a stream and returns how long after the request its header
// came.
func openStream(address string, request []byte) (net.Conn, time.Duration, error) {
	conn, err := dial(address)
	if err != nil {
		return nil, 0, err
	}
	var buf [512]byte
	begin := time.Now()
	if _, err := conn.Write(request); err != nil {
		return nil, 0, err
	}
	n, err := conn.Read(buf[:])
	took := time.Since(begin)
	if err == nil && !bytes.HasPrefix(buf[:n], []byte("HTTP/1.1 200 ")) {
		err = fmt.Errorf("a stream was answered: %s", buf[:n])
	}
	return conn, took, err
}

var data = []byte("data: ")

// read reports arrivals until the stream is closed.
func (s *stream) read(arrived chan<- time.Duration) {
	var buf [1 << 10]byte
	for {
		n, err := s.conn.Read(buf[:])
		if err != nil {
			return
		}
		now := moment()
		if !bytes.Contains(buf[:n], data) {
			continue // a heartbeat
		}
		if sent := s.sent.Swap(0); sent != 0 {
			arrived <- time.Duration(now - sent)
		}
	}
}

// keep closes all streams but the first n.
func (s *streams) keep(n int) {
	for _, one := range s.list[n:] {
		one.conn.Close()
	}
	s.list = s.list[:n]
}

func (s *streams) close() {
	s.keep(0)
	s.readers.Wait()
}

// latency is how long publishing took, from the request to the stream.
type latency struct{ p50, p99 time.Duration }

const (
	publishers  = 8
	publishRate = 200 // per second, all publishers together
)

// publish posts to one stream after the other at publishRate for a while and
// measures how long after the request each arrives. Every post must arrive.
func (s *streams) publish(address string, list []*requests, while time.Duration) (latency, error) {
	var count atomic.Int64
	begin := time.Now()
	err := each(publishers, publishers, func(p int) error {
		c, err := connect(address)
		if err != nil {
			return err
		}
		defer c.Close()
		for n := p; ; n += publishers {
			due := time.Duration(n) * time.Second / publishRate
			if due >= while {
				return nil
			}
			time.Sleep(due - time.Since(begin))
			i := n * 37 % len(s.list) // all over the list
			request := list[i].post()
			s.list[i].sent.Store(moment())
			if _, err := c.do(request); err != nil {
				return err
			}
			count.Add(1)
		}
	})
	if err != nil {
		return latency{}, err
	}
	return s.collect(int(count.Load()))
}

// collect waits for n arrivals.
func (s *streams) collect(n int) (latency, error) {
	took := make([]time.Duration, n)
	late := time.After(5 * time.Second)
	for i := range took {
		select {
		case took[i] = <-s.arrived:
		case <-late:
			return latency{}, fmt.Errorf("%d of %d posts did not arrive on their streams", n-i, n)
		}
	}
	slices.Sort(took)
	return latency{took[n/2], took[n*99/100]}, nil
}
