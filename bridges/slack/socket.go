package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/relay-chat/relay/server/chat"
)

// Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). Slack
// pings every few seconds: a connection that is silent for longer is dead.
const (
	dialTimeout = 15 * time.Second
	silence     = time.Minute
	writeLimit  = 10 * time.Second
	maxFrame    = 4 << 20
)

// errSwitchedOff means that Socket Mode was switched off in the app's settings.
var errSwitchedOff = &chat.Misconfigured{Problem: "Socket Mode is switched off in the app's settings",
	Fix: "switch it on at https://api.slack.com/apps under Socket Mode, or remove SLACK_APP_TOKEN"}

// frame is a message of the socket.
type frame struct {
	Type       string          `json:"type"`
	EnvelopeID string          `json:"envelope_id"`
	Reason     string          `json:"reason"`
	Payload    json.RawMessage `json:"payload"`
}

// listen receives on one connection until Slack requests a new one, which is no
// error. lasted means that it worked for a while.
func (r *receiver) listen(ctx context.Context, in chat.Receiver) (lasted bool, err error) {
	conn, err := r.connect(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	begun := time.Now()
	for {
		var f frame
		f, err = r.next(conn)
		if err != nil {
			break
		}
		if f.Type == "hello" {
			r.openGaps()
		}
		done, failed := r.handleFrame(ctx, conn, in, &f)
		if err = failed; done || err != nil {
			break
		}
	}
	return time.Since(begun) > silence, err
}

// connect opens a connection, at an address that Slack issues for a single use.
func (r *receiver) connect(ctx context.Context) (*socket, error) {
	var address string
	err := r.client.call(ctx, methodSocket, true, func(ctx context.Context) (err error) {
		_, address, err = r.client.api.StartSocketModeContext(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dialer := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, NetDialContext: r.cfg.Dial, HandshakeTimeout: dialTimeout}
	conn, _, err := dialer.DialContext(ctx, address, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to Slack: %w", r.client.redact(err))
	}
	conn.SetReadLimit(maxFrame)
	extendDeadline(conn)
	conn.SetPingHandler(func(data string) error {
		extendDeadline(conn)
		r.touchGaps(time.Now())
		_ = conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(writeLimit)) // the next read reports a failure
		return nil
	})
	return &socket{Conn: conn}, nil
}

// extendDeadline allows another pause of silence.
func extendDeadline(conn *websocket.Conn) { _ = conn.SetReadDeadline(time.Now().Add(silence)) }

// next reads a frame. Invalid JSON counts as empty.
func (r *receiver) next(conn *socket) (f frame, err error) {
	_, raw, err := conn.ReadMessage()
	if err != nil {
		return f, fmt.Errorf("the connection to Slack ended: %w", err)
	}
	extendDeadline(conn.Conn)
	_ = json.Unmarshal(raw, &f)
	if f.Type != "hello" { // which ends the gap that listen opens
		r.touchGaps(time.Now())
	}
	return f, nil
}

// handleFrame handles a frame. An event is acknowledged once it is stored; Slack
// repeats any other. done means that Slack requests a new connection.
func (r *receiver) handleFrame(ctx context.Context, conn *socket, in chat.Receiver, f *frame) (done bool, err error) {
	switch f.Type {
	case "hello":
		r.reportReceiving(waySocket)
	case "disconnect":
		if f.Reason == "link_disabled" {
			return true, errSwitchedOff
		}
		r.log.Debug("Slack requests a new connection", "reason", f.Reason)
		return true, nil
	case "events_api":
		id := f.EnvelopeID
		_, err = r.handleEvent(ctx, in, f.Payload, func() { _ = conn.acknowledge(id) }) // the next read reports a failure
		if err != nil && !errors.Is(err, chat.ErrPermanent) {
			r.log.Error("an event could not be stored; retrying", "err", err)
		}
		if !errors.Is(err, chat.ErrPermanent) {
			return false, nil
		}
		r.log.Warn("an event cannot be read", "err", err)
	}
	if f.EnvelopeID == "" {
		return false, nil
	}
	return false, conn.acknowledge(f.EnvelopeID)
}

// socket is a connection: one goroutine reads, and those that store events write.
type socket struct {
	*websocket.Conn
	writing sync.Mutex
}

// acknowledge acknowledges a frame.
func (conn *socket) acknowledge(id string) error {
	conn.writing.Lock()
	defer conn.writing.Unlock()
	_ = conn.SetWriteDeadline(time.Now().Add(writeLimit))
	return conn.WriteJSON(map[string]string{"envelope_id": id})
}
