package bench

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"sync"
	"time"
)

const (
	uploads    = 100
	uploadSize = 10 << 20
	posters    = 8
	postRate   = 100 // per second, all posters together
	quiet      = 3 * time.Second
)

// uploads measures the latency of messages during many large uploads, relative to that
// without, and the peak memory. It uses its own relay.
func (r *run) uploads() {
	folder := r.b.TempDir()
	relay := r.start(func(port string) *exec.Cmd {
		cmd := r.relay(port)
		cmd.Dir = folder
		return cmd
	})
	visitors := make([]*visitor, uploads+posters)
	r.must(each(len(visitors), posters, func(i int) (err error) {
		visitors[i], err = newVisitor(relay.address, i)
		return err
	}))
	_, _, writing := sides(visitors[:posters])
	alone, err := postPaced(relay.address, writing, time.After(quiet))
	r.must(err)

	over := make(chan time.Time)
	var failed error
	go func() {
		defer close(over)
		failed = each(uploads, uploads, func(i int) error { return upload(relay.address, visitors[posters+i]) })
	}()
	beside, err := postPaced(relay.address, writing, over)
	r.must(err)
	r.must(failed)
	peak, err := relay.peak()
	r.must(err)
	r.gates.besideUploads.add(ms(alone), ms(beside))
	r.gates.uploadMemory.add(256, peak/(1<<20))
	r.must(relay.stop())
}

// postPaced posts at postRate until it is stopped, and returns the 99th percentile of the
// latency.
func postPaced(address string, list []*requests, stop <-chan time.Time) (time.Duration, error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-stop
	}()
	var mu sync.Mutex
	var took []time.Duration
	begin := time.Now()
	err := each(len(list), len(list), func(p int) error {
		c, err := connect(address)
		if err != nil {
			return err
		}
		defer c.Close()
		for n := p; ; n += len(list) {
			time.Sleep(time.Duration(n)*time.Second/postRate - time.Since(begin))
			select {
			case <-done:
				return nil
			default:
			}
			sent := time.Now()
			if _, err := c.do(list[p].post()); err != nil {
				return err
			}
			answered := time.Since(sent)
			mu.Lock()
			took = append(took, answered)
			mu.Unlock()
		}
	})
	if err != nil || len(took) == 0 {
		return 0, fmt.Errorf("%d posts: %w", len(took), err)
	}
	slices.Sort(took)
	return took[len(took)*99/100], nil
}

const (
	boundary = "----bench"
	formHead = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"sessionId\"\r\n\r\n%s\r\n--" + boundary +
		"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"parcel.bin\"\r\n\r\n"
	formTail = "\r\n--" + boundary + "--\r\n"
)

// parcel is the block that uploaded files repeat.
var parcel = bytes.Repeat([]byte("parcel\n."), 8<<10)

// upload sends a file as a visitor.
func upload(address string, v *visitor) error {
	head := fmt.Sprintf(formHead, v.session)
	length := len(head) + uploadSize + len(formTail)
	headers := fmt.Sprintf("%sContent-Type: multipart/form-data; boundary=%s\r\n", v.headers, boundary)
	c, err := connect(address)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Conn.(*net.TCPConn).SetWriteBuffer(64 << 10); err != nil { // a network holds less than this machine
		return err
	}
	_, err = fmt.Fprintf(c, "POST /api/widget/attachments HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s", headers, length, head)
	if err != nil {
		return err
	}
	for sent := 0; sent < uploadSize; sent += len(parcel) {
		if _, err := c.Write(parcel); err != nil {
			return err
		}
	}
	_, err = c.do([]byte(formTail))
	return err
}
