package discordtest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

const gatewayPath = "/gateway-socket"

// gateway is the other end of the bot's connection.
type gateway struct {
	down     bool // nobody gets in
	silent   bool // nothing is sent any more
	first    int  // an op that comes before the answer to the next identify
	forgets  bool // sessions cannot be resumed
	rejects  int  // the code with which the next identify is closed; 0 is none
	sessions map[string]*gatewaySession
	history  []gatewayEvent // all events, for Redeliver
	conns    map[*gatewayConn]bool
	// what the bot did
	identified, resumed, beats int
	most                       int // connections at one time
}

type gatewaySession struct {
	id      string
	emitted []gatewayEvent
	conn    *gatewayConn
}

type gatewayEvent struct {
	Op   int    `json:"op"`
	Data any    `json:"d"`
	Seq  int    `json:"s,omitempty"`
	Type string `json:"t,omitempty"`
}

type gatewayConn struct {
	socket  *websocket.Conn
	out     chan gatewayEvent
	ended   chan struct{}
	end     func()
	session *gatewaySession
}

func (f *Platform) gatewayURL() string {
	if f.URL == "" {
		return "ws://gateway.discord.test" + gatewayPath
	}
	return "ws" + strings.TrimPrefix(f.URL, "http") + gatewayPath
}

// Dial reaches the gateway without a network, for synctest.
func (f *Platform) Dial(context.Context, string, string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gateway.down {
		return nil, bridgetest.ErrRefused
	}
	return bridgetest.Dial(&f.serving, f.serveGateway), nil
}

// serveGateway speaks with the bot until the connection ends.
func (f *Platform) serveGateway(w http.ResponseWriter, r *http.Request) {
	if v := r.URL.Query().Get("v"); v != "10" {
		f.Violate("the gateway is asked for version " + v)
	}
	f.mu.Lock()
	down := f.gateway.down
	f.mu.Unlock()
	if down {
		panic(bridgetest.ErrRefused)
	}
	socket, err := (&websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	socket.SetCloseHandler(func(int, string) error { return nil }) // the bot closes the connection itself
	c := &gatewayConn{socket: socket, out: make(chan gatewayEvent, 8192), ended: make(chan struct{})}
	c.end = sync.OnceFunc(func() {
		close(c.ended)
		_ = socket.Close()
	})
	f.join(c)
	defer f.leave(c)
	var writing sync.WaitGroup
	writing.Go(func() { c.write(f) })
	f.mu.Lock()
	c.send(gatewayEvent{Op: 10, Data: map[string]any{"heartbeat_interval": f.Heartbeat.Milliseconds()}})
	f.mu.Unlock()
	f.readFrames(c)
	c.end()
	writing.Wait()
}

func (f *Platform) join(c *gatewayConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gateway.conns == nil {
		f.gateway.conns = map[*gatewayConn]bool{}
	}
	f.gateway.conns[c] = true
	f.gateway.most = max(f.gateway.most, len(f.gateway.conns))
}

func (f *Platform) leave(c *gatewayConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.gateway.conns, c)
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
}

// write sends what waits. A connection that is closed by code says so first.
func (c *gatewayConn) write(f *Platform) {
	for {
		select {
		case e := <-c.out:
			f.mu.Lock()
			silent := f.gateway.silent
			f.mu.Unlock()
			switch {
			case silent:
			case e.Op < 0:
				calm()
				// The bot closes the connection itself, see readFrames.
				_ = c.socket.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(-e.Op, ""), time.Now().Add(time.Second))
				f.leave(c)
			case c.socket.WriteJSON(e) != nil:
				c.end()
			}
		case <-c.ended:
			return
		}
	}
}

// send queues an event, in order.
func (c *gatewayConn) send(e gatewayEvent) {
	select {
	case c.out <- e:
	default:
		c.end()
	}
}

// readFrames reads what the bot sends.
func (f *Platform) readFrames(c *gatewayConn) {
	for {
		var in struct {
			Op   int             `json:"op"`
			Data json.RawMessage `json:"d"`
		}
		if err := c.socket.ReadJSON(&in); err != nil {
			// A client that says goodbye closes the connection itself.
			f.leave(c)
			_, _ = io.Copy(io.Discard, c.socket.UnderlyingConn())
			return
		}
		f.mu.Lock()
		switch in.Op {
		case 1:
			f.gateway.beats++
			c.send(gatewayEvent{Op: 11})
		case 2:
			f.identify(c, in.Data)
		case 6:
			f.resume(c, in.Data)
		}
		f.mu.Unlock()
	}
}

// identify begins a session. The caller holds the lock.
func (f *Platform) identify(c *gatewayConn, data json.RawMessage) {
	g := &f.gateway
	g.identified++
	var hello struct {
		Token   string `json:"token"`
		Intents int    `json:"intents"`
	}
	_ = json.Unmarshal(data, &hello)
	if hello.Intents&(1<<0|1<<9|1<<15) != 1<<0|1<<9|1<<15 {
		f.Violate("an identify without the intents")
	}
	code := g.rejects
	switch {
	case hello.Token != "Bot "+f.Token && hello.Token != f.Token:
		code = 4004
	case f.server.noIntent:
		code = 4014
	}
	if code != 0 {
		c.send(gatewayEvent{Op: -code})
		return
	}
	if g.first != 0 {
		c.send(gatewayEvent{Op: g.first})
		g.first = 0
	}
	s := &gatewaySession{id: f.newID(), conn: c}
	g.sessions[s.id], c.session = s, s
	s.emit("READY", map[string]any{"v": 10, "session_id": s.id, "resume_gateway_url": f.gatewayURL(), "application": map[string]any{"id": appID, "flags": 0},
		"user": map[string]any{"id": botID, "username": "relay", "bot": true}, "guilds": []any{map[string]any{"id": guildID, "unavailable": true}}})
	if !f.server.kicked {
		s.emit("GUILD_CREATE", f.guildCreate())
	}
}

// guildCreate is the server with all threads that are open.
func (f *Platform) guildCreate() map[string]any {
	threads := []any{}
	for _, th := range f.order {
		if !th.archived {
			threads = append(threads, f.render(th))
		}
	}
	return map[string]any{"id": guildID, "name": "Shop", "threads": threads, "member_count": 3, "channels": f.channelList()}
}

// resume resumes a session: the events that it missed follow.
func (f *Platform) resume(c *gatewayConn, data json.RawMessage) {
	var r struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	_ = json.Unmarshal(data, &r)
	s := f.gateway.sessions[r.Session]
	switch {
	case r.Token != "Bot "+f.Token && r.Token != f.Token:
		c.send(gatewayEvent{Op: -4004})
	case s == nil || f.gateway.forgets:
		delete(f.gateway.sessions, r.Session)
		c.send(gatewayEvent{Op: 9, Data: false})
	default:
		f.gateway.resumed++
		s.conn, c.session = c, s
		for _, e := range s.emitted[min(r.Seq, len(s.emitted)):] {
			c.send(e)
		}
		s.emit("RESUMED", map[string]any{})
	}
}

func (s *gatewaySession) emit(kind string, data any) {
	e := gatewayEvent{Op: 0, Type: kind, Data: data, Seq: len(s.emitted) + 1}
	s.emitted = append(s.emitted, e)
	if s.conn != nil {
		s.conn.send(e)
	}
}

// emit sends the bot an event. The caller holds the lock.
func (f *Platform) emit(kind string, data any) {
	f.gateway.history = append(f.gateway.history, gatewayEvent{Type: kind, Data: data})
	if f.server.kicked {
		return
	}
	for _, s := range f.gateway.sessions {
		s.emit(kind, data)
	}
}

// each does something with every connection.
func (f *Platform) each(do func(c *gatewayConn)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.gateway.conns {
		do(c)
	}
}

// calm lets what a connection begins with come to an end: discordgo holds a
// lock for a second when a connection ends, and who waits for a lock keeps a
// bubble's time from going on.
func calm() { time.Sleep(time.Millisecond) }

// Cut cuts the gateway's connections.
func (f *Platform) Cut() {
	calm()
	f.cut()
}

func (f *Platform) cut() { f.each(func(c *gatewayConn) { c.end() }) }

// CloseGateway closes them with a code.
func (f *Platform) CloseGateway(code int) {
	f.each(func(c *gatewayConn) { c.send(gatewayEvent{Op: -code}) })
}

// Reconnect asks the bot to connect again (op 7).
func (f *Platform) Reconnect() {
	calm()
	f.each(func(c *gatewayConn) { c.send(gatewayEvent{Op: 7}) })
}

// Invalidate ends the sessions: they cannot be resumed, and the bot learns that
// (op 9).
func (f *Platform) Invalidate() {
	f.mu.Lock()
	clear(f.gateway.sessions)
	f.mu.Unlock()
	f.each(func(c *gatewayConn) {
		c.session = nil
		c.send(gatewayEvent{Op: 9, Data: false})
	})
}

// Forget lets no session be resumed from now on.
func (f *Platform) Forget() { f.setGateway(func(g *gateway) { g.forgets = true }) }

// Down lets nobody connect to the gateway.
func (f *Platform) Down(down bool) { f.setGateway(func(g *gateway) { g.down = down }) }

// Silence lets connections stand, but sends nothing on them.
func (f *Platform) Silence(silent bool) { f.setGateway(func(g *gateway) { g.silent = silent }) }

// Reject closes who identifies with a code; 0 is nobody.
func (f *Platform) Reject(code int) { f.setGateway(func(g *gateway) { g.rejects = code }) }

// First sends an op before it answers the next identify.
func (f *Platform) First(op int) { f.setGateway(func(g *gateway) { g.first = op }) }

func (f *Platform) setGateway(change func(*gateway)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.gateway)
}

// Connections are how often the bot began a session, took one up again, and
// sent a heartbeat.
func (f *Platform) Connections() (identified, resumed, beats int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gateway.identified, f.gateway.resumed, f.gateway.beats
}

// MostConnected is how many connections there were at one time.
func (f *Platform) MostConnected() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gateway.most
}

// Connected reports whether a session is connected.
func (f *Platform) Connected() (is bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.gateway.sessions {
		is = is || s.conn != nil
	}
	return is
}

// Redeliver implements [bridgetest.Platform].
func (f *Platform) Redeliver() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.gateway.history {
		for _, s := range f.gateway.sessions {
			s.emit(e.Type, e.Data)
		}
	}
}

// Emit sends the bot an event as it is.
func (f *Platform) Emit(kind string, data any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.emit(kind, data)
}
