package server

import (
	"fmt"
	"strings"

	"rsc.io/qr"

	"github.com/relay-chat/relay/server/chat"
)

// linkCode returns the QR code of the link that adds the bot, for the phone that has
// the platform's app.
func linkCode(s chat.BridgeSetup) string {
	if s.Step != chat.StepPlace || s.Link == "" {
		return ""
	}
	return qrPath(s.Link)
}

// qrPath returns a text's QR code as the data of an SVG path: each dark module is a
// square of one unit, and the quiet zone is left to the drawing. "" if it is too long.
func qrPath(text string) string {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return ""
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			begin := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > begin {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", begin, y, x-begin, x-begin)
			}
		}
	}
	return path.String()
}
