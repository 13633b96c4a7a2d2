package quote

import "strings"

// Flowed joins the lines that a mail program broke (RFC 3676), and writes quotes with "> ". The
// space at which a line was broken is no part of the text if delSp.
func Flowed(text string, delSp bool) string {
	var out strings.Builder
	before := -1 // how deep the last line is quoted, if it goes on
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		rest := strings.TrimLeft(l, ">")
		depth := len(l) - len(rest)
		rest = strings.TrimPrefix(rest, " ")
		signature := rest == "-- "
		if i > 0 && (before != depth || signature) {
			out.WriteByte('\n')
		}
		if before != depth || signature {
			out.WriteString(strings.Repeat(">", depth))
			if depth > 0 && rest != "" {
				out.WriteByte(' ')
			}
		}
		before = -1
		if strings.HasSuffix(rest, " ") && !signature && i+1 < len(lines) {
			before = depth
			if delSp {
				rest = rest[:len(rest)-1]
			}
		}
		out.WriteString(rest)
	}
	return out.String()
}
