package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/web"
)

// maxDeliveries is how many deliveries one request may list.
const maxDeliveries = 100

// deliveryAPI is about deliveries that failed.
type deliveryAPI struct {
	web.Auditor
	engine  *engine.Engine
	webhook Webhook
}

// deliveryView is a delivery in answers.
type deliveryView struct {
	ID        string     `json:"id"`
	WebhookID string     `json:"webhookId,omitempty"` // as the receiver got it
	Dest      string     `json:"dest"`
	SessionID string     `json:"sessionId"`
	Type      string     `json:"type"`
	MessageID string     `json:"messageId,omitempty"`
	State     string     `json:"state"`
	Passed    bool       `json:"passed,omitempty"`
	Attempts  int        `json:"attempts"`
	NextAt    chat.Time  `json:"nextAt"`
	LastError string     `json:"lastError,omitempty"`
	Tries     []chat.Try `json:"tries"`
	CreatedAt chat.Time  `json:"createdAt"`
}

func (s *deliveryAPI) view(d *chat.Delivery) deliveryView {
	v := deliveryView{ID: d.ID(), Dest: d.Dest, SessionID: d.SessionID, Type: string(d.Event.Type), State: d.State.String(),
		MessageID: d.Event.MessageID, Passed: d.Passed, Attempts: d.Attempts, NextAt: d.NextAt, LastError: d.Reason(),
		Tries: append([]chat.Try{}, d.Tries...), CreatedAt: d.CreatedAt}
	if chat.IsWebhook(d.Dest) {
		v.WebhookID, v.Type = s.webhook.Describe(d)
	}
	return v
}

// undeliveredMost bounds the undelivered events that a session shows.
const undeliveredMost = 100

// undeliveredView is a failed or retrying delivery to a bridge.
type undeliveredView struct {
	ID        string    `json:"id"`
	Dest      string    `json:"dest"`
	Type      string    `json:"type"`
	MessageID string    `json:"messageId,omitempty"`
	State     string    `json:"state"` // failed or retrying
	Reason    string    `json:"reason"`
	Attempts  int       `json:"attempts"`
	CreatedAt chat.Time `json:"createdAt"`
}

// undeliveredViews keeps the deliveries that go to bridges.
func undeliveredViews(list []chat.Delivery) (views []undeliveredView) {
	for i := range list {
		d := &list[i]
		if chat.IsWebhook(d.Dest) || slices.Contains(chat.OwnSinks, d.Dest) {
			continue
		}
		state := "retrying"
		if d.State == chat.DeliveryFailed {
			state = "failed"
		}
		views = append(views, undeliveredView{ID: d.ID(), Dest: d.Dest, Type: string(d.Event.Type), MessageID: d.Event.MessageID,
			State: state, Reason: d.Reason(), Attempts: d.Attempts, CreatedAt: d.CreatedAt})
	}
	return views
}

// deliveryStates are the values of ?state=.
var deliveryStates = map[string]chat.DeliveryState{"pending": chat.DeliveryPending, "sending": chat.DeliverySending, "done": chat.DeliveryDone, "failed": chat.DeliveryFailed}

// list answers GET /api/admin/deliveries, newest first.
func (s *deliveryAPI) list(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	q, err := deliveryQuery(r)
	if err != nil {
		return nil, err
	}
	return s.page(r, q)
}

// page answers a page of deliveries.
func (s *deliveryAPI) page(r *http.Request, q chat.DeliveryQuery) (any, error) {
	limit := q.Limit
	q.Limit++ // one more than asked for: is there a next page?
	var list []chat.Delivery
	err := s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
		list, err = rd.Deliveries(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := map[string]any{}
	if len(list) > limit {
		list = list[:limit]
		answer["nextCursor"] = listCursor(list[limit-1].Cursor())
	}
	views := make([]deliveryView, len(list))
	for i := range list {
		views[i] = s.view(&list[i])
	}
	answer["deliveries"] = views
	return answer, nil
}

func deliveryQuery(r *http.Request) (q chat.DeliveryQuery, err error) {
	form := r.URL.Query()
	if q.Dest = form.Get("dest"); !web.IsText(q.Dest) || slices.Contains(chat.OwnSinks, q.Dest) {
		return q, web.BadRequest("dest must be the name of a bridge or webhook")
	}
	q.Except = chat.OwnSinks
	return restrict(r, q)
}

// restrict adds the state, the place and the limit that a request asks for.
func restrict(r *http.Request, q chat.DeliveryQuery) (_ chat.DeliveryQuery, err error) {
	form := r.URL.Query()
	if given := form.Get("state"); given != "" {
		state, known := deliveryStates[given]
		if !known {
			return q, web.BadRequest("state must be pending, sending, done or failed")
		}
		q.State = &state
	}
	if given := form.Get("cursor"); given != "" {
		c, err := parseCursor(given)
		if err != nil {
			return q, err
		}
		q.Before = &c
	}
	q.Limit, err = web.QueryLimit(r, maxDeliveries, maxDeliveries)
	return q, err
}

func (s *deliveryAPI) retry(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id := web.PathVar(r, "id")
	dest, _, _, _ := chat.ParseDeliveryID(id)
	if err := s.off(dest); err != nil {
		return nil, err
	}
	return s.Audited(r, by, chat.AuditDeliveryRetried, id, s.engine.Outbox.Retry(r.Context(), id))
}

// off returns why nothing is posted to a destination, nil where something is.
func (s *deliveryAPI) off(dest string) error {
	if dest == chat.WebhookSink {
		return s.webhook.Off()
	}
	for _, h := range s.engine.Sites().Hooks() {
		if h.Sink() == dest && !h.Works() {
			return chat.Errorf(chat.Conflict, "The webhook is paused; resume it first")
		}
	}
	return nil
}

// discard answers POST /api/admin/deliveries/{id}/discard.
func (s *deliveryAPI) discard(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id := web.PathVar(r, "id")
	return s.Audited(r, by, chat.AuditDeliveryDiscarded, id, s.engine.Outbox.Discard(r.Context(), id))
}

type discardAllRequest struct {
	Dest string `json:"dest"`
}

// discardAll answers POST /api/admin/deliveries/discard: what failed at one
// destination is removed.
func (s *deliveryAPI) discardAll(_ http.ResponseWriter, r *http.Request, by chat.Author, in discardAllRequest) (any, error) {
	if in.Dest == "" {
		return nil, web.BadRequest("dest is required")
	}
	count, more, err := s.engine.Outbox.DiscardFailed(r.Context(), in.Dest)
	s.auditAll(r, by, chat.AuditDeliveryDiscarded, in.Dest, count)
	return map[string]any{"ok": true, "discarded": count, "more": more}, err
}

type retryAllRequest struct {
	Dest   string `json:"dest"`
	Cursor string `json:"cursor"`
}

// retryAll answers POST /api/admin/deliveries/retry: the failed
// deliveries are retried, some thousands per request.
func (s *deliveryAPI) retryAll(_ http.ResponseWriter, r *http.Request, by chat.Author, in retryAllRequest) (any, error) {
	after, err := parseCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	var off []string
	if err := s.webhook.Off(); err != nil {
		if in.Dest == chat.WebhookSink {
			return nil, err
		}
		off = []string{chat.WebhookSink}
	}
	count, next, err := s.engine.Outbox.RetryFailed(r.Context(), in.Dest, after, off...)
	s.auditAll(r, by, chat.AuditDeliveryRetried, in.Dest, count)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"ok": true, "retried": count}
	if next != nil {
		answer["nextCursor"] = listCursor(*next)
	}
	return answer, nil
}

// auditAll records what was done to failed deliveries, if there were any.
func (s *deliveryAPI) auditAll(r *http.Request, by chat.Author, action, dest string, count int) {
	if count > 0 {
		s.Audit(r, by, action, dest, chat.Count(count, "delivery"))
	}
}

// testAnswer is how a receiver answered a test event.
func testAnswer(a chat.WebhookTest, err error) (any, error) {
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

// testWebhook answers POST /api/admin/webhooks/test with the receiver's answer to
// a test event.
func (s *settingsAPI) testWebhook(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := web.SiteAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	if site == nil {
		site = new(string)
	}
	return testAnswer(s.webhook.Test(r.Context(), *site))
}

// stats answers GET /api/admin/stats and, for backends, GET /api/stats.
func (s *statisticsAPI) stats(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sites, err := web.SitesAsked(r, by, s.sites())
	if err != nil {
		return nil, err
	}
	switch r.URL.Query().Get("period") {
	case "", "7d":
		return s.counter.Stats(r.Context(), sites, 7)
	case "30d":
		return s.counter.Stats(r.Context(), sites, 30)
	}
	return nil, web.BadRequest("period must be 7d or 30d")
}

type rotateKeyRequest struct {
	Key     string `json:"key"`
	EndKeys bool   `json:"endKeys"` // also the API keys that the secret key made
}

// rotateKey answers POST /api/admin/keys/rotate with the new key, once.
func (s *systemAPI) rotateKey(_ http.ResponseWriter, r *http.Request, by chat.Author, in rotateKeyRequest) (any, error) {
	rotate, field, detail := s.keys.RotatePublic, "publicKey", ""
	switch {
	case in.Key == "public" && in.EndKeys:
		return nil, web.BadRequest("endKeys is for the secret key: the public key makes none")
	case in.Key == "public":
	case in.Key == "secret":
		how := keyring.Replacement{Grace: by.Person == "", EndKeys: in.EndKeys}
		rotate, field = func(ctx context.Context) (string, error) { return s.keys.ReplaceSecret(ctx, how) }, "secretKey"
		if in.EndKeys {
			detail = "with the API keys that it made"
		}
	default:
		return nil, web.BadRequest("key must be public or secret")
	}
	key, err := rotate(r.Context())
	if err != nil {
		return nil, fmt.Errorf("rotate the %s key: %w", in.Key, err)
	}
	s.Audit(r, by, chat.AuditKeyRotated, in.Key+" key", detail)
	s.Log.Warn("key rotated", "key", in.Key, "peer", s.Peer(r).Addr)
	return map[string]string{field: key}, nil
}

// exportPage is how many sessions or messages an export holds in memory.
const exportPage = 100

// export answers GET /api/admin/export: all sessions and messages, one JSON
// object a line, each session followed by its messages.
func (s *dataAPI) export(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := web.SiteAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	what := "all conversations"
	if site != nil {
		what = "conversations of " + chat.SiteName(*site)
	}
	s.Audit(r, by, chat.AuditExported, what, "")
	web.Attachment(w, "application/x-ndjson", "relay-"+time.Now().UTC().Format(time.DateOnly)+".ndjson")
	out := json.NewEncoder(web.Patient(w))
	for last := int64(0); ; {
		var list []chat.Session
		err := s.engine.Store.ReadOne(r.Context(), func(rd chat.Reader) (err error) {
			list, last, err = rd.Export(site, last, exportPage)
			return err
		})
		for i := range list {
			if err == nil {
				err = s.exportSession(r, out, &list[i])
			}
		}
		if err != nil {
			return cutExport(s.log, r, err)
		}
		if len(list) < exportPage {
			break
		}
	}
	if err := s.exportContacts(r, out, site); err != nil {
		return cutExport(s.log, r, err)
	}
	return web.Written{}, nil
}

// cutExport breaks the connection: an incomplete export must not look
// complete.
func cutExport(log *slog.Logger, r *http.Request, err error) (any, error) {
	if r.Context().Err() == nil {
		log.Error("export cut", "err", err)
	}
	panic(http.ErrAbortHandler)
}

// exportSession writes a session and its messages.
func (s *dataAPI) exportSession(r *http.Request, out *json.Encoder, session *chat.Session) error {
	if err := out.Encode(struct {
		Type string `json:"type"`
		sessionView
	}{"session", s.view(session, chat.Message{})}); err != nil {
		return err
	}
	return s.eachExported(r, session.ID, func(m *chat.Message) error {
		return out.Encode(struct {
			Type string `json:"type"`
			chat.Message
		}{"message", *m})
	})
}
