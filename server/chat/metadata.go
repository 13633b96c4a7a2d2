package chat

import "unicode/utf8"

// The longest fields; the rest is cut.
const (
	maxMetadata = 2048
	maxZone     = 64
)

// isZone has the form of the IANA database's names: Europe/Berlin, Etc/GMT+3, UTC.
var isZone = Pattern(`[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*`)

// Clip cuts overlong fields and drops what cannot be a time zone.
func (m *Metadata) Clip() {
	if len(m.Timezone) > maxZone || !isZone(m.Timezone) {
		m.Timezone = ""
	}
	for _, field := range []*string{&m.URL, &m.Country, &m.Browser, &m.DeviceType, &m.Referrer, &m.Language, &m.UserAgent} {
		if len(*field) > maxMetadata {
			cut := maxMetadata
			for !utf8.RuneStart((*field)[cut]) {
				cut--
			}
			*field = (*field)[:cut]
		}
	}
}
