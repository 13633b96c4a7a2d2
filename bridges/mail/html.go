package mail

import (
	"encoding/hex"
	"html"
	"math"
	"strings"
)

// markup collects HTML. Only write takes some as it is: relay's own; everything else is
// escaped. A library for it would keep 6 MB of others in the program, see
// TestNothingIsCalledByName.
type markup struct{ strings.Builder }

// write adds relay's own HTML, with texts in place of each {}.
func (m *markup) write(form string, texts ...string) {
	for _, text := range texts {
		before, after, _ := strings.Cut(form, "{}")
		m.WriteString(before)
		m.WriteString(html.EscapeString(text))
		form = after
	}
	m.WriteString(form)
}

// html is the letter as most people see it: tables and styles at their elements, because mail
// programs know little else.
func (p *page) html() string {
	direction, side := "ltr", "left"
	if rightToLeft[p.language] {
		direction, side = "rtl", "right"
	}
	var m markup
	m.write(`<!doctype html>
<html lang="{}" dir="{}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{}</title>
</head>
`, p.language, direction, p.Subject)
	m.write(`<body style="margin:0;padding:24px 12px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:{}"><tr><td>
`, side)
	for _, line := range p.above() {
		m.write("<p>{}</p>\n", line)
	}
	m.said(p.messages)
	m.write(`<p style="margin:24px 0"><a href="{}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:{};color:{};font-weight:600;text-decoration:none">{}</a></p>
`, p.link, p.colour, onColour(p.colour), p.GoOn)
	if p.answerable && !p.asks {
		m.write("<p>{}</p>\n", p.Answer)
	}
	if p.asks {
		m.write("<p>{} {}</p>\n", p.Ask, p.Stranger)
	}
	if len(p.quoted) > 0 {
		m.write(`<div style="margin-top:32px;font-size:14px;opacity:.75"><p style="margin:0 0 8px">{}</p>
`, p.Before)
		m.said(p.quoted)
		m.write("</div>\n")
	}
	m.write(`<p style="margin:32px 0 0;padding-top:12px;border-top:1px solid #8888;font-size:13px;opacity:.75">{}<br><a href="{}" style="color:inherit">{}</a></p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`, p.Why, p.link, p.Stop)
	return m.String()
}

// said adds messages.
func (m *markup) said(list []said) {
	for _, one := range list {
		m.write(`<div style="margin:0 0 16px" dir="auto"><strong>{}</strong>`, one.who)
		for _, line := range one.lines {
			m.write("<br>{}", line)
		}
		for _, f := range one.files {
			if f.contentID == "" {
				m.write(`<br><a href="{}">{}</a>`, f.URL, f.Filename)
			} else {
				m.write(`<br><a href="{}"><img src="cid:{}" alt="{}" style="max-width:100%;max-height:400px;margin-top:8px;border:0;border-radius:8px"></a>`, f.URL, f.contentID, f.Filename)
			}
		}
		m.write("</div>\n")
	}
}

// onColour is black or white, whichever is read better on a colour like #3b5bdb (WCAG 2.2,
// relative luminance).
func onColour(colour string) string {
	rgb, err := hex.DecodeString(strings.TrimPrefix(colour, "#"))
	if err != nil || len(rgb) != 3 {
		return "#ffffff"
	}
	luminance := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part := float64(rgb[i]) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		luminance += weight * part
	}
	if luminance > 0.179 { // where both have the same contrast
		return "#000000"
	}
	return "#ffffff"
}
