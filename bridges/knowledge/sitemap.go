package knowledge

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// The limits of a sitemap: its addresses, and the bytes between two signs of its markup.
const (
	maxSitemap      = 50_000
	maxSitemapToken = 64 << 10
)

var errSitemap = errors.New("it is no sitemap that can be read")

// isSitemap reports whether XML is a sitemap or a list of sitemaps.
func isSitemap(data []byte) bool {
	head := string(data[:min(len(data), 4096)])
	return !strings.Contains(head, "<html") && (strings.Contains(head, "<urlset") || strings.Contains(head, "<sitemapindex"))
}

// extractSitemap lists the addresses of a sitemap, which may be compressed. One that
// is damaged or too long ends where it is. It is read as a row of signs, not as a tree:
// trees may nest without bounds.
func extractSitemap(data []byte) (d document, err error) {
	var in io.Reader = bytes.NewReader(data)
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return d, errSitemap
		}
		in = io.LimitReader(unpacked, 8*maxPage)
	}
	d.Sitemap = true
	z := html.NewTokenizer(in)
	z.SetMaxBuf(maxSitemapToken)
	z.AllowCDATA(true)
	for len(d.Links) < maxSitemap {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		name, _ := z.TagName()
		d.Index = d.Index || kind == html.StartTagToken && string(name) == "sitemapindex"
		if kind != html.StartTagToken || string(name) != "loc" || z.Next() != html.TextToken {
			continue
		}
		if address := strings.TrimSpace(string(z.Text())); len(address) <= maxAddress {
			d.Links = append(d.Links, address)
		}
	}
	if len(d.Links) == 0 {
		return d, errSitemap
	}
	return d, nil
}
