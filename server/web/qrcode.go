package web

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// QRPath is [QRCode] without the size.
func QRPath(text string) string {
	path, _ := QRCode(text)
	return path
}

// QRCode returns a text's QR code as the data of an SVG path: each dark module is a
// square of one unit, and the quiet zone is left to the drawing. size is how many are in a
// row. "" if the text is too long.
func QRCode(text string) (path string, size int) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", 0
	}
	var b strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			begin := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > begin {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", begin, y, x-begin, x-begin)
			}
		}
	}
	return b.String(), code.Size
}
