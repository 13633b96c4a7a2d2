package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// maxEvent bounds the body of a pushed event.
const maxEvent = 1 << 20

// Webhook implements [chat.Bridge]: the Request URL of the Events API.
func (b *Bridge) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, status, text := b.admit(w, r)
		if status != 0 {
			refuse(w, status, text)
			return
		}
		e, err := decode(raw)
		if err == nil && e.Type == "url_verification" {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]string{"challenge": e.Challenge})
			return
		}
		err = b.handlePush(r.Context(), in, raw)
		switch {
		case errors.Is(err, chat.ErrPermanent):
			w.Header().Set("X-Slack-No-Retry", "1")
			refuse(w, http.StatusBadRequest, "Not an event of Slack's")
		case err != nil:
			b.log.Error("an event could not be stored; Slack will bring it again", "err", err)
			refuse(w, http.StatusServiceUnavailable, "The event could not be stored")
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
}

// pushTimeout is how long a push waits for its turn: Slack gives up after three
// seconds, and repeats it.
const pushTimeout = 2500 * time.Millisecond

var errTurn = errors.New("earlier events are not stored yet")

// handlePush stores an event, after those that wait.
func (b *Bridge) handlePush(ctx context.Context, in chat.Receiver, raw []byte) error {
	ctx, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	stored := make(chan struct{})
	if err := b.handleEvent(ctx, in, raw, func() { close(stored) }); err != nil {
		return err
	}
	select {
	case <-stored:
		return nil
	default:
	}
	if b.gaps.filling.TryLock() { // no gap is being read
		err := b.flush(ctx, in, false)
		b.gaps.filling.Unlock()
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
// differ by five minutes; status is 0 when it is valid.
func (b *Bridge) admit(w http.ResponseWriter, r *http.Request) (raw []byte, status int, text string) {
	switch {
	case b.cfg.SigningSecret == "":
		return nil, http.StatusServiceUnavailable, "The webhook has no secret: set SLACK_SIGNING_SECRET"
	case r.Method != http.MethodPost:
		return nil, http.StatusMethodNotAllowed, "Method not allowed"
	}
	proof, err := slack.NewSecretsVerifier(r.Header, b.cfg.SigningSecret)
	if err != nil {
		b.reportUnsigned(err)
		return nil, http.StatusUnauthorized, "Unauthorized"
	}
	raw, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, "The event is too large"
	case err != nil:
		return nil, http.StatusBadRequest, "The event was cut off"
	}
	_, _ = proof.Write(raw) // a hash takes everything
	if err := proof.Ensure(); err != nil {
		b.reportUnsigned(err)
		return nil, http.StatusUnauthorized, "Unauthorized"
	}
	if b.proven.Store(true); b.cfg.AppToken == "" {
		b.reportReceiving(wayWebhook)
	}
	return raw, 0, ""
}

var errUnsigned = &chat.Misconfigured{
	Problem: "what is pushed to the webhook is not signed with this SLACK_SIGNING_SECRET, or the clock of this machine is wrong by minutes",
	Fix:     "copy the Signing Secret, under Basic Information of your app at https://api.slack.com/apps, into SLACK_SIGNING_SECRET; and set the clock"}

// reportUnsigned reports a push without Slack's signature, unless Slack has pushed
// before: others are somebody else's.
func (b *Bridge) reportUnsigned(err error) {
	if b.cfg.AppToken == "" && !b.proven.Load() && !errors.Is(err, slack.ErrMissingHeaders) {
		b.reportFailure(wayWebhook, errUnsigned)
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, _ := json.Marshal(map[string]string{"error": text})
	_, _ = w.Write(body)
}
