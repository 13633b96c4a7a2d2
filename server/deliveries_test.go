package server_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// failing is a sink that refuses everything for good.
type failing struct{}

func (failing) Name() string { return "telegram" }
func (failing) Policy() chat.Policy {
	return chat.Policy{Parallel: 1, Batch: 1, Timeout: time.Minute, Attempts: 1, MaxAge: time.Hour, Backoff: chat.Backoff(time.Second, time.Second)}
}
func (failing) Deliver(context.Context, []chat.Delivery) (int, error) {
	return 0, errors.New("the bridge is down")
}

func TestDeliveries(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		relay, err := engine.Open(t.Context(), engine.Config{Store: s.store, Log: discard,
			Targets: func(*chat.Settings) []chat.Target { return []chat.Target{{Name: "telegram", Kind: chat.TargetBridge}} }})
		if err != nil {
			t.Fatal(err)
		}
		id, visitor := s.open("v"), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
		if _, err = relay.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "hi"}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := contextOf(t)
		done := make(chan error, 1)
		operators := relay.Hub.Subscribe("")
		go func() { done <- relay.Outbox.Serve(ctx, failing{}) }()
		for failed := 0; failed < 2; {
			if e := <-operators.C; e.Type == chat.StateDeliveryFailed {
				failed++
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		list := s.must("GET", "/api/admin/deliveries?state=failed&dest=telegram", secretKey, nil).get("deliveries").([]any)
		if len(list) != 2 || list[0].(map[string]any)["lastError"] != "the bridge is down" {
			t.Fatalf("deliveries: %v", list)
		}
		if err := relay.Disconnect(t.Context(), visitor, id, engine.Leave{Reason: "manual"}); err != nil { // it waits for half a minute
			t.Fatal(err)
		}
		if pending := s.must("GET", "/api/admin/deliveries?state=pending", secretKey, nil).get("deliveries").([]any); len(pending) != 0 {
			t.Errorf("pending: %v", pending)
		}
		retry := "/api/admin/deliveries/" + list[0].(map[string]any)["id"].(string) + "/retry"
		s.must("POST", retry, secretKey, nil)
		s.refused(s.call("POST", retry, secretKey, nil), 409, "pending")
		s.refused(s.call("POST", "/api/admin/deliveries/telegram.nope.1/retry", secretKey, nil), 404, "Delivery not found")
		s.refused(s.call("POST", "/api/admin/deliveries/nonsense/retry", secretKey, nil), 404, "Delivery not found")
		s.refused(s.call("GET", "/api/admin/deliveries?state=odd", secretKey, nil), 400, "state must be")
		s.refused(s.call("GET", "/api/admin/deliveries?dest=leave", secretKey, nil), 400, "dest must be")
	})
}

// failedDeliveries puts deliveries that were given up into the store.
func (s *site) failedDeliveries(dest string, sessions, each int) {
	s.t.Helper()
	for range sessions {
		id := s.open(chat.NewID())
		err := s.store.Apply(s.t.Context(), func(tx chat.Tx) error {
			for rev := range int64(each) {
				e := chat.Event{SessionID: id, Rev: rev + 1, Type: chat.EventCustom, Payload: chat.Raw(`{}`), At: chat.Now()}
				failed := chat.Delivery{Dest: dest, SessionID: id, Rev: rev + 1, State: chat.DeliveryFailed, Attempts: 3, LastError: "down"}
				if err := errors.Join(tx.Append(&e, []chat.Destination{{Dest: dest}}), tx.SaveDelivery(&failed)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestRetryAllFailed: however many deliveries failed, each request takes up a
// part, each delivery is retried once, and others are left alone.
func TestRetryAllFailed(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.failedDeliveries("telegram", 2, 10)
		s.failedDeliveries("webhook", 23, 100)
		receive := func(on bool) {
			s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": "https://example.com/", "eventsWebhookEnabled": on})
		}
		receive(true)
		retry := func(body object) answer { return s.must("POST", "/api/admin/deliveries/retry", secretKey, body) }
		first := retry(object{"dest": "webhook"})
		if first.get("retried") != 2000.0 || first.text("nextCursor") == "" {
			t.Fatalf("the first request: %s", first.body)
		}
		last := retry(object{"dest": "webhook", "cursor": first.text("nextCursor")})
		if last.get("retried") != 300.0 || last.get("nextCursor") != nil {
			t.Errorf("the second request: %s", last.body)
		}
		count := func(query string) (n int) {
			for cursor := ""; ; {
				a := s.must("GET", "/api/admin/deliveries?"+query+"&cursor="+cursor, secretKey, nil)
				n += len(a.get("deliveries").([]any))
				if cursor = a.text("nextCursor"); cursor == "" {
					return n
				}
			}
		}
		if failed, waiting := count("state=failed&limit=7"), count("state=pending&dest=webhook"); failed != 20 || waiting != 2300 {
			t.Errorf("%d failed and %d wait, want the 20 of the bridge and 2300", failed, waiting)
		}
		s.failedDeliveries("webhook", 1, 1)
		receive(false)
		if all := retry(object{}); all.get("retried") != 20.0 {
			t.Errorf("without a destination: %s", all.body)
		}
		s.refused(s.call("POST", "/api/admin/deliveries/retry", secretKey, object{"dest": "webhook"}), 409, "The webhook is switched off; set eventsWebhookEnabled to true")
		if list := s.must("GET", "/api/admin/deliveries?state=failed", secretKey, nil).get("deliveries").([]any); len(list) != 1 || list[0].(map[string]any)["lastError"] != "down" {
			t.Errorf("what the receiver said last is lost: %v", list)
		} else {
			path := "/api/admin/deliveries/" + list[0].(map[string]any)["id"].(string) + "/retry"
			s.refused(s.call("POST", path, secretKey, nil), 409, "The webhook is switched off; set eventsWebhookEnabled to true")
			s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": nil})
			s.refused(s.call("POST", path, secretKey, nil), 409, "The webhook has no address; set eventsWebhookUrl")
			receive(true)
			s.must("POST", path, secretKey, nil)
		}
		if none := retry(object{}); none.get("retried") != 0.0 {
			t.Errorf("with nothing failed: %s", none.body)
		}
		s.refused(s.call("POST", "/api/admin/deliveries/retry", secretKey, object{"cursor": "xx"}), 400, "cursor must be")
		s.refused(s.call("POST", "/api/admin/deliveries/retry", secretKey, object{"dest": 7}), 400, "dest")
		s.refused(s.call("GET", "/api/admin/deliveries?cursor=xx", secretKey, nil), 400, "cursor must be")
	})
}

// TestUndelivered: what a platform rejected is shown in its session, at its
// bridge and in the list of deliveries, with what Retry needs.
func TestUndelivered(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		err := s.store.Apply(t.Context(), func(tx chat.Tx) error {
			failed := chat.Delivery{Dest: "telegram", SessionID: id, Rev: 1, State: chat.DeliveryFailed, Attempts: 1, LastError: "PEER_ID_INVALID\n"}
			retried := chat.Delivery{Dest: "telegram", SessionID: id, Rev: 2, Attempts: 7, LastError: "Internal Server Error", Passed: true}
			hook := chat.Delivery{Dest: "webhook", SessionID: id, Rev: 2, State: chat.DeliveryFailed, LastError: "down"}
			for i := range int64(2) {
				e := chat.Event{SessionID: id, Rev: 1 + i, Type: chat.EventMessageEdited, MessageID: "m", Payload: chat.Raw(`{}`), At: chat.Now()}
				if err := tx.Append(&e, []chat.Destination{{Dest: "telegram"}, {Dest: "webhook"}}); err != nil {
					return err
				}
			}
			return errors.Join(tx.SaveDelivery(&failed), tx.SaveDelivery(&retried), tx.SaveDelivery(&hook))
		})
		if err != nil {
			t.Fatal(err)
		}
		list := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("undelivered").([]any)
		if len(list) != 2 {
			t.Fatalf("undelivered: %v", list)
		}
		for i, want := range []object{{"state": "failed", "reason": "PEER_ID_INVALID", "id": "telegram." + id + ".1"}, {"state": "retrying", "attempts": 7.0}} {
			for name, value := range want {
				if got := list[i].(map[string]any)[name]; got != value {
					t.Errorf("%s of %d is %v, want %v", name, i, got, value)
				}
			}
			if got := list[i].(map[string]any); got["messageId"] != "m" || got["dest"] != "telegram" {
				t.Errorf("undelivered is %v", got)
			}
		}
		bridge := s.must("GET", "/api/admin/bridges", secretKey, nil).get("bridges").([]any)[0].(map[string]any)
		if failed, retrying := bridge["failed"].(map[string]any), bridge["retrying"].(map[string]any); failed["count"] != 1.0 ||
			failed["reason"] != "PEER_ID_INVALID" || retrying["count"] != 1.0 || retrying["sessionId"] != id || bridge["queue"] != 1.0 {
			t.Errorf("the bridge says %v", bridge)
		}
		deliveries := s.must("GET", "/api/admin/deliveries?dest=telegram", secretKey, nil).get("deliveries").([]any)
		if d := deliveries[0].(map[string]any); len(deliveries) != 2 || d["passed"] != true || d["messageId"] != "m" {
			t.Errorf("deliveries: %v", deliveries)
		}
		s.must("POST", "/api/admin/deliveries/telegram."+id+".1/retry", secretKey, nil)
		if list := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("undelivered").([]any); len(list) != 1 {
			t.Errorf("one was retried again, undelivered are %v", list)
		}
	})
}
