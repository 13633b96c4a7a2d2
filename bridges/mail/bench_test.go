package mail_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// unread is how many conversations have an answer that is due.
const unread = 10_000

// BenchmarkMailDue measures how long a visitor's message takes while very many e-mails are due,
// over the same without a mail server that is asked, by turns: the default pace, and the
// highest.
func BenchmarkMailDue(b *testing.B) {
	for _, pace := range []int{60, 6000} {
		b.Run(fmt.Sprint(pace, "-a-minute"), func(b *testing.B) { mailDue(b, pace) })
	}
}

func mailDue(b *testing.B, pace int) {
	server := mailtest.New(b)
	var relays [2]*engine.Engine
	var sessions [2]string
	for i := range relays {
		relays[i] = dueEngine(b, server.URL())
		sessions[i] = benchSession(b, relays[i], "")
	}
	sink := mail.New(mail.Options{Engine: relays[1], Server: server.URL(), Rate: pace, Links: links{}, Threads: threads, Files: chat.NewFileLinks("key", base), Base: base, Health: &mail.Health{}})
	ctx, stop := context.WithCancel(b.Context())
	var serving sync.WaitGroup
	if err := relays[1].Outbox.RetryNow(ctx, chat.MailSink); err != nil {
		b.Fatal(err)
	}
	serving.Go(func() { _ = relays[1].Outbox.Serve(ctx, sink) }) // until stop
	defer serving.Wait()
	defer stop()
	time.Sleep(2 * time.Second) // it has read its lanes
	var took [2][]time.Duration
	began, earlier := time.Now(), len(server.Letters())
	for b.Loop() {
		for i, relay := range relays {
			at := time.Now()
			if _, err := relay.Send(b.Context(), visitor, engine.Post{SessionID: sessions[i], Content: "hello"}); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(at))
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	for name, part := range map[string]float64{"p50": 0.5, "p99": 0.99} {
		at := func(i int) float64 { return float64(took[i][int(part*float64(len(took[i])-1))]) }
		b.ReportMetric(at(1)/at(0), name+"-ratio")
	}
	b.ReportMetric(float64(len(server.Letters())-earlier)/time.Since(began).Minutes(), "mails/min")
}

func dueEngine(b *testing.B, server string) *engine.Engine {
	b.Helper()
	e, err := engine.Open(b.Context(), engine.Config{Store: dbtest.Open(b, dbtest.FileURL(b)), Log: slog.New(slog.DiscardHandler), Targets: bridges.Targets(nil), Settings: map[string]chat.Raw{
		"smtpUrl": chat.MustJSON(server), "mailFrom": chat.Raw(`"chat@shop.example"`)}})
	if err != nil {
		b.Fatal(err)
	}
	var writing sync.WaitGroup
	for first := range 32 {
		writing.Go(func() {
			for i := first; i < unread; i += 32 {
				benchSession(b, e, fmt.Sprintf("visitor%d@customer.example", i))
			}
		})
	}
	writing.Wait()
	return e
}

// benchSession begins a conversation, whose visitor is answered if there is an address.
func benchSession(b *testing.B, e *engine.Engine, address string) string {
	v, err := e.Init(b.Context(), engine.Visit{VisitorID: chat.NewID()})
	if err == nil && address != "" {
		_, err = e.Identify(b.Context(), visitor, v.Session.ID, map[string]any{"email": address}, "")
	}
	if err == nil {
		_, err = e.Send(b.Context(), visitor, engine.Post{SessionID: v.Session.ID, Content: "hello"})
	}
	if err == nil && address != "" {
		_, err = e.Send(b.Context(), operator, engine.Post{SessionID: v.Session.ID, Content: "hello"})
	}
	if err != nil {
		b.Error(err)
	}
	return v.Session.ID
}
