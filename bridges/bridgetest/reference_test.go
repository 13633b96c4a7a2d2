package bridgetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// AddChannel implements Platform: the reference has one.
func (*reference) AddChannel() string { panic("the reference has one channel") }

// reference is a platform in memory that does what platforms do. It proves the
// suite, not a bridge.
type reference struct {
	mu      sync.Mutex
	next    int
	threads []*refThread
	updates [][]byte
	more    chan struct{} // closed when there are more updates
	faults  int
	fault   Fault
	storm   Storm
	random  *rand.Rand
	limited time.Time
	hasty   int // requests while the platform asked for patience
	// onTheWay is how long what has been sent by then may take to come.
	onTheWay time.Duration
	files    map[string][]byte
}

type refThread struct {
	Thread
	sessionID string
	key       string // of the op that made it
}

func newReference() *reference {
	return &reference{more: make(chan struct{}), files: map[string][]byte{}, random: rand.New(rand.NewPCG(1, 2))}
}

func (p *reference) id() string {
	p.next++
	return fmt.Sprint(p.next)
}

// emit gives the bridge an update; the caller holds the lock.
func (p *reference) emit(in chat.Inbound) {
	in.Thread.Bridge, in.Thread.Channel = "reference", "home"
	raw, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	p.updates = append(p.updates, raw)
	p.ring()
}

func (p *reference) ring() {
	close(p.more)
	p.more = make(chan struct{})
}

func (p *reference) thread(ref string) *refThread {
	i := slices.IndexFunc(p.threads, func(th *refThread) bool { return th.Ref == ref })
	if i < 0 {
		return nil
	}
	return p.threads[i]
}

func (p *reference) Threads() []Thread {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []Thread
	for _, th := range p.threads {
		copied := th.Thread
		copied.Messages = slices.Clone(th.Messages)
		list = append(list, copied)
	}
	return list
}

func (p *reference) Write(thread, operator, text, replyTo string) string {
	return p.write(thread, operator, Message{Text: text, ReplyTo: replyTo}, nil)
}

func (p *reference) Attach(thread, operator, filename, mimeType string, data []byte, caption string) string {
	p.mu.Lock()
	ref := "file" + p.id()
	p.files[ref] = data
	p.mu.Unlock()
	file := chat.InboundFile{Ref: ref, Filename: filename, MimeType: mimeType, Size: int64(len(data))}
	return p.write(thread, operator, Message{Text: caption, Filename: filename, Data: data}, []chat.InboundFile{file})
}

func (p *reference) write(thread, operator string, m Message, files []chat.InboundFile) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	th := p.thread(thread)
	m.Remote = p.id()
	th.Messages = append(th.Messages, m)
	p.emit(chat.Inbound{Kind: chat.InboundMessage, Thread: chat.Thread{Ref: thread}, Remote: m.Remote, ReplyTo: m.ReplyTo,
		Operator: operator, Text: m.Text, Files: files, At: chat.Now()})
	return m.Remote
}

func (p *reference) Edit(thread, remote, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	th := p.thread(thread)
	for i := range th.Messages {
		if th.Messages[i].Remote == remote {
			th.Messages[i].Text = text
		}
	}
	p.emit(chat.Inbound{Kind: chat.InboundEdited, Thread: chat.Thread{Ref: thread}, Remote: remote, Text: text})
}

func (p *reference) Delete(thread, operator, remote string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	th := p.thread(thread)
	th.Messages = slices.DeleteFunc(th.Messages, func(m Message) bool { return m.Remote == remote })
	p.emit(chat.Inbound{Kind: chat.InboundDeleted, Thread: chat.Thread{Ref: thread}, Remote: remote, Operator: operator})
	return true
}

func (p *reference) CloseThread(thread string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thread(thread).Closed = true
	p.emit(chat.Inbound{Kind: chat.InboundThreadClosed, Thread: chat.Thread{Ref: thread}})
}

func (p *reference) DeleteThread(thread string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.threads = slices.DeleteFunc(p.threads, func(th *refThread) bool { return th.Ref == thread })
}

func (p *reference) WriteElsewhere(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw, _ := json.Marshal(chat.Inbound{Kind: chat.InboundMessage, Thread: chat.Thread{Bridge: "reference", Channel: "elsewhere", Ref: "1"}, Text: text})
	p.updates = append(p.updates, raw)
	p.ring()
}

func (p *reference) Redeliver() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.updates = append(p.updates, p.updates...)
	p.ring()
}

func (p *reference) Fail(n int, fault Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.fault = n, fault
}

func (p *reference) Storm(s Storm) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.storm, p.random = s, rand.New(rand.NewPCG(uint64(s.Seed), 0))
}

func (p *reference) Violations() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hasty > 0 {
		return []string{fmt.Sprintf("%d requests while the platform asked for patience", p.hasty)}
	}
	return nil
}

// roll decides how the next request fails, 0 for not at all.
func (p *reference) roll() Fault {
	if p.faults > 0 {
		p.faults--
		return p.fault
	}
	dice := p.random.Float64()
	for _, share := range []struct {
		of    float64
		fault Fault
	}{{p.storm.All, FaultOutage}, {p.storm.RateLimited, FaultRateLimited}, {p.storm.Server, FaultServer}, {p.storm.AnswerLost, FaultAnswerLost}} {
		if dice < share.of {
			return share.fault
		}
		dice -= share.of
	}
	return 0
}

func (p *reference) act(ctx context.Context, at chat.Thread, op chat.Op) (string, error) {
	if op.Kind == chat.OpOpen {
		if i := slices.IndexFunc(p.threads, func(th *refThread) bool { return th.key == op.Key }); i >= 0 && op.Ambiguous {
			return p.threads[i].Ref, nil
		}
		th := &refThread{Thread: Thread{Ref: "t" + p.id(), Title: op.Title}, sessionID: op.SessionID, key: op.Key}
		th.Messages = []Message{{Remote: p.id(), FromBot: true, Text: op.Text}}
		p.threads = append(p.threads, th)
		return th.Ref, nil
	}
	th := p.thread(at.Ref)
	switch {
	case th == nil:
		return "", chat.ErrThreadGone
	case op.Kind == chat.OpReopen:
		th.Closed = false
		return "", nil
	case th.Closed:
		return "", chat.ErrThreadClosed
	case op.Kind == chat.OpClose:
		th.Closed = true
		return "", nil
	case op.Kind == chat.OpPost, op.Kind == chat.OpNote:
		return p.show(ctx, th, op)
	}
	i := slices.IndexFunc(th.Messages, func(m Message) bool { return m.Remote == op.Remote })
	if i < 0 {
		return "", chat.ErrMessageGone
	}
	switch op.Kind {
	case chat.OpEdit:
		th.Messages[i].Text = refText(op)
	case chat.OpDelete:
		th.Messages = slices.Delete(th.Messages, i, i+1)
	case chat.OpReact:
		th.Messages[i].Receipt = op.Receipt
	}
	return "", nil
}

func (p *reference) show(ctx context.Context, th *refThread, op chat.Op) (string, error) {
	m := Message{Remote: p.id(), FromBot: true, Text: refText(op), ReplyTo: op.ReplyTo}
	if op.File != nil {
		body, err := op.File.Open(ctx)
		if err != nil {
			return "", err
		}
		defer body.Close()
		if m.Data, err = io.ReadAll(body); err != nil {
			return "", err
		}
		m.Filename = op.File.Filename
	}
	th.Messages = append(th.Messages, m)
	return m.Remote, nil
}

func refText(op chat.Op) string {
	if op.From != "" {
		return op.From + ": " + op.Text
	}
	return op.Text
}
