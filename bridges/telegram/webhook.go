package telegram

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

// maxUpdate bounds the body of a pushed update.
const maxUpdate = 1 << 20

// Webhook implements [chat.Bridge]. The answer has no body: Telegram would execute
// a method in it.
func (b *Bridge) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, text := b.admit(r); status != 0 {
			refuse(w, status, text)
			return
		}
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			refuse(w, http.StatusRequestEntityTooLarge, "The update is too large")
			return
		case err != nil:
			refuse(w, http.StatusBadRequest, "The update was cut off")
			return
		}
		_, err = b.receive(r.Context(), in, raw)
		switch {
		case errors.Is(err, chat.ErrPermanent):
			refuse(w, http.StatusBadRequest, "Not an update of Telegram's")
		case err != nil:
			b.log.Error("an update could not be stored; Telegram will send it again", "err", err)
			w.Header().Set("Retry-After", "5") // Telegram holds the group's updates back until then
			refuse(w, http.StatusServiceUnavailable, "The update could not be stored")
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

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, _ := json.Marshal(map[string]string{"error": text})
	_, _ = w.Write(body)
}
