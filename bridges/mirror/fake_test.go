package mirror_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// fakeBridge is a platform in memory with its bridge: what a test of a mirror
// needs to see and to break.
type fakeBridge struct {
	name     string
	channel  string                 // "" is C1
	own      map[string]chat.Bridge // of sites, beside it
	coalesce bool
	longest  int // characters of a message

	mu      sync.Mutex
	next    int
	threads []*fakeThread
	calls   []chat.Op
	files   map[string]string
	fetch   func(ctx context.Context, ref string) (io.ReadCloser, error) // nil, nil: as files say
	slow    func(op chat.Op) time.Duration                               // how long an op takes; nil: no time
	late    time.Duration                                                // how long its answer takes
	// before refuses an op, after loses its answer; nil lets it pass.
	before, after func(op chat.Op) error
	found         map[string]chat.Thread // what Find answers
	owners        map[string]string      // what Owner answers
	heads         bool                   // a text precedes each file
	mindful       bool                   // it keeps by which op a message was made
	nonces        bool                   // it makes one message by each key
	lost          error                  // of threads that Find does not know
	log           *slog.Logger           // the mirror's
}

// bridge is the fake as a mirror gets it.
func (f *fakeBridge) bridge() chat.Bridge {
	if f.mindful {
		return mindful{f}
	}
	return f
}

// mindful implements [chat.Recaller].
type mindful struct{ *fakeBridge }

func (f mindful) Recall(_ context.Context, th chat.Thread, keys []string, _ chat.Time) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	remotes := make([]string, len(keys))
	for _, m := range f.thread(th.Ref).messages {
		if i := slices.Index(keys, m.key); m.key != "" && i >= 0 {
			remotes[i] = m.remote
		}
	}
	return remotes, nil
}

type fakeThread struct {
	ref, title, sessionID string
	gone, closed          bool
	messages              []fakeMessage
}

type fakeMessage struct{ remote, text, replyTo, receipt, key string }

func newFake(name string) *fakeBridge {
	return &fakeBridge{name: name, longest: 4000, files: map[string]string{}, lost: chat.ErrThreadGone, log: quiet}
}

func (f *fakeBridge) Name() string    { return f.name }
func (f *fakeBridge) Channel() string { return cmp.Or(f.channel, "C1") }
func (f *fakeBridge) Limits() chat.Limits {
	return chat.Limits{Parallel: 4, Coalesce: f.coalesce, Timeout: 10 * time.Second, Slash: f.name == "telegram",
		Short: map[string]string{"telegram": "tg", "discord": "dc", "slack": "sl"}[f.name]}
}

// Split implements [chat.Bridge]: texts that are too long, never an opening, and files with
// heads.
func (f *fakeBridge) Split(op chat.Op) (parts []chat.Op) {
	if op.File != nil && f.heads {
		return chat.Parts(op, []string{"file:"})
	}
	runes := []rune(op.Text)
	if op.Kind == chat.OpOpen || op.File != nil || len(runes) <= f.longest {
		return []chat.Op{op}
	}
	for len(runes) > 0 {
		part, n := op, min(f.longest, len(runes))
		part.Text = string(runes[:n])
		parts, runes = append(parts, part), runes[n:]
	}
	return parts
}

func (f *fakeBridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.slow != nil {
		f.rest(f.slow(op))
	}
	f.calls = append(f.calls, op)
	if f.before != nil {
		if err := f.before(op); err != nil {
			return "", err
		}
	}
	remote, err := f.carryOut(ctx, th, op)
	if err == nil && f.after != nil {
		err = f.after(op)
	}
	f.rest(f.late)
	return remote, err
}

// rest sleeps while others go on.
func (f *fakeBridge) rest(pause time.Duration) {
	f.mu.Unlock()
	time.Sleep(pause)
	f.mu.Lock()
}

func (f *fakeBridge) carryOut(ctx context.Context, th chat.Thread, op chat.Op) (string, error) {
	f.next++
	id := fmt.Sprint(f.next)
	if op.Kind == chat.OpOpen {
		f.threads = append(f.threads, &fakeThread{ref: "t" + id, title: op.Title, sessionID: op.SessionID,
			messages: []fakeMessage{{remote: id, text: "= " + op.Text}}})
		return "t" + id, nil
	}
	t := f.thread(th.Ref)
	switch {
	case t == nil || t.gone:
		return "", chat.ErrThreadGone
	case op.Kind == chat.OpReopen:
		t.closed = false
		return "", nil
	case t.closed:
		return "", chat.ErrThreadClosed
	case op.Kind == chat.OpTyping:
		return "", nil
	case op.Kind == chat.OpClose:
		t.closed = true
		return "", nil
	case op.Kind == chat.OpPost || op.Kind == chat.OpNote:
		made := func(m fakeMessage) bool { return m.key == op.Key }
		if i := slices.IndexFunc(t.messages, made); i >= 0 && (f.nonces || f.mindful && op.Ambiguous) {
			return t.messages[i].remote, nil
		}
		text, err := textOf(ctx, op)
		if err != nil {
			return "", err
		}
		t.messages = append(t.messages, fakeMessage{remote: id, text: text, replyTo: op.ReplyTo, key: op.Key})
		return id, nil
	}
	for i := range t.messages {
		m := &t.messages[i]
		if m.remote != op.Remote {
			continue
		}
		switch op.Kind {
		case chat.OpEdit:
			m.text, _ = textOf(ctx, op)
		case chat.OpDelete:
			t.messages = append(t.messages[:i], t.messages[i+1:]...)
		case chat.OpReact:
			m.receipt = op.Receipt
		}
		return "", nil
	}
	return "", chat.ErrMessageGone
}

// textOf is a message as the fake shows it.
func textOf(ctx context.Context, op chat.Op) (string, error) {
	text := op.Text
	if op.From != "" {
		text = op.From + ": " + text
	}
	if op.Edited {
		text = "(edited) " + text
	}
	if op.Kind == chat.OpNote {
		text = "- " + text
	}
	if op.File != nil {
		body, err := op.File.Open(ctx)
		if err != nil {
			return "", err
		}
		defer body.Close()
		data, err := io.ReadAll(body)
		return text + "[" + op.File.Filename + "=" + string(data) + "]", err
	}
	return text, nil
}

func (f *fakeBridge) thread(ref string) *fakeThread {
	for _, t := range f.threads {
		if t.ref == ref {
			return t
		}
	}
	return nil
}

// shown are the messages of each thread, without the opening.
func (f *fakeBridge) shown(n int) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n >= len(f.threads) {
		return []string{"there is no such thread"}
	}
	texts := []string{}
	for _, m := range f.threads[n].messages[1:] {
		texts = append(texts, m.text)
	}
	return texts
}

// set changes the fake while it serves.
func (f *fakeBridge) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// by lets a test change what operators change by hand.
func (f *fakeBridge) by(hand func(first *fakeThread)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hand(f.threads[0])
}

// state copies the n-th thread.
func (f *fakeBridge) state(n int) fakeThread {
	f.mu.Lock()
	defer f.mu.Unlock()
	th := *f.threads[n]
	th.messages = slices.Clone(th.messages)
	return th
}

// ops are the ops that were tried so far.
func (f *fakeBridge) ops() []chat.Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (f *fakeBridge) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.threads)
}

// breakAt makes the fake refuse (before) or lose the answer of (after) what is
// chosen, so many times.
func (f *fakeBridge) breakAt(lost bool, times int, err error, chosen func(chat.Op) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hook := func(op chat.Op) error {
		if times > 0 && chosen(op) {
			times--
			return err
		}
		return nil
	}
	if lost {
		f.after = hook
	} else {
		f.before = hook
	}
}

func (f *fakeBridge) Fetch(ctx context.Context, ref string) (io.ReadCloser, error) {
	if f.fetch != nil {
		if body, err := f.fetch(ctx, ref); body != nil || err != nil {
			return body, err
		}
	}
	data, ok := f.files[ref]
	if !ok {
		return nil, chat.ErrPermanent
	}
	return io.NopCloser(strings.NewReader(data)), nil
}

func (f *fakeBridge) Run(ctx context.Context, _ chat.Receiver) error { <-ctx.Done(); return nil }
func (f *fakeBridge) Webhook(chat.Receiver) http.Handler             { return http.NotFoundHandler() }
func (f *fakeBridge) Check(context.Context) []chat.Finding           { return nil }

func (f *fakeBridge) Parse(raw []byte) (list []chat.Inbound, err error) {
	err = json.Unmarshal(raw, &list)
	return slices.DeleteFunc(list, func(in chat.Inbound) bool { return in.Thread.Channel != f.Channel() }), err
}

func (f *fakeBridge) Find(_ context.Context, sessionID string) (chat.Thread, error) {
	if th, ok := f.found[sessionID]; ok {
		return th, nil
	}
	return chat.Thread{}, f.lost
}

func (f *fakeBridge) Owner(_ context.Context, th chat.Thread) (string, error) {
	if id, ok := f.owners[th.Ref]; ok {
		return id, nil
	}
	return "", chat.ErrThreadGone
}

// in is what an operator writes in the n-th thread.
func (f *fakeBridge) in(n int, remote, text string) chat.Inbound {
	f.mu.Lock()
	defer f.mu.Unlock()
	return chat.Inbound{Kind: chat.InboundMessage, Thread: chat.Thread{Ref: f.threads[n].ref}, Remote: remote, Operator: "Ada", Text: text}
}
