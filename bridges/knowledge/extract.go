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
	"time"
)

// maxPage is how large a web page may be, also unpacked, in bytes.
const maxPage = 2 << 20

// extractTime bounds how long a PDF is read.
const extractTime = 10 * time.Second

// document is what a page or a file says.
type document struct {
	title    string
	markdown string
	links    []string // of a web page, absolute
	sitemap  bool     // the links are those of a sitemap
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
	if d.title == "" {
		d.title = name
	}
	return d, err
}

// extractPage reads what a server answered for an address.
func extractPage(header http.Header, data []byte, base *url.URL) (document, error) {
	given := header.Get("Content-Type")
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

// extract reads content of a kind. A library that panics on it has failed.
func extract(kind, contentType string, data []byte, base *url.URL) (d document, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %s", clip(oneLine(fmt.Sprint(p)), 200))
		}
	}()
	switch kind {
	case kindPDF:
		return extractPDF(data, extractTime)
	case kindSitemap:
		return extractSitemap(data)
	}
	text, err := decodeText(data, contentType)
	if err != nil || kind != kindHTML {
		return document{markdown: text}, err
	}
	return extractHTML(text, base)
}
