package incoming

import (
	"io"
	"regexp"
	"strings"
)

// maxReason bounds what is kept of a server's words.
const maxReason = 300

var statusLine = regexp.MustCompile(`(?im)^(action|status|diagnostic-code):[ \t]*(.+(?:\r?\n[ \t]+.+)*)`)

// readStatus reads what a server reports (RFC 3464, 2.3). Of several recipients the last one
// that failed counts: relay's e-mails have one.
func (r *reader) readStatus(in io.Reader) {
	data, _ := io.ReadAll(io.LimitReader(in, MaxHead)) // a damaged part has what was read of it
	report := &Report{}
	for _, found := range statusLine.FindAllSubmatch(data, 100) {
		value := readable(string(found[2]), maxReason)
		switch strings.ToLower(string(found[1])) {
		case "action":
			report.Failed = report.Failed || strings.EqualFold(value, "failed")
		case "status":
			report.Permanent = report.Permanent || strings.HasPrefix(value, "5")
		default:
			_, words, typed := strings.Cut(value, ";")
			if report.Reason = value; typed {
				report.Reason = strings.TrimSpace(words)
			}
		}
	}
	r.body.Report = report
}

// readReturned finds out which e-mail a report is about, by the header that it returns.
func (r *reader) readReturned(in io.Reader) {
	raw, _ := io.ReadAll(io.LimitReader(in, MaxHead)) // a damaged part has what was read of it
	fields, err := parseHeader(raw)
	if err != nil {
		return
	}
	r.body.Report.References = idsIn(fields.Values("Message-Id"), fields.Values("References"))
}
