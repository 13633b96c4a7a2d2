package engine

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// maxIdentity bounds what is known of a visitor, in bytes.
const maxIdentity = 8 << 10

// Identify adds facts about the visitor to the session. userHash, the hex
// HMAC-SHA256 of identity.id under the identity secret, makes it verified; a
// verified identity is changed only by a verified one, and joins a browser in which nothing
// was said to the person's open conversation.
func (r *Relay) Identify(ctx context.Context, by chat.Author, sessionID string, identity map[string]any, userHash string) (Identified, error) {
	if len(identity) == 0 {
		return Identified{}, chat.Errorf(chat.Invalid, "identity is required")
	}
	if err := checkIdentity("identity", identity); err != nil {
		return Identified{}, err
	}
	verified, err := r.verify(identity, userHash)
	if err != nil {
		return Identified{}, err
	}
	var own chat.Session
	err = r.change(ctx, by, sessionID, func(c *change) error {
		s := c.session
		if s.Verified && !verified {
			return chat.Errorf(chat.Forbidden, "The session's identity is verified; userHash is required to change it")
		}
		s.Verified = verified
		s.Resumable = s.Resumable && !verified
		if err := c.addIdentity(identity); err != nil {
			return err
		}
		if verified {
			s.Person, _ = identity["id"].(string)
		}
		own = *s
		return nil
	})
	if err != nil || !verified || own.Started() {
		return Identified{Verified: verified}, err
	}
	joined, err := r.openOfPerson(ctx, by, &own)
	return Identified{Verified: true, Joined: joined}, err
}

// addIdentity merges a visitor's new facts into the known ones, and ends what another person proved.
func (c *change) addIdentity(identity map[string]any) error {
	s := c.session
	before := s.Identity
	if err := mergeIdentity(s, identity); err != nil {
		return err
	}
	if err := c.endProof(before); err != nil {
		return err
	}
	return c.emitFact(chat.EventIdentityUpdate, map[string]any{"identity": s.Identity, "verified": s.Verified, "preChat": s.PreChat})
}

// mergeIdentity adds a visitor's new facts to the known ones.
func mergeIdentity(s *chat.Session, identity map[string]any) error {
	merged := map[string]any{}
	if len(s.Identity) > 0 {
		if err := json.Unmarshal(s.Identity, &merged); err != nil {
			return err
		}
	}
	maps.Copy(merged, identity)
	delete(merged, "userHash") // a proof, and no attribute
	if len(merged) == 0 {
		return nil
	}
	data := chat.MustJSON(merged)
	if len(data) > maxIdentity {
		return chat.Errorf(chat.Invalid, "identity must be at most %d bytes", maxIdentity)
	}
	s.Identity = data
	return nil
}

// checkIdentity requires the named fields to be texts; the others are free. A whole
// number as id becomes its text: many backends count their users. path is where
// the identity is in the request.
func checkIdentity(path string, identity map[string]any) error {
	if n, ok := identity["id"].(float64); ok && n == math.Trunc(n) && math.Abs(n) < 1<<53 { // larger ones have lost digits already
		identity["id"] = strconv.FormatFloat(n, 'f', -1, 64)
	}
	for _, name := range []string{"id", "email", "name", "phone"} {
		if v, ok := identity[name]; ok {
			if _, ok := v.(string); !ok {
				return chat.Errorf(chat.Invalid, "%s.%s must be a string", path, name)
			}
		}
	}
	return nil
}

// verify reports whether userHash proves the identity.
func (r *Relay) verify(identity map[string]any, userHash string) (bool, error) {
	if r.identity.Secret == "" {
		return false, nil
	}
	id, _ := identity["id"].(string)
	if userHash == "" || id == "" {
		if r.identity.Required {
			return false, chat.Errorf(chat.Forbidden, "A verified identity is required: identity.id and userHash")
		}
		return false, nil
	}
	if !chat.SameSecret(hexMAC(r.identity.Secret, id), userHash) {
		return false, chat.Errorf(chat.Forbidden, "userHash does not match identity.id")
	}
	return true, nil
}

// hexMAC is the HMAC-SHA256 of a text in hex.
func hexMAC(secret, text string) string {
	return hex.EncodeToString(chat.MAC([]byte(secret), text))
}
