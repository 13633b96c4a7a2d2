// Package telegramtest is a fake of Telegram for tests of its adapter.
package telegramtest

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Platform is a fake Bot API server with one bot and one group with topics.
// Its errors are the real ones, word for word. It has no clock
// of its own: in a synctest bubble its minutes are the bubble's.
type Platform struct {
	bridgetest.Faults
	bridgetest.Record[Request]
	URL   string // of the server; "" when it was made without one
	Token string
	Group int64
	// Budget is how many messages a minute the group takes before it answers
	// 429; 0 is any number.
	Budget int

	schema *schema
	done   <-chan struct{} // closed by end
	end    context.CancelFunc
	pusher sync.WaitGroup

	mu       sync.Mutex
	group    groupState
	others   []int64 // further groups that the bot is in, with the same rights
	topics   []*topic
	byID     map[int64]*topic
	messages map[int64]*message
	files    map[string]*file
	lastID   int64 // of messages and topics: one row of numbers
	queue    updateQueue
	spent    []int64 // ms; what the budget was spent on
	sends    int
	limited  int
	commands []any
	hook     http.Handler // takes what is pushed
}

// groupState is what people change in the group's settings.
type groupState struct {
	noTopics, demoted, kicked bool
	noDelete                  bool  // the bot lacks the right to delete
	shut                      bool  // the bot may not write in closed topics
	movedTo                   int64 // the id since the group became a supergroup
}

// Request is a call as the server understood it.
type Request struct {
	Method string
	Params map[string]any // of files only the name
}

const (
	botID   = 7000000001
	botName = "relay_support_bot"
)

var _ bridgetest.Platform = (*Platform)(nil)

// New starts the server; it ends with the test.
func New(t testing.TB) *Platform {
	f := NewInBubble(t)
	bridgetest.Serve(t, f, &f.URL, "", f.stop)
	return f
}

// NewInBubble makes the fake without a server, for synctest: it is
// reached by Transport. It ends with the test.
func NewInBubble(t testing.TB) *Platform {
	ctx, end := context.WithCancel(context.Background())
	f := &Platform{Token: strconv.Itoa(botID) + ":AAcanary-Token_that_is_seen_nowhere", Group: -1001234567890,
		schema: loadSchema(), done: ctx.Done(), end: end, messages: map[int64]*message{}, files: map[string]*file{}}
	f.byID, f.queue.known, f.queue.changed = map[int64]*topic{}, map[int64]bool{}, make(chan struct{})
	f.pusher.Go(f.push)
	t.Cleanup(f.stop)
	return f
}

// stop ends what waits in the server.
func (f *Platform) stop() {
	f.end()
	f.pusher.Wait()
}

// Requests are the calls so far, of one method or of all for "".
func (f *Platform) Requests(method string) []Request {
	return f.Kept(func(r Request) bool { return method == "" || r.Method == method })
}

// Sends returns how many calls wanted a message of the budget, and how many of
// them were answered 429 because it was used up.
func (f *Platform) Sends() (all, limited int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sends, f.limited
}

// Commands are the names in the group's menu.
func (f *Platform) Commands() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.commands {
		names = append(names, c.(map[string]any)["command"].(string))
	}
	return names
}

// PushTo has a handler take what is pushed when a webhook is set, whatever its
// address.
func (f *Platform) PushTo(h http.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = h
	f.wake()
}

// SwitchTopics switches the group's topics on or off. Without them the ids of
// topics are silently ignored.
func (f *Platform) SwitchTopics(on bool) { f.set(func(g *groupState) { g.noTopics = !on }) }

// Demote takes the bot's right to manage topics, or all of them.
func (f *Platform) Demote(demoted bool) { f.set(func(g *groupState) { g.demoted = demoted }) }

// ForbidDelete takes the bot's right to delete what others wrote.
func (f *Platform) ForbidDelete() { f.set(func(g *groupState) { g.noDelete = true }) }

// Shut keeps the bot from writing in closed topics. An administrator who may
// manage topics can, so that normally nothing is refused there.
func (f *Platform) Shut() { f.set(func(g *groupState) { g.shut = true }) }

// Kick removes the bot from the group.
func (f *Platform) Kick() { f.set(func(g *groupState) { g.kicked = true }) }

// Add puts the bot into the group, as the link of a set-up does; admin gives it
// its rights.
func (f *Platform) Add(admin bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.group.kicked, f.group.demoted = false, !admin
	f.emitAdded(f.Group)
}

// emitAdded reports that the bot was added to a group.
func (f *Platform) emitAdded(group int64) {
	me, _ := f.getMe(nil)
	was := map[string]any{"user": me, "status": "left"}
	now, _ := f.getChatMember(nil)
	f.emit("my_chat_member", map[string]any{"chat": f.chat(group), "from": person("Ada").render(), "date": time.Now().Unix(), "old_chat_member": was, "new_chat_member": now})
}

// AddChannel implements [bridgetest.Platform]: another group, to which the bot is added
// with its rights.
func (f *Platform) AddChannel() (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	group := f.Group - 1 - int64(len(f.others))
	f.others = append(f.others, group)
	f.emitAdded(group)
	return itoa(group)
}

func (f *Platform) set(change func(*groupState)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.group)
}

// Migrate gives the group a new id, as happens when it becomes a supergroup,
// and reports that under the old one.
func (f *Platform) Migrate(id int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.newMessage(&message{from: person("Ada"), service: map[string]any{"migrate_to_chat_id": id}})
	f.emit("message", f.render(m))
	f.group.movedTo = id
}
