package bridgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// refBridge is the bridge to a reference.
type refBridge struct{ *reference }

func (refBridge) Name() string { return "reference" }

func (refBridge) Channel() string { return "home" }

func (refBridge) Limits() chat.Limits {
	return chat.Limits{Parallel: 4, Coalesce: true, Timeout: 5 * time.Second}
}

func (refBridge) Split(op chat.Op) (parts []chat.Op) {
	if op.File != nil || op.Kind == chat.OpOpen || len(op.Text) <= refLongest {
		return []chat.Op{op}
	}
	for rest := op.Text; rest != ""; {
		cut := min(len(rest), refLongest)
		if at := strings.LastIndexByte(rest[:cut], ' '); at > 0 && cut < len(rest) {
			cut = at + 1
		}
		part := op
		part.Text, rest = rest[:cut], rest[cut:]
		parts = append(parts, part)
	}
	return parts
}

func (b refBridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if left := time.Until(b.limited); left > 0 && left < refPause-b.onTheWay {
		b.hasty++
	}
	fault := b.roll()
	switch fault {
	case FaultRateLimited:
		b.limited = time.Now().Add(refPause)
		return "", &chat.RetryAfter{After: refPause, Scope: chat.ScopeSink, Cause: errors.New("too many requests")}
	case FaultServer:
		return "", errors.New("500")
	case FaultOutage:
		return "", errors.New("connection refused")
	case FaultUnauthorized:
		return "", &chat.Misconfigured{Problem: "the token is not valid any more", Fix: "make a new one"}
	}
	remote, err := b.act(ctx, th, op)
	if err == nil && fault == FaultAnswerLost {
		return "", fmt.Errorf("%w: the connection broke", chat.ErrAmbiguous)
	}
	return remote, err
}

func (b refBridge) Fetch(_ context.Context, ref string) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return io.NopCloser(bytes.NewReader(b.files[ref])), nil
}

func (b refBridge) Run(ctx context.Context, in chat.Receiver) error {
	for seen := 0; ; {
		b.mu.Lock()
		waiting, more := b.updates[seen:], b.more
		b.mu.Unlock()
		for _, raw := range waiting {
			var what chat.Inbound
			if err := json.Unmarshal(raw, &what); err != nil {
				return err
			}
			u := chat.Update{Bridge: b.Name(), Key: chat.Hash(string(raw)), Thread: what.Thread.Ref, Raw: raw}
			if err := in.Receive(ctx, u); err != nil {
				return err
			}
			seen++
		}
		select {
		case <-ctx.Done():
			return nil
		case <-more:
		}
	}
}

func (refBridge) Webhook(chat.Receiver) http.Handler { return http.NotFoundHandler() }

func (refBridge) Parse(raw []byte) ([]chat.Inbound, error) {
	var in chat.Inbound
	if err := json.Unmarshal(raw, &in); err != nil || in.Thread.Channel != "home" {
		return nil, err
	}
	return []chat.Inbound{in}, nil
}

func (b refBridge) Find(_ context.Context, sessionID string) (chat.Thread, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, th := range b.threads {
		if th.sessionID == sessionID {
			return chat.Thread{Ref: th.Ref}, nil
		}
	}
	return chat.Thread{}, chat.ErrThreadGone
}

func (b refBridge) Owner(_ context.Context, at chat.Thread) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if th := b.thread(at.Ref); th != nil && th.sessionID != "" {
		return th.sessionID, nil
	}
	return "", chat.ErrThreadGone
}

func (refBridge) Check(context.Context) []chat.Finding { return nil }

// openReference opens a platform to which requests take as long as the machine
// pleases.
func openReference(*testing.T) (Platform, Connect) { return opened(refPause) }

// openInBubble opens one to which they take no time.
func openInBubble(*testing.T) (Platform, Connect) { return opened(0) }

func opened(onTheWay time.Duration) (Platform, Connect) {
	p := newReference()
	p.onTheWay = onTheWay
	return p, func(*testing.T) chat.Bridge { return refBridge{p} }
}

// TestReference: the suite passes on a platform and a bridge that do what the
// contract says.
func TestReference(t *testing.T) { Run(t, openReference) }

// TestReferenceInBubble does the same without waiting.
func TestReferenceInBubble(t *testing.T) { RunInBubble(t, openInBubble) }

var _ chat.Bridge = refBridge{}

const refLongest = 1000

// refPause is how long the platform asks for patience.
const refPause = 50 * time.Millisecond
