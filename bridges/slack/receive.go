package slack

import (
	"context"
	"errors"
	"fmt"
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
	if b.cfg.Back > 0 {
		b.hearing.start(time.Now().Add(-b.cfg.Back))
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
			b.catchUp(ctx, in)
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

// take stores a raw event, if it means something to relay.
func (b *Bridge) take(ctx context.Context, in chat.Receiver, raw []byte) error {
	e, err := decode(raw)
	if err != nil {
		return fmt.Errorf("%w: the event is not Slack's", chat.ErrPermanent)
	}
	if e.Type == "app_rate_limited" {
		b.log.Warn("Slack holds events back: there were more than 30,000 in an hour")
	}
	meaning, _ := b.meaning(e)
	if meaning.Kind == 0 {
		return nil
	}
	return in.Receive(ctx, chat.Update{Bridge: Name, Key: e.key(), Thread: meaning.Thread.Ref, Raw: chat.Raw(raw)})
}
