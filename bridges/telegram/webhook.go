package telegram

import (
	"errors"
	"net/http"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Webhook implements [chat.Bridge]. The answer has no body: Telegram would execute
// a method in it.
func (b *Bridge) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, text := b.admit(r); status != 0 {
			reception.Refuse(w, status, text)
			return
		}
		raw, ok := reception.ReadPush(w, r, "update")
		if !ok {
			return
		}
		_, err := b.receive(r.Context(), in, raw)
		switch {
		case errors.Is(err, chat.ErrPermanent):
			reception.Refuse(w, http.StatusBadRequest, "Not an update of Telegram's")
		case err != nil:
			b.log.Error("an update could not be stored; Telegram will send it again", "err", err)
			w.Header().Set("Retry-After", "5") // Telegram holds the group's updates back until then
			reception.Refuse(w, http.StatusServiceUnavailable, "The update could not be stored")
		default:
			w.WriteHeader(http.StatusOK)
		}
	})
}

// admit checks that a request is from Telegram; status is 0 when it is.
func (b *Bridge) admit(r *http.Request) (status int, text string) {
	switch {
	case b.cfg.WebhookSecret == "":
		return http.StatusServiceUnavailable, "The webhook has no secret: set TELEGRAM_WEBHOOK_SECRET"
	case !chat.SameSecret(r.Header.Get("X-Telegram-Bot-Api-Secret-Token"), b.cfg.WebhookSecret):
		return http.StatusUnauthorized, "Unauthorized"
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "Method not allowed"
	}
	return 0, ""
}
