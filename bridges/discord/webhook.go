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
func (b *Bridge) Webhook(in chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.key == nil {
			reception.Refuse(w, http.StatusServiceUnavailable, "Interactions are not set up: set DISCORD_PUBLIC_KEY")
			return
		}
		if r.Method != http.MethodPost {
			reception.Refuse(w, http.StatusMethodNotAllowed, "Method not allowed")
			return
		}
		raw, ok := reception.ReadPush(w, r, "interaction")
		switch {
		case !ok:
		case !b.signed(r.Header, raw):
			reception.Refuse(w, http.StatusUnauthorized, "Unauthorized")
		default:
			b.pushed(w, r, in, raw)
		}
	})
}

// maxAge bounds a signature's age, so that a recorded request cannot be replayed
// later.
const maxAge = 5 * time.Minute

// signed checks that Discord signed a body recently.
func (b *Bridge) signed(h http.Header, body []byte) bool {
	signature, err := hex.DecodeString(h.Get("X-Signature-Ed25519"))
	at := h.Get("X-Signature-Timestamp")
	if err != nil || !recent(at) || len(signature) != ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(b.key, append([]byte(at), body...), signature)
}

// recent reports whether a time in Unix seconds is close to now.
func recent(at string) bool {
	unix, err := strconv.ParseInt(at, 10, 64)
	return err == nil && time.Since(time.Unix(unix, 0)).Abs() <= maxAge
}

// pushed answers an interaction.
func (b *Bridge) pushed(w http.ResponseWriter, r *http.Request, in chat.Receiver, raw []byte) {
	var i interaction
	if err := json.Unmarshal(raw, &i); err != nil {
		reception.Refuse(w, http.StatusBadRequest, "Not an interaction of Discord's")
		return
	}
	switch {
	case i.Kind == discordgo.InteractionPing:
		reception.Respond(w, http.StatusOK, map[string]any{"type": discordgo.InteractionResponsePong})
	case i.Kind == discordgo.InteractionApplicationCommand && i.ID != "":
		text, err := b.command(r.Context(), in, &i, raw)
		if err != nil {
			b.log.Error("a slash command could not be stored", "err", err)
			text = answerNotSaved
		}
		reception.Respond(w, http.StatusOK, answer(text))
	default:
		reception.Refuse(w, http.StatusBadRequest, "Not an interaction that relay knows")
	}
}
