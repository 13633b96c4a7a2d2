package telegram

import (
	"errors"
	"net/http"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Webhook implements [chat.Bridge]. The answer has no body: Telegram would execute
// a method in it.
func (r *receiver) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if status, text := r.admit(req); status != 0 {
			reception.Refuse(w, status, text)
			return
		}
		raw, ok := reception.ReadPush(w, req, "update")
		if !ok {
			return
		}
		_, err := r.receive(req.Context(), in, raw)
		switch {
		case errors.Is(err, chat.ErrPermanent):
			reception.Refuse(w, http.StatusBadRequest, "Not an update of Telegram's")
		case err != nil:
			r.log.Error("an update could not be stored; Telegram will send it again", "err", err)
			w.Header().Set("Retry-After", "5") // Telegram holds the group's updates back until then
			reception.Refuse(w, http.StatusServiceUnavailable, "The update could not be stored")
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
}

// admit checks that a request is from Telegram; status is 0 when it is.
func (r *receiver) admit(req *http.Request) (status int, text string) {
	switch {
	case r.cfg.WebhookSecret == "":
		return http.StatusServiceUnavailable, "The webhook has no secret: set TELEGRAM_WEBHOOK_SECRET"
	case !chat.SameSecret(req.Header.Get("X-Telegram-Bot-Api-Secret-Token"), r.cfg.WebhookSecret):
		return http.StatusUnauthorized, "Unauthorized"
	case req.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "Method not allowed"
	}
	return 0, ""
}
