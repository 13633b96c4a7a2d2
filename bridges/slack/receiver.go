package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// receiver receives events, and reads what was missed.
type receiver struct {
	cfg    Config
	log    *slog.Logger
	begun  string // when the bridge was started, as Slack's time stamp
	client *client
	parser *parser
	status *reception.Status // of the connection, which all channels share
	// receivers are those of all channels that receive by this connection, itself first.
	receivers []*receiver
	proven    atomic.Bool // Slack pushed something
	// unsignedAt is when a push without Slack's signature came, in ns.
	unsignedAt atomic.Int64
	gaps       *gapTracker
}

// retryPause is the pause after the n-th failure in a row. Reception never gives up.
var retryPause = chat.Backoff(time.Second, 30*time.Second)

// errNotReceiving means that neither Socket Mode nor a webhook is set up.
var errNotReceiving = &chat.Misconfigured{Problem: "relay cannot receive what operators write in Slack",
	Fix: "set SLACK_APP_TOKEN (Socket Mode; no public address is needed), or SLACK_SIGNING_SECRET and give the app relay's webhook address"}

// Run implements [chat.Bridge]. With an app token it uses Socket Mode, with a signing
// secret Slack's pushes.
func (r *receiver) Run(ctx context.Context, in chat.Receiver) error {
	way := wayWebhook
	if r.cfg.AppToken != "" {
		way = waySocket
	} else if r.cfg.SigningSecret == "" {
		return errNotReceiving
	}
	from := time.Time{}
	if r.cfg.Back > 0 {
		from = time.Now().Add(-r.cfg.Back)
	}
	for _, one := range r.receivers {
		one.gaps.start(in, from)
	}
	if way == waySocket {
		ctx, cancel := context.WithCancel(ctx)
		var filling sync.WaitGroup
		for _, one := range r.receivers {
			filling.Go(func() { one.fillGaps(ctx) })
		}
		defer filling.Wait()
		defer cancel()
	}
	for failures := 0; ctx.Err() == nil; {
		lasted, err := r.receive(ctx, in)
		var misconfigured *chat.Misconfigured
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &misconfigured):
			r.reportFailure(way, err)
			return err
		case err == nil && way == wayWebhook:
			r.reportReceiving(wayWebhook)
			r.openGaps()
			for _, one := range r.receivers {
				one.fill(ctx, in, 1)
			}
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
			r.reportFailure(way, err)
		}
		chat.Rest(ctx, pauseAfter(err, failures))
	}
	return nil
}

// receive fetches the bot's identity, then listens on one connection if there is an
// app token. lasted means that it worked for a while.
func (r *receiver) receive(ctx context.Context, in chat.Receiver) (lasted bool, err error) {
	if _, err := r.client.identify(ctx); err != nil {
		return false, err
	}
	if r.cfg.AppToken == "" {
		return false, nil
	}
	return r.listen(ctx, in)
}

// pauseAfter returns how long to wait after a failure.
func pauseAfter(err error, failures int) time.Duration {
	var wait *chat.RetryAfter
	if errors.As(err, &wait) {
		return max(retryPause(failures), wait.After)
	}
	return retryPause(failures)
}

// handleEvent stores a raw event that matters to relay, or makes it wait behind a gap of
// its channel or after a failure; done is called once it is stored. It returns the receiver
// of the channel.
func (r *receiver) handleEvent(ctx context.Context, in chat.Receiver, raw []byte, done func()) (one *receiver, err error) {
	one, u, err := r.update(raw)
	switch {
	case err != nil:
		return r, err
	case one == nil:
		done()
		return r, nil
	case one.gaps.hold(waiting{u, done}):
		return one, nil
	}
	if err := in.Receive(ctx, u); err != nil {
		one.gaps.unstored(waiting{u, done})
		return one, err
	}
	done()
	return one, nil
}

// store stores a raw event that was read.
func (r *receiver) store(ctx context.Context, in chat.Receiver, raw []byte) error {
	one, u, err := r.update(raw)
	if err != nil || one == nil {
		return err
	}
	return in.Receive(ctx, u)
}

// limitedPause is how long after the notice of a minute without events that is read.
const limitedPause = 90 * time.Second

// update returns what is stored of a raw event, and the receiver of its channel, nil if the
// event does not matter to relay.
func (r *receiver) update(raw []byte) (one *receiver, u chat.Update, err error) {
	e, err := decode(raw)
	if err != nil {
		return nil, u, fmt.Errorf("%w: the event is not from Slack", chat.ErrPermanent)
	}
	if e.Type == "app_rate_limited" {
		r.log.Warn("Slack leaves out events, as there were more than 30,000 in an hour; reading what they said")
		for _, one := range r.receivers {
			one.gaps.suppose(time.Unix(e.LimitedMinute, 0), time.Now().Add(limitedPause))
		}
	}
	one, meaning := r.whose(e)
	if meaning.Kind == 0 {
		return nil, u, nil
	}
	return one, chat.Update{Bridge: Name, Key: e.key(), Thread: meaning.Thread.Ref, Raw: chat.Raw(raw)}, nil
}

// Ways to receive events.
const (
	waySocket  = "socket"
	wayWebhook = "webhook"
)

// unsignedAge is how long a push without Slack's signature is reported: anybody can
// send one, and Slack repeats its own.
const unsignedAge = time.Hour

// receiving returns how events are received and the last failure.
func (r *receiver) receiving() (way string, problem error) {
	way, problem = r.status.Get()
	if problem == error(errUnsigned) && time.Since(time.Unix(0, r.unsignedAt.Load())) > unsignedAge {
		return way, nil
	}
	return way, problem
}

// reportReceiving stores that events are received, and logs a change.
func (r *receiver) reportReceiving(way string) {
	if r.status.Report(way, nil) {
		r.log.Info("receiving events", "way", way)
	}
}

// reportFailure logs a failure of reception once, however often it occurs.
func (r *receiver) reportFailure(way string, err error) {
	if r.status.Report(way, err) {
		r.log.Warn("events cannot be received; retrying", "err", err)
	}
}
