package incoming

import (
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // every character set of e-mails
	"golang.org/x/text/encoding/charmap"

	"github.com/relay-chat/relay/bridges/mail/quote"
)

// Limits of what is read of an e-mail.
const (
	maxDepth   = 10
	maxParts   = 200
	maxFiles   = 25
	maxText    = 256 << 10 // bytes of text and HTML
	logoSize   = 8 << 10   // an image within a text that is smaller is part of a signature
	maxDropped = 20        // names
)

// Body is what stands in an e-mail.
type Body struct {
	// Own are the words of its author, Whole all of its text.
	Own, Whole string
	// Long: there is more text than relay reads.
	Long bool `json:",omitempty"`
	// Encrypted: nobody but the owner of a key can read it.
	Encrypted bool `json:",omitempty"`
	// Dropped are the names of parts that are no files for people.
	Dropped []string `json:",omitempty"`
	Report  *Report  `json:",omitempty"`
}

// Report is what a mail server says became of an e-mail (RFC 3464).
type Report struct {
	Failed     bool   // it gives up
	Permanent  bool   // the address does not work
	Reason     string // the server's words
	References []string
}

// reader walks through an e-mail.
type reader struct {
	body  Body
	left  int // bytes of text
	parts int
	files int
	emit  func(name, mediaType string, body io.Reader) error
}

// readBody reads an e-mail and hands its files over, in their order. An e-mail that is damaged
// is read up to there.
func readBody(in io.Reader, emit func(name, mediaType string, body io.Reader) error) (Body, error) {
	e, err := message.ReadWithOptions(in, &message.ReadOptions{MaxHeaderBytes: 1 << 20})
	if e == nil {
		return Body{}, err
	}
	r := &reader{left: maxText, emit: emit}
	text, err := r.read(e, 0)
	if err != nil {
		return Body{}, err
	}
	r.body.Whole = strings.TrimSpace(clean(text.words))
	r.body.Own = clean(quote.Text(r.body.Whole))
	return r.body, nil
}

// content is the text of a part.
type content struct {
	words string
	html  bool // it was made of HTML
}

func (c content) blank() bool { return strings.TrimSpace(c.words) == "" }

// read reads a part with those inside it. Its error is that of emit.
func (r *reader) read(e *message.Entity, depth int) (content, error) {
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		r.drop("more parts")
		return content{}, nil
	}
	media, params := mediaType(e.Header.Get("Content-Type"))
	if e.Header.Get("Content-Type") == "" {
		media = "text/plain"
	}
	if strings.HasPrefix(media, "multipart/") {
		return r.readParts(e, media, depth)
	}
	return r.readPart(e, media, params)
}

// readParts reads a part that has parts.
func (r *reader) readParts(e *message.Entity, media string, depth int) (text content, err error) {
	parts := e.MultipartReader()
	if parts == nil {
		return content{}, nil
	}
	if media == "multipart/encrypted" {
		r.body.Encrypted = true
		return content{}, nil
	}
	for {
		part, err := parts.NextPart()
		if part == nil {
			if err != nil && !errors.Is(err, io.EOF) && text.blank() {
				r.drop("a damaged part")
			}
			return text, nil
		}
		one, err := r.read(part, depth+1)
		if err != nil {
			return text, err
		}
		switch {
		case one.blank():
		case text.blank() || media == "multipart/alternative" && text.html && !one.html:
			text = one
		case media == "multipart/alternative":
		default:
			text = content{words: strings.TrimRight(text.words, "\n") + "\n\n" + one.words, html: text.html || one.html}
		}
	}
}

// hidden are parts that mean nothing to people, and those that relay names instead of showing.
var (
	silent = map[string]bool{"application/pgp-signature": true, "application/pkcs7-signature": true, "application/x-pkcs7-signature": true, "application/pgp-keys": true}
	named  = map[string]bool{"text/calendar": true, "application/ics": true, "application/ms-tnef": true, "application/vnd.ms-tnef": true}
)

// readPart reads a part without parts.
func (r *reader) readPart(e *message.Entity, media string, params map[string]string) (content, error) {
	disposition, shown, _ := e.Header.ContentDisposition()
	name := fileName(shown["filename"], params["name"])
	switch {
	case media == "message/delivery-status":
		r.readStatus(e.Body)
	case r.body.Report != nil && (media == "message/rfc822" || media == "text/rfc822-headers" || media == "message/global"):
		r.readReturned(e.Body)
	case media == "application/pkcs7-mime" || media == "application/x-pkcs7-mime":
		if !strings.EqualFold(params["smime-type"], "signed-data") {
			r.body.Encrypted = true
		}
		r.drop(name, "smime.p7m")
	case silent[media]:
	case named[media], strings.EqualFold(name, "winmail.dat"):
		r.drop(name, media)
	case disposition == "attachment" || name != "" || media != "text/plain" && media != "text/html":
		return content{}, r.readFile(e, name, media)
	case media == "text/html":
		return content{quote.Plain(r.readText(e.Body)), true}, nil
	default:
		text := r.readText(e.Body)
		if strings.EqualFold(params["format"], "flowed") {
			text = quote.Flowed(text, strings.EqualFold(params["delsp"], "yes"))
		}
		return content{words: text}, nil
	}
	return content{}, nil
}

// readText reads a text. What is in no character set, or in another than it says, is taken for
// the one of Windows.
func (r *reader) readText(in io.Reader) string {
	data, _ := io.ReadAll(io.LimitReader(in, int64(r.left)+1)) // a damaged part has what was read of it
	if len(data) > r.left {
		data, r.body.Long = data[:r.left], true
		for len(data) > 0 && !utf8.Valid(data[max(0, len(data)-utf8.UTFMax):]) && len(data)+utf8.UTFMax > r.left {
			data = data[:len(data)-1] // a letter that was cut
		}
	}
	r.left -= len(data)
	if !utf8.Valid(data) {
		data, _ = charmap.Windows1252.NewDecoder().Bytes(data) // it knows every byte
	}
	return clean(string(data))
}

// readFile hands a file over.
func (r *reader) readFile(e *message.Entity, name, media string) error {
	body := e.Body
	if e.Header.Has("Content-Id") && strings.HasPrefix(media, "image/") {
		head := make([]byte, logoSize)
		n, err := io.ReadFull(body, head)
		if err != nil { // smaller
			return nil
		}
		body = io.MultiReader(bytes.NewReader(head[:n]), body)
	}
	if r.files++; r.files > maxFiles {
		r.drop(name, media)
		return nil
	}
	if name == "" {
		name = "file" + extensions[media]
	}
	return r.emit(name, media, body)
}

// drop names a part that is left out, by the first name that it has.
func (r *reader) drop(names ...string) {
	for _, name := range names {
		if name = readable(name, maxName); name == "" {
			continue
		}
		if len(r.body.Dropped) < maxDropped && !slices.Contains(r.body.Dropped, name) {
			r.body.Dropped = append(r.body.Dropped, name)
		}
		return
	}
}

// extensions are of files without a name.
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/heic": ".heic", "application/pdf": ".pdf",
	"message/rfc822": ".eml", "text/vcard": ".vcf", "text/x-vcard": ".vcf", "text/csv": ".csv"}

// fileName is the last part of the first name that a file has.
func fileName(names ...string) string {
	for _, name := range names {
		name = readable(path.Base(strings.ReplaceAll(name, "\\", "/")), maxName)
		if name != "" && name != "." && name != "/" {
			return name
		}
	}
	return ""
}

// clean leaves out what cannot be stored or shown.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && r != '\uFEFF' && !direction(r) {
			return r
		}
		return -1
	}, text), "\uFFFD")
}

// direction reports whether a character turns the text around it: names that use it lie.
func direction(r rune) bool { return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' }
