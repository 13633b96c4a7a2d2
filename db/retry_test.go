package db_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

// interrupted is a store in whose transactions something happens between the reading of
// a delivery and its change.
type interrupted struct {
	chat.Store
	happens func()
}

func (s interrupted) Apply(ctx context.Context, op func(chat.Tx) error) error {
	return s.Store.Apply(ctx, func(tx chat.Tx) error { return op(interruptedTx{tx, s.happens}) })
}

type interruptedTx struct {
	chat.Tx
	happens func()
}

func (t interruptedTx) Delivery(dest, sessionID string, rev int64) (chat.Delivery, error) {
	d, err := t.Tx.Delivery(dest, sessionID, rev)
	t.happens()
	return d, err
}

func (t interruptedTx) LockDelivery(dest, sessionID string, rev int64) (chat.Delivery, error) {
	d, err := t.Tx.LockDelivery(dest, sessionID, rev)
	t.happens()
	return d, err
}

func (t interruptedTx) Lane(dest, sessionID string, limit int) ([]chat.Delivery, error) {
	list, err := t.Tx.Lane(dest, sessionID, limit)
	t.happens()
	return list, err
}

func (t interruptedTx) Deliveries(q chat.DeliveryQuery) ([]chat.Delivery, error) {
	list, err := t.Tx.Deliveries(q)
	t.happens()
	return list, err
}

// TestRetryMeetsAClaim retries deliveries while another node sends them: what was sent
// is not made pending again.
func TestRetryMeetsAClaim(t *testing.T) {
	later := chat.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		state chat.DeliveryState
		retry func(ctx context.Context, o *queue.Outbox) error
	}{
		"one": {chat.DeliveryPending, func(ctx context.Context, o *queue.Outbox) error { return o.Retry(ctx, "hook.s.1") }},
		"all that failed": {chat.DeliveryFailed, func(ctx context.Context, o *queue.Outbox) error {
			_, _, err := o.RetryFailed(ctx, "hook", chat.Cursor{})
			return err
		}},
		"discarded": {chat.DeliveryFailed, func(ctx context.Context, o *queue.Outbox) error {
			_, _, err := o.DiscardFailed(ctx, "hook")
			return err
		}},
		"under new settings": {chat.DeliveryPending, func(ctx context.Context, o *queue.Outbox) error { return o.RetryNow(ctx, "hook") }},
	} {
		t.Run(name, func(t *testing.T) {
			url := dbtest.MigratedURL(t)
			here, there := dbtest.Open(t, url), dbtest.Open(t, url)
			d := chat.Delivery{Dest: "hook", SessionID: "s", Rev: 1, State: c.state, Attempts: 3, LastError: "refused", NextAt: later}
			settled(t, here, "s", "hook", c.state)
			apply(t, here, func(tx chat.Tx) error { return tx.SaveDelivery(&d) })
			sent := make(chan struct{})
			var once sync.Once
			store := interrupted{here, func() {
				once.Do(func() {
					go func() {
						defer close(sent)
						done := d
						done.State, done.LastError = chat.DeliveryDone, ""
						if err := there.Apply(t.Context(), func(tx chat.Tx) error { return tx.SaveDelivery(&done) }); err != nil {
							t.Error(err)
						}
					}()
					for waits := 0; waits < 200; waits++ { // until it is sent, or waits for the row
						select {
						case <-sent:
							return
						case <-time.After(10 * time.Millisecond):
						}
						if rawNumber(t, url, `SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`) > 0 {
							return
						}
					}
				})
			}}
			engine, err := engine.Open(t.Context(), engine.Config{Store: store, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
			want(t, err, nil)
			if err := c.retry(t.Context(), engine.Outbox); err != nil {
				t.Logf("refused: %v", err)
			}
			<-sent
			read(t, here, func(r chat.Reader) error {
				got, err := r.Delivery("hook", "s", 1)
				if err != nil || got.State != chat.DeliveryDone {
					t.Errorf("the delivery is %s: %v", got.State, err)
				}
				return err
			})
		})
	}
}
