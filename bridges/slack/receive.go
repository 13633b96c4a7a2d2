package slack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"relay/server/chat"
)

// retryPause is the pause after the n-th failure in a row. Reception is never
// given up.
var retryPause = chat.Backoff(time.Second, 30*time.Second)

// errDeaf: nothing was set up by which operators' answers could come.
var errDeaf = &chat.Misconfigured{Problem: "relay cannot receive what operators write in Slack",
	Fix: "set SLACK_APP_TOKEN (Socket Mode; no public address is needed), or SLACK_SIGNING_SECRET and give the app relay's webhook address"}

// Run implements [chat.Bridge]. With an app token it listens by Socket Mode;
// else Slack pushes, if there is a secret to prove it by.
func (b *Bridge) Run(ctx context.Context, in chat.Receiver) error {
	way := wayWebhook
	if b.cfg.AppToken != "" {
		way = waySocket
	} else if b.cfg.SigningSecret == "" {
		return errDeaf
	}
	from := time.Time{}
	if b.cfg.Back > 0 {
		from = time.Now().Add(-b.cfg.Back)
	}
	b.backlog.start(in, from)
	if way == waySocket {
		ctx, cancel := context.WithCancel(ctx)
		var tending sync.WaitGroup
		tending.Go(func() { b.tend(ctx) })
		defer tending.Wait()
		defer cancel()
	}
	for failures := 0; ctx.Err() == nil; {
		lasted, err := b.receive(ctx, in)
		var human *chat.Misconfigured
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &human):
			b.complain(way, err)
			return err
		case err == nil && way == wayWebhook:
			b.hears(wayWebhook)
			b.backlog.open()
			b.settle(ctx, in, 1)
			return nil
		}
		if lasted {
			failures = 0
		}
		if err == nil && lasted {
			continue // Slack asked for a new connection, as it does every few hours
		}
		failures++
		if err != nil {
			b.complain(way, err)
		}
		chat.Rest(ctx, pauseAfter(err, failures))
	}
	return nil
}

// receive learns who the bot is, then listens on one connection if there is an
// app token. lasted tells that it worked for a while.
func (b *Bridge) receive(ctx context.Context, in chat.Receiver) (lasted bool, err error) {
	if _, err := b.know(ctx); err != nil {
		return false, err
	}
	if b.cfg.AppToken == "" {
		return false, nil
	}
	return b.listen(ctx, in)
}

// pauseAfter is how long to wait after a failure.
func pauseAfter(err error, failures int) time.Duration {
	var wait *chat.RetryAfter
	if errors.As(err, &wait) {
		return max(retryPause(failures), wait.After)
	}
	return retryPause(failures)
}

// take stores a raw event, if it means something to relay, or has it wait for its
// turn; done is called once that is done. What cannot be stored now waits too.
func (b *Bridge) take(ctx context.Context, in chat.Receiver, raw []byte, done func()) error {
	u, means, err := b.update(raw)
	switch {
	case err != nil:
		return err
	case !means:
		done()
		return nil
	case b.backlog.hold(waiting{u, done}):
		return nil
	}
	if err := in.Receive(ctx, u); err != nil {
		b.backlog.unstored(waiting{u, done})
		return err
	}
	done()
	return nil
}

// store stores a raw event that was read.
func (b *Bridge) store(ctx context.Context, in chat.Receiver, raw []byte) error {
	u, means, err := b.update(raw)
	if err != nil || !means {
		return err
	}
	return in.Receive(ctx, u)
}

// update makes of a raw event what is stored; means is false if it means nothing
// to relay.
func (b *Bridge) update(raw []byte) (u chat.Update, means bool, err error) {
	e, err := decode(raw)
	if err != nil {
		return u, false, fmt.Errorf("%w: the event is not Slack's", chat.ErrPermanent)
	}
	if e.Type == "app_rate_limited" {
		b.log.Warn("Slack holds events back: there were more than 30,000 in an hour")
	}
	meaning, _ := b.meaning(e)
	if meaning.Kind == 0 {
		return u, false, nil
	}
	return chat.Update{Bridge: Name, Key: e.key(), Thread: meaning.Thread.Ref, Raw: chat.Raw(raw)}, true, nil
}
