package incoming

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

var seeds = []string{
	"From: a@b.example\nTo: c@d.example\nSubject: =?utf-8?q?x=C3=A4?=\nMessage-ID: <1@b.example>\n\nHello\n",
	"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html; charset=iso-2022-jp\nContent-Transfer-Encoding: base64\n\nPGI+\n--x\nContent-Type: image/png\nContent-ID: <a>\n\nx\n--x--\n",
	"Content-Type: multipart/report; report-type=delivery-status; boundary=x\n\n--x\nContent-Type: message/delivery-status\n\nAction: failed\nStatus: 5.1.1\n\n--x\nContent-Type: message/rfc822\n\nMessage-ID: <a@b>\n\n--x--",
	"Authentication-Results: a; dmarc=fail; dkim=none; spf=softfail\nReferences: <a@b> <c@d>\n\n",
	"Content-Type: text/plain; format=flowed; delsp=yes; charset=utf-16\n\n\xff\xfeh\x00i\x00",
}

// FuzzMail: whatever arrives, it is read or refused.
func FuzzMail(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if head, err := ReadHead([]byte(text)); err == nil {
			for _, said := range append(append([]string{head.From, head.Name, head.Subject}, head.Recipients...), head.References...) {
				if strings.ContainsAny(said, "\r\n\x00") {
					t.Errorf("%q has lines", said)
				}
			}
		}
		body, err := readBody(strings.NewReader(text), func(name, media string, in io.Reader) error {
			if strings.ContainsAny(name, "/\\\r\n\x00") || name == "" {
				t.Errorf("a file is called %q", name)
			}
			_, _ = io.Copy(io.Discard, in) // a damaged part ends there
			return nil
		})
		if err == nil && (!utf8.ValidString(body.Own) || !utf8.ValidString(body.Whole) || strings.Contains(body.Whole, "\x00")) {
			t.Errorf("%+v", body)
		}
	})
}

// FuzzAnswer: what a reader that somebody has taken over says does no harm.
func FuzzAnswer(f *testing.F) {
	var out strings.Builder
	if err := read(strings.NewReader(seeds[1]), &out); err != nil {
		f.Fatal(err)
	}
	f.Add(out.String())
	f.Fuzz(func(_ *testing.T, answer string) {
		_, _, _ = readAnswer(strings.NewReader(answer), func(file File) error { // any error is right
			_, err := io.Copy(io.Discard, file)
			return err
		})
	})
}
