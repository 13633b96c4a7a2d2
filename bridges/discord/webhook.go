package discord

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// Webhook implements [chat.Bridge]. It receives interactions (Discord, "Receiving
// and Responding"): operators' slash commands. Messages come by the gateway only.
func (r *receiver) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.key == nil {
			reception.Refuse(w, http.StatusServiceUnavailable, "Interactions are not set up: set DISCORD_PUBLIC_KEY")
			return
		}
		if req.Method != http.MethodPost {
			reception.Refuse(w, http.StatusMethodNotAllowed, "Method not allowed")
			return
		}
		raw, ok := reception.ReadPush(w, req, "interaction")
		switch {
		case !ok:
		case !r.signed(req.Header, raw):
			reception.Refuse(w, http.StatusUnauthorized, "Unauthorized")
		default:
			r.pushed(w, req, in, raw)
		}
	})
}

// maxAge bounds a signature's age, so that a recorded request cannot be replayed
// later.
const maxAge = 5 * time.Minute

// signed checks that Discord signed a body recently.
func (r *receiver) signed(h http.Header, body []byte) bool {
	signature, err := hex.DecodeString(h.Get("X-Signature-Ed25519"))
	at := h.Get("X-Signature-Timestamp")
	if err != nil || !recent(at) || len(signature) != ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(r.key, append([]byte(at), body...), signature)
}

// recent reports whether a time in Unix seconds is close to now.
func recent(at string) bool {
	unix, err := strconv.ParseInt(at, 10, 64)
	return err == nil && time.Since(time.Unix(unix, 0)).Abs() <= maxAge
}

// pushed answers an interaction.
func (r *receiver) pushed(w http.ResponseWriter, req *http.Request, in chat.Receiver, raw []byte) {
	var i interaction
	if err := json.Unmarshal(raw, &i); err != nil {
		reception.Refuse(w, http.StatusBadRequest, "Not an interaction of Discord's")
		return
	}
	switch {
	case i.Kind == discordgo.InteractionPing:
		reception.Respond(w, http.StatusOK, map[string]any{"type": discordgo.InteractionResponsePong})
	case i.Kind == discordgo.InteractionApplicationCommand && i.ID != "":
		text, err := r.command(req.Context(), in, &i, raw)
		if err != nil {
			r.log.Error("a slash command could not be stored", "err", err)
			text = answerNotSaved
		}
		reception.Respond(w, http.StatusOK, answer(text))
	default:
		reception.Refuse(w, http.StatusBadRequest, "Not an interaction that relay knows")
	}
}
