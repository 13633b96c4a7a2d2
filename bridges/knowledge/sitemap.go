package knowledge

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// maxSitemap is how many addresses of a sitemap are read.
const maxSitemap = 50_000

var errSitemap = errors.New("it is no sitemap that can be read")

// isSitemap reports whether XML is a sitemap or a list of sitemaps.
func isSitemap(data []byte) bool {
	head := string(data[:min(len(data), 4096)])
	return !strings.Contains(head, "<html") && (strings.Contains(head, "<urlset") || strings.Contains(head, "<sitemapindex"))
}

// extractSitemap lists the addresses of a sitemap, which may be compressed. One that
// is damaged or too long ends where it is.
func extractSitemap(data []byte) (d document, err error) {
	var in io.Reader = bytes.NewReader(data)
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return d, errSitemap
		}
		in = io.LimitReader(unpacked, 8*maxPage)
	}
	d.sitemap = true
	reader := xml.NewDecoder(in)
	reader.Strict = false
	reader.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // addresses are ASCII
	for len(d.links) < maxSitemap {
		token, err := reader.Token()
		if err != nil {
			break
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "loc" {
			if token, err = reader.Token(); err == nil {
				if text, ok := token.(xml.CharData); ok {
					d.links = append(d.links, strings.TrimSpace(string(text)))
				}
			}
		}
	}
	if len(d.links) == 0 {
		return d, errSitemap
	}
	return d, nil
}
