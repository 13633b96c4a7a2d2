package knowledge

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// maxPage is how large a web page may be, also unpacked, in bytes.
const maxPage = 2 << 20

// document is what a page or a file says.
type document struct {
	Title    string
	Markdown string
	Links    []string // of a web page, absolute
	Sitemap  bool     // the links are those of a sitemap
	Index    bool     // of one that lists sitemaps
	Head     pageHead
}

// The kinds of content.
const (
	kindHTML    = "text/html"
	kindText    = "text/plain"
	kindPDF     = "application/pdf"
	kindSitemap = "application/xml"
)

// fileKinds are those of files, by the ends of their names.
var fileKinds = map[string]string{".md": kindText, ".markdown": kindText, ".txt": kindText, ".html": kindHTML, ".htm": kindHTML, ".pdf": kindPDF}

// errFileKind refuses other files.
var errFileKind = errors.New("the file is none of .md, .txt, .html and .pdf")

// extractFile reads a file.
func extractFile(name string, data []byte) (document, error) {
	kind, known := fileKinds[strings.ToLower(path.Ext(name))]
	if !known {
		return document{}, errFileKind
	}
	d, err := extract(kind, kind, data, nil)
	if d.Title == "" {
		d.Title = name
	}
	return d, err
}

// extractPage reads what a server answered for an address.
func extractPage(given string, data []byte, base *url.URL) (document, error) {
	kind, err := kindOf(given, data)
	if err != nil {
		return document{}, err
	}
	return extract(kind, given, data, base)
}

// kindOf returns the kind of a page's content.
func kindOf(contentType string, data []byte) (string, error) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media == "" || media == "application/octet-stream" {
		media, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	}
	switch {
	case media == kindPDF || bytes.HasPrefix(data, []byte("%PDF-")):
		return kindPDF, nil
	case media == "application/gzip" || media == "application/x-gzip", isSitemap(data):
		return kindSitemap, nil
	case media == kindHTML || media == "application/xhtml+xml":
		return kindHTML, nil
	case media == kindText || media == "text/markdown":
		return kindText, nil
	}
	return "", fmt.Errorf("it is %s, not a text", clip(media, 60))
}

// errNoText refuses pictures, programs and the like, whatever they are called.
var errNoText = errors.New("it has bytes that no text has; save it as text in UTF-8")

// isText reports whether data may be a text in some character set: without the bytes
// that only other files have.
func isText(data []byte) bool {
	media := http.DetectContentType(data)
	if strings.Contains(media, "charset=utf-16") {
		return true
	}
	return strings.HasPrefix(media, "text/") && bytes.IndexByte(data, 0) < 0
}

// extract reads content of a kind. A library that panics on it has failed.
func extract(kind, contentType string, data []byte, base *url.URL) (d document, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %s", clip(oneLine(fmt.Sprint(p)), 200))
		}
	}()
	switch kind {
	case kindPDF:
		return extractPDF(data)
	case kindSitemap:
		return extractSitemap(data)
	}
	if kind == kindText && !isText(data) {
		return d, errNoText
	}
	text, err := decodeText(data, contentType)
	if err != nil || kind != kindHTML {
		return document{Markdown: text}, err
	}
	return extractHTML(text, base)
}
