package slack

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Webhook implements [chat.Bridge]: the Request URL of the Events API.
func (r *receiver) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, ok := r.admit(w, req)
		if !ok {
			return
		}
		e, err := decode(raw)
		if err == nil && e.Type == "url_verification" {
			reception.Respond(w, http.StatusOK, map[string]string{"challenge": e.Challenge})
			return
		}
		if req.Header.Get("X-Slack-Retry-Num") != "" { // others may have been given up
			for _, one := range r.receivers {
				one.gaps.lookBack(time.Now(), retriedLook)
			}
		}
		err = r.handlePush(req.Context(), in, raw)
		switch {
		case errors.Is(err, chat.ErrPermanent):
			w.Header().Set("X-Slack-No-Retry", "1")
			reception.Refuse(w, http.StatusBadRequest, "Not an event of Slack's")
		case err != nil:
			r.log.Error("an event could not be stored; Slack will send it again", "err", err)
			reception.Refuse(w, http.StatusServiceUnavailable, "The event could not be stored")
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
}

// Slack gives up a push after six minutes and says so nowhere: relay reads the threads
// from time to time, and sooner once a push comes that had failed.
const (
	regularLook = 15 * time.Minute
	retriedLook = 2 * time.Minute
)

// lookBack reads the threads from time to time, until ctx ends.
func (r *receiver) lookBack(ctx context.Context) {
	for chat.Rest(ctx, regularLook) == nil {
		r.gaps.lookBack(time.Now(), regularLook)
	}
}

// pushTimeout is how long a push waits for its turn: Slack gives up after three
// seconds, and repeats it.
const pushTimeout = 2500 * time.Millisecond

var errTurn = errors.New("earlier events are not stored yet")

// handlePush stores an event, after those that wait.
func (r *receiver) handlePush(ctx context.Context, in chat.Receiver, raw []byte) error {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	stored := make(chan struct{})
	one, err := r.handleEvent(ctx, in, raw, func() { close(stored) })
	if err != nil {
		return err
	}
	select {
	case <-stored:
		return nil
	default:
	}
	if one.gaps.filling.TryLock() { // no gap is being read
		err := one.flush(ctx, in, false)
		one.gaps.filling.Unlock()
		if err != nil {
			return err
		}
	}
	select {
	case <-stored:
		return nil
	case <-ctx.Done():
		return errTurn
	}
}

// admit reads a request and verifies Slack's signature of its body and time, which may
// differ by five minutes. ok is false when the request was refused.
func (r *receiver) admit(w http.ResponseWriter, req *http.Request) (raw []byte, ok bool) {
	switch {
	case r.cfg.SigningSecret == "":
		reception.Refuse(w, http.StatusServiceUnavailable, "The webhook has no secret: set SLACK_SIGNING_SECRET")
		return nil, false
	case req.Method != http.MethodPost:
		reception.Refuse(w, http.StatusMethodNotAllowed, "Method not allowed")
		return nil, false
	}
	proof, err := slack.NewSecretsVerifier(req.Header, r.cfg.SigningSecret)
	if err == nil {
		if raw, ok = reception.ReadPush(w, req, "event"); !ok {
			return nil, false
		}
		_, _ = proof.Write(raw) // a hash takes everything
		err = proof.Ensure()
	}
	if err != nil {
		r.reportUnsigned(err)
		reception.Refuse(w, http.StatusUnauthorized, "Unauthorized")
		return nil, false
	}
	if r.proven.Store(true); r.cfg.AppToken == "" {
		r.reportReceiving(wayWebhook)
	}
	return raw, true
}

var errUnsigned = &chat.Misconfigured{
	Problem: "what is pushed to the webhook is not signed with this SLACK_SIGNING_SECRET, or the clock of this machine is wrong by minutes",
	Fix:     "copy the Signing Secret, under Basic Information of your app at https://api.slack.com/apps, into SLACK_SIGNING_SECRET; and set the clock"}

// reportUnsigned reports a push without Slack's signature, unless Slack has pushed
// before: others are somebody else's.
func (r *receiver) reportUnsigned(err error) {
	if r.cfg.AppToken == "" && !r.proven.Load() && !errors.Is(err, slack.ErrMissingHeaders) {
		r.unsignedAt.Store(time.Now().UnixNano())
		r.reportFailure(wayWebhook, errUnsigned)
	}
}
