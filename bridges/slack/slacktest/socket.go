package slacktest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// socket is a connection of Socket Mode.
type socket struct {
	conn *websocket.Conn
	out  chan any // what is to be written; a string is a ping
	gone chan struct{}
	mute atomic.Bool // it says nothing any more, without an end
}

// Slack pings often.
const pingEvery = 15 * time.Second

// openConnection gives an address that can be used once.
func (f *Platform) openConnection(url.Values) (map[string]any, *apiError) {
	f.mail.ticket++
	base := strings.TrimSuffix(strings.Replace(f.URL, "http", "ws", 1), "/api")
	return map[string]any{"url": fmt.Sprintf("%s/link?ticket=%d", base, f.mail.ticket)}, nil
}

// link is Socket Mode: it greets, pings, sends events and takes what is
// acknowledged.
func (f *Platform) link(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	valid := r.URL.Query().Get("ticket") == fmt.Sprint(f.mail.ticket) && !f.Unreachable()
	f.mu.Unlock()
	if !valid {
		http.Error(w, "no such ticket", http.StatusForbidden)
		return
	}
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	s := &socket{conn: conn, out: make(chan any, 4096), gone: make(chan struct{})}
	s.out <- map[string]any{"type": "hello", "num_connections": 1, "connection_info": map[string]any{"app_id": appID}}
	f.mu.Lock()
	select {
	case <-f.done:
		f.mu.Unlock()
		return
	default:
	}
	f.mail.sockets = append(f.mail.sockets, s)
	f.working.Go(s.speak)
	f.wake()
	f.mu.Unlock()
	f.hear(s)
}

// hear takes acknowledgements until the connection ends.
func (f *Platform) hear(s *socket) {
	for {
		var ack struct {
			ID string `json:"envelope_id"`
		}
		if s.conn.ReadJSON(&ack) != nil {
			break
		}
		f.mu.Lock()
		f.drop(ack.ID)
		f.wake()
		f.mu.Unlock()
	}
	close(s.gone)
	f.mu.Lock()
	f.mail.sockets = slices.DeleteFunc(f.mail.sockets, func(other *socket) bool { return other == s })
	f.mu.Unlock()
}

// speak writes until the connection ends, and pings.
func (s *socket) speak() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-s.gone:
			return
		case <-ticker.C:
			if !s.mute.Load() {
				err = s.conn.WriteControl(websocket.PingMessage, []byte("Ping from applink"), time.Now().Add(time.Second))
			}
		case v := <-s.out:
			err = s.conn.WriteJSON(v)
		}
		if err != nil {
			s.conn.Close()
			return
		}
	}
}

// send gives a letter to one of the connections.
func (f *Platform) send(l *letter) bool {
	for _, s := range f.mail.sockets {
		envelope := map[string]any{"type": "events_api", "envelope_id": l.id, "payload": l.payload, "accepts_response_payload": false, "retry_attempt": l.tries}
		if l.tries > 0 {
			envelope["retry_reason"] = "timeout"
		}
		select {
		case s.out <- envelope:
			return true
		default:
		}
	}
	return false
}

// Disconnect asks the app for a new connection, and ends the old one.
func (f *Platform) Disconnect(reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hangUp(reason)
}

// hangUp ends all connections; a reason is sent before.
func (f *Platform) hangUp(reason string) {
	for _, s := range f.mail.sockets {
		if reason == "" {
			s.conn.Close()
			continue
		}
		s.out <- map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]any{"host": "applink"}}
	}
}

// Silence lets the connections say nothing any more, not even that they end.
func (f *Platform) Silence() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.mail.sockets {
		s.mute.Store(true)
	}
	f.mail.sockets = nil
}

// Connections is how many connections there are.
func (f *Platform) Connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mail.sockets)
}
