package e2e

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// follower follows a visitor's stream at one node after the other.
type follower struct {
	visitor *visitor

	mu      sync.Mutex
	session string
	sent    map[int]time.Time
	seen    []int
	took    []time.Duration
	last    string // the id of the last event
	order   []int64
	deaf    time.Time // until then it was at a node that was cut off
}

func (r *follower) wrote(session string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session, r.sent[n] = session, time.Now()
}

var (
	eventID        = regexp.MustCompile(`(?m)^id: (\d+)$`)
	messageContent = regexp.MustCompile(`"content":"[^"]*"`)
)

// follow reads the stream until stop, at another node whenever it ends or a while has
// passed.
func (r *follower) follow(g *group, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(speakEvery):
		}
		r.mu.Lock()
		session, last := r.session, r.last
		r.mu.Unlock()
		if session == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(g.t.Context(), 2*time.Second+rand.N(2*time.Second))
		go func() {
			select {
			case <-stop:
				cancel()
			case <-ctx.Done():
			}
		}()
		in, begun := g.pick(), time.Now()
		readFrames(ctx, in, session, last, func(frame string) { r.heard(frame, !g.cutOff(in, begun)) })
		cancel()
		if g.cutOff(in, begun) {
			r.mu.Lock()
			r.deaf = time.Now()
			r.mu.Unlock()
		}
	}
}

// heard notes an event, and how late it came unless the node was cut off: the doorbell
// does not reach one.
func (r *follower) heard(frame string, connected bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := eventID.FindStringSubmatch(frame)
	if found == nil {
		return
	}
	r.last = found[1]
	id, _ := strconv.ParseInt(found[1], 10, 64)
	r.order = append(r.order, id)
	content := messageContent.FindString(frame)
	if !strings.Contains(frame, "event: message\n") {
		return
	}
	for _, n := range spoken(content, r.visitor.name) {
		r.seen = append(r.seen, n)
		switch at, known := r.sent[n]; {
		case !known:
			r.took = append(r.took, 0) // before its sender heard that it is stored
		case connected && at.After(r.deaf):
			r.took = append(r.took, max(time.Since(at), 0))
		}
	}
}

// readFrames reads a session's stream until it or ctx ends.
func readFrames(ctx context.Context, in *instance, session, after string, heard func(frame string)) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.base+"/api/widget/stream?sessionId="+session+"&lastEventId="+after, nil)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+crashPublicKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	var frame []string
	for lines := bufio.NewScanner(resp.Body); resp.StatusCode == http.StatusOK && lines.Scan(); {
		if lines.Text() != "" {
			frame = append(frame, lines.Text())
			continue
		}
		heard(strings.Join(frame, "\n"))
		frame = nil
	}
}
