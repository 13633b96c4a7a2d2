package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"relay/server/chat"
)

// deliveryView is a delivery as people look at it.
type deliveryView struct {
	ID        string         `json:"id"`
	Dest      string         `json:"dest"`
	SessionID string         `json:"sessionId"`
	Type      chat.EventType `json:"type"`
	State     string         `json:"state"`
	Attempts  int            `json:"attempts"`
	NextAt    chat.Time      `json:"nextAt"`
	LastError string         `json:"lastError,omitempty"`
	CreatedAt chat.Time      `json:"createdAt"`
}

// deliveryStates are the values of ?state=.
var deliveryStates = map[string]chat.DeliveryState{"pending": chat.DeliveryPending, "sending": chat.DeliverySending, "done": chat.DeliveryDone, "failed": chat.DeliveryFailed}

// deliveries answers GET /api/admin/deliveries, newest first.
func (s *Server) deliveries(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	limit, err := queryLimit(r, maxSessions)
	if err != nil {
		return nil, err
	}
	q := chat.DeliveryQuery{Dest: r.URL.Query().Get("dest"), Limit: limit}
	if given := r.URL.Query().Get("state"); given != "" {
		state, known := deliveryStates[given]
		if !known {
			return nil, badRequest("state must be pending, sending, done or failed")
		}
		q.State = &state
	}
	var list []chat.Delivery
	err = s.store.Read(r.Context(), func(rd chat.Reader) (err error) {
		list, err = rd.Deliveries(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	views := make([]deliveryView, len(list))
	for i := range list {
		d := &list[i]
		views[i] = deliveryView{ID: d.ID(), Dest: d.Dest, SessionID: d.SessionID, Type: d.Event.Type, State: d.State.String(),
			Attempts: d.Attempts, NextAt: d.NextAt, LastError: d.LastError, CreatedAt: d.CreatedAt}
	}
	return map[string]any{"deliveries": views}, nil
}

func (s *Server) retryDelivery(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	return ok, s.outbox.Retry(r.Context(), pathVar(r, "id"))
}

// testWebhook answers POST /api/admin/webhooks/test: what the receiver said to
// a test event.
func (s *Server) testWebhook(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	a, err := s.webhook.Test(r.Context())
	var ours *chat.Error
	if errors.As(err, &ours) {
		return nil, err
	}
	answer := map[string]any{"ok": err == nil && a.Status >= 200 && a.Status < 300, "status": a.Status, "body": a.Body,
		"durationMs": a.Duration.Milliseconds()}
	if err != nil {
		answer["error"] = err.Error()
	}
	return answer, nil
}

// stats answers GET /api/admin/stats.
func (s *Server) stats(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	switch r.URL.Query().Get("period") {
	case "", "7d":
		return s.relay.Stats(r.Context(), 7)
	case "30d":
		return s.relay.Stats(r.Context(), 30)
	}
	return nil, badRequest("period must be 7d or 30d")
}

// rotateKey answers POST /api/admin/keys/rotate with the new key, once.
func (s *Server) rotateKey(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	in, err := decode[struct {
		Key string `json:"key"`
	}](r)
	if err != nil {
		return nil, err
	}
	rotate, field := s.keys.RotatePublic, "publicKey"
	switch in.Key {
	case "public":
	case "secret":
		rotate, field = s.keys.RotateSecret, "secretKey"
	default:
		return nil, badRequest("key must be public or secret")
	}
	key, err := rotate(r.Context())
	if err != nil {
		return nil, &httpError{status: http.StatusConflict, text: "The key cannot be rotated: " + err.Error()}
	}
	s.log.Warn("key rotated", "key", in.Key, "peer", s.peer(r).addr)
	return map[string]string{field: key}, nil
}

// exportPage is how many sessions or messages an export holds in memory.
const exportPage = 100

// export answers GET /api/admin/export: everything that was said, one JSON
// object a line, each session followed by its messages.
func (s *Server) export(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Content-Disposition", `attachment; filename="relay-`+time.Now().UTC().Format(time.DateOnly)+`.ndjson"`)
	h.Set("Cache-Control", "no-store")
	out := json.NewEncoder(patientWriter{w, http.NewResponseController(w)})
	for last := int64(0); ; {
		var list []chat.Session
		err := s.store.Look(r.Context(), func(rd chat.Reader) (err error) {
			list, last, err = rd.Export(last, exportPage)
			return err
		})
		for i := range list {
			if err == nil {
				err = s.exportSession(r, out, &list[i])
			}
		}
		if err != nil {
			return s.cutExport(r, err)
		}
		if len(list) < exportPage {
			return written{}, nil
		}
	}
}

// cutExport breaks the connection: an export that ends early must not look
// whole.
func (s *Server) cutExport(r *http.Request, err error) (any, error) {
	if r.Context().Err() == nil {
		s.log.Error("export cut", "err", err)
	}
	panic(http.ErrAbortHandler)
}

// exportSession writes a session and its messages.
func (s *Server) exportSession(r *http.Request, out *json.Encoder, session *chat.Session) error {
	if err := out.Encode(struct {
		Type string `json:"type"`
		sessionView
	}{"session", s.view(session, chat.Message{})}); err != nil {
		return err
	}
	q := chat.MessageQuery{SessionID: session.ID, Limit: exportPage, After: -1}
	for {
		var list []chat.Message
		err := s.store.Read(r.Context(), func(rd chat.Reader) (err error) {
			list, err = rd.Messages(q)
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range s.showFiles(list) {
			m.ClientID = ""
			if err := out.Encode(struct {
				Type string `json:"type"`
				chat.Message
			}{"message", m}); err != nil {
				return err
			}
			q.After = m.Seq
		}
		if len(list) < exportPage {
			return nil
		}
	}
}
