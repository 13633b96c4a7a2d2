package bridges_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// wire is what a test sees and breaks of the bridges that a set makes.
type wire struct {
	mu       sync.Mutex
	made     []string // the tokens of the bridges
	posts    []string
	fail     error // of every op
	run      func(ctx context.Context) error
	reports  bool // the bridges report their reception
	asks     *asker
	make     func(l link) chat.Bridge // makes another bridge, if set
	received func(in chat.Receiver)   // is called with where updates go
}

// link is a bridge at a wire.
type link struct {
	*wire
	token string
}

func (l *link) Name() string { return "telegram" }

func (l *link) Channel() string { return "C" }

func (l *link) Limits() chat.Limits { return chat.Limits{} }

func (l *link) Split(op chat.Op) []chat.Op { return []chat.Op{op} }

func (l *link) Parse([]byte) ([]chat.Inbound, error) { return nil, nil }

func (l *link) Do(_ context.Context, _ chat.Thread, op chat.Op) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail != nil {
		return "", l.fail
	}
	l.posts = append(l.posts, l.token+": "+op.Text)
	return "r", nil
}

func (l *link) Fetch(_ context.Context, ref string) (io.ReadCloser, error) {
	return nil, errors.New("no file " + ref)
}

func (l *link) Run(ctx context.Context, in chat.Receiver) error {
	l.mu.Lock()
	run := l.run
	if l.received != nil {
		l.received(in)
	}
	l.mu.Unlock()
	if run != nil {
		return run(ctx)
	}
	<-ctx.Done()
	return nil
}

func (l *link) Webhook(chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, l.token) })
}

func (l *link) Find(context.Context, string) (chat.Thread, error) {
	return chat.Thread{}, chat.ErrThreadGone
}

func (l *link) Owner(context.Context, chat.Thread) (string, error) { return "", chat.ErrThreadGone }

func (l *link) Check(context.Context) []chat.Finding {
	return []chat.Finding{{Subject: "bot token", Level: chat.FindingOK, Text: l.token}}
}

// post is a set on an engine.
type post struct {
	*engine.Engine
	*wire
	set  *bridges.Set
	stop func()
}

func inPost(t *testing.T, test func(t *testing.T, p *post)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := openPost(t, store)
		test(t, p)
		p.stop()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func openPost(t *testing.T, store chat.Store) *post {
	p := &post{wire: &wire{}}
	kinds := bridges.Kinds(bridges.Env{})
	kinds[0].New = func(s *chat.Settings) (chat.Bridge, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		token := s.Text("telegramBotToken")
		if token == "1:bad" {
			return nil, &chat.Misconfigured{Problem: "the token is not one", Fix: "copy it again"}
		}
		p.made = append(p.made, token)
		if p.reports {
			return &reporter{link: link{p.wire, token}}, nil
		}
		if p.make != nil {
			return p.make(link{p.wire, token}), nil
		}
		if p.asks != nil {
			p.asks.link = link{p.wire, token}
			return p.asks, nil
		}
		return &link{p.wire, token}, nil
	}
	log := slog.New(slog.DiscardHandler)
	var err error
	p.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Log: log, Declared: bridges.Settings(), Targets: bridges.Targets(kinds)})
	if err != nil {
		t.Fatal(err)
	}
	p.set = bridges.New(p.Engine, bridges.Options{Kinds: kinds, Log: log})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.set.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p
}

// with sets settings and lets the set take notice.
func (p *post) with(t *testing.T, patch map[string]any) {
	t.Helper()
	raw := map[string]json.RawMessage{}
	for name, value := range patch {
		raw[name], _ = json.Marshal(value)
	}
	if err := p.PatchSettings(t.Context(), raw); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
}

func (p *post) say(t *testing.T, text string) {
	t.Helper()
	v, err := p.Init(t.Context(), engine.Visit{VisitorID: "ann"})
	if err == nil {
		_, err = p.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, engine.Post{SessionID: v.Session.ID, Content: text})
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
}

func (p *post) expect(t *testing.T, want chat.BridgeState) {
	t.Helper()
	states, err := p.set.States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states[0].DeliveredAt = 0 // when depends on the test
	if want.Name = "telegram"; want.Missing == nil {
		want.Missing = []string{}
	}
	if !reflect.DeepEqual(states[0], want) {
		t.Errorf("telegram is\n     %+v\nwant %+v", states[0], want)
	}
}

// quiet is a log that nobody reads.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
