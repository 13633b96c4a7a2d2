package chat

import (
	"slices"
	"strings"
)

// maxDevices is on how many further devices a visitor goes on; then the first is forgotten.
const maxDevices = 10

// deviceMark stands in a device's token between the session's id and its secret.
const deviceMark = "."

// DeviceToken is the token with which a device goes on with a session: it names the session,
// whose own token it is not.
func DeviceToken(sessionID, secret string) string { return sessionID + deviceMark + secret }

// SessionOfDevice is the id of the session that a device's token names, "" for other tokens.
func SessionOfDevice(token string) string {
	id, _, named := strings.Cut(token, deviceMark)
	if !named {
		return ""
	}
	return id
}

// OpenedBy reports whether a session's token is its own or that of a further device.
func (s *Session) OpenedBy(token string) bool {
	hash := Hash(token)
	return sameHash(hash, s.TokenHash) || s.Devices != "" && s.knows(hash)
}

func (s *Session) knows(hash string) bool {
	return slices.ContainsFunc(strings.Fields(s.Devices), func(device string) bool { return sameHash(hash, device) })
}

// Admit lets a device's token open the session, and reports whether that is new.
func (s *Session) Admit(token string) bool {
	hash := Hash(token)
	if s.knows(hash) {
		return false
	}
	devices := append(strings.Fields(s.Devices), hash)
	s.Devices = strings.Join(devices[max(0, len(devices)-maxDevices):], " ")
	return true
}
