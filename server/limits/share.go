package limits

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/engine/nodes"
)

// Limits hold over all nodes that share a database: each second a node sends the others
// how much its busiest clients have used. A client is busy from the sharePart-th part
// of a limit on, so that few are sent; the lighter use of one client at other nodes
// does not count. So a limit may be exceeded by what a client does at other nodes within
// a second, and by a sharePart-th of it for each other node.
const (
	noteUse    = "use" // limit, client, when, how much
	shareEvery = time.Second
	shareAgain = 10 * time.Second // also what has not changed, for nodes that came since
	sharePart  = 8
)

// use is how much a client has used of a limit.
type use struct {
	client uint64
	when   int64 // what the limit counts by: a minute, an hour's end
	amount int64
}

// sharedLimit is a limit whose use nodes share.
type sharedLimit interface {
	// busy lists the busiest clients' use at this node.
	busy(now time.Time) []use
	// learn notes a client's use at another node, dropNode drops what that node said.
	learn(node string, u use)
	dropNode(node string)
}

// clientOf is the number by which all nodes know a client.
func clientOf(key string) uint64 {
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:8])
}

// shared are the limits by name.
func (r *Rates) shared() map[string]sharedLimit {
	return map[string]sharedLimit{"inits": r.Inits, "requests": r.Requests, "live": r.Live, "messages": r.Messages, "uploads": r.Uploads,
		"addressUploads": r.UploadsOfAddress, "identifys": r.Identifys, "failures": r.Failures, "aiCalls": r.AICalls, "keys": r.Keys, "hooks": r.Hooks, "registrations": r.Registrations, "codes": r.Codes, "bytes": &r.Uploaded,
		"streams": &r.SessionStreams, "addressStreams": &r.AddressStreams, "transfers": &r.AddressUploads, "downloads": &r.AddressDownloads}
}

// Share makes the limits hold over all nodes until ctx ends.
func (r *Rates) Share(ctx context.Context, others *nodes.Nodes) error {
	limits := r.shared()
	others.Subscribe(noteUse, nodes.Topic{
		Receive: func(node string, args []json.RawMessage) { receiveUse(limits, node, args) },
		Gone: func(node string) {
			for _, l := range limits {
				l.dropNode(node)
			}
		}})
	tick := time.NewTicker(shareEvery)
	defer tick.Stop()
	sent := map[string]use{}
	for begun := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			if now.Sub(begun) >= shareAgain {
				begun = now
				clear(sent)
			}
			if others.Shared() {
				sendUse(others, limits, sent, now)
			}
		}
	}
}

// sendUse sends the other nodes what has changed.
func sendUse(nodes *nodes.Nodes, limits map[string]sharedLimit, sent map[string]use, now time.Time) {
	for name, l := range limits {
		for _, u := range l.busy(now) {
			client := base36(u.client)
			if key := name + client; sent[key] != u {
				sent[key] = u
				nodes.Ring(noteUse, name, client, u.when, u.amount)
			}
		}
	}
}

func receiveUse(limits map[string]sharedLimit, node string, args []json.RawMessage) {
	var name, client string
	var u use
	if len(args) != 4 {
		return
	}
	for i, into := range []any{&name, &client, &u.when, &u.amount} {
		if json.Unmarshal(args[i], into) != nil {
			return
		}
	}
	var err error
	if u.client, err = strconv.ParseUint(client, 36, 64); err == nil && limits[name] != nil {
		limits[name].learn(node, u)
	}
}

// elsewhere is what clients have used at other nodes. Its owner locks it.
type elsewhere struct {
	uses map[uint64]map[string]use // by client and node
}

func (e *elsewhere) learn(node string, u use) {
	if e.uses == nil {
		e.uses = map[uint64]map[string]use{}
	}
	if e.uses[u.client] == nil {
		e.uses[u.client] = map[string]use{}
	}
	e.uses[u.client][node] = u
}

func (e *elsewhere) dropNode(node string) {
	for client, nodes := range e.uses {
		if delete(nodes, node); len(nodes) == 0 {
			delete(e.uses, client)
		}
	}
}

// sum adds up what a client has used elsewhere in a time.
func (e *elsewhere) sum(client uint64, when func(int64) bool) (n int64) {
	for _, u := range e.uses[client] {
		if when(u.when) {
			n += u.amount
		}
	}
	return n
}

// expire drops what counts no more.
func (e *elsewhere) expire(keep func(use) bool) {
	for client, nodes := range e.uses {
		for node, u := range nodes {
			if !keep(u) {
				delete(nodes, node)
			}
		}
		if len(nodes) == 0 {
			delete(e.uses, client)
		}
	}
}

func base36(client uint64) string { return strconv.FormatUint(client, 36) }

func anyTime(int64) bool { return true }
