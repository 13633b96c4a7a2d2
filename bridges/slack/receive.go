package slack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// retryPause is the pause after the n-th failure in a row. Reception never gives up.
var retryPause = chat.Backoff(time.Second, 30*time.Second)

// errNotReceiving means that neither Socket Mode nor a webhook is set up.
var errNotReceiving = &chat.Misconfigured{Problem: "relay cannot receive what operators write in Slack",
	Fix: "set SLACK_APP_TOKEN (Socket Mode; no public address is needed), or SLACK_SIGNING_SECRET and give the app relay's webhook address"}

// Run implements [chat.Bridge]. With an app token it uses Socket Mode, with a signing
// secret Slack's pushes.
func (b *Bridge) Run(ctx context.Context, in chat.Receiver) error {
	way := wayWebhook
	if b.cfg.AppToken != "" {
		way = waySocket
	} else if b.cfg.SigningSecret == "" {
		return errNotReceiving
	}
	from := time.Time{}
	if b.cfg.Back > 0 {
		from = time.Now().Add(-b.cfg.Back)
	}
	b.gaps.start(in, from)
	if way == waySocket {
		ctx, cancel := context.WithCancel(ctx)
		var filling sync.WaitGroup
		filling.Go(func() { b.fillGaps(ctx) })
		defer filling.Wait()
		defer cancel()
	}
	for failures := 0; ctx.Err() == nil; {
		lasted, err := b.receive(ctx, in)
		var misconfigured *chat.Misconfigured
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &misconfigured):
			b.reportFailure(way, err)
			return err
		case err == nil && way == wayWebhook:
			b.reportReceiving(wayWebhook)
			b.gaps.open()
			b.fill(ctx, in, 1)
			return nil
		}
		if lasted {
			failures = 0
		}
		if err == nil && lasted {
			continue // Slack requests a new connection every few hours
		}
		failures++
		if err != nil {
			b.reportFailure(way, err)
		}
		chat.Rest(ctx, pauseAfter(err, failures))
	}
	return nil
}

// receive fetches the bot's identity, then listens on one connection if there is an
// app token. lasted means that it worked for a while.
func (b *Bridge) receive(ctx context.Context, in chat.Receiver) (lasted bool, err error) {
	if _, err := b.identify(ctx); err != nil {
		return false, err
	}
	if b.cfg.AppToken == "" {
		return false, nil
	}
	return b.listen(ctx, in)
}

// pauseAfter returns how long to wait after a failure.
func pauseAfter(err error, failures int) time.Duration {
	var wait *chat.RetryAfter
	if errors.As(err, &wait) {
		return max(retryPause(failures), wait.After)
	}
	return retryPause(failures)
}

// handleEvent stores a raw event that matters to relay, or makes it wait behind a gap
// or after a failure; done is called once it is stored.
func (b *Bridge) handleEvent(ctx context.Context, in chat.Receiver, raw []byte, done func()) error {
	u, means, err := b.update(raw)
	switch {
	case err != nil:
		return err
	case !means:
		done()
		return nil
	case b.gaps.hold(waiting{u, done}):
		return nil
	}
	if err := in.Receive(ctx, u); err != nil {
		b.gaps.unstored(waiting{u, done})
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

// limitedPause is how long after the notice of a minute without events that is read.
const limitedPause = 90 * time.Second

// update returns what is stored of a raw event; means is false if the event does not
// matter to relay.
func (b *Bridge) update(raw []byte) (u chat.Update, means bool, err error) {
	e, err := decode(raw)
	if err != nil {
		return u, false, fmt.Errorf("%w: the event is not from Slack", chat.ErrPermanent)
	}
	if e.Type == "app_rate_limited" {
		b.log.Warn("Slack leaves out events, as there were more than 30,000 in an hour; reading what they said")
		b.gaps.suppose(time.Unix(e.LimitedMinute, 0), time.Now().Add(limitedPause))
	}
	meaning, _ := b.meaning(e)
	if meaning.Kind == 0 {
		return u, false, nil
	}
	return chat.Update{Bridge: Name, Key: e.key(), Thread: meaning.Thread.Ref, Raw: chat.Raw(raw)}, true, nil
}
