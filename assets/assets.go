// Package assets holds the files that relay serves to browsers, as they were
// built into dist: the scripts and styles of widget and console, the pages and the
// OpenAPI document. It is plain data and imports nothing but the standard library;
// the bundler lives in assets/build and is never linked into the product.
package assets

import (
	"compress/gzip"
	"embed"
	"errors"
	"io"
	"io/fs"
	"strings"
)

//go:generate go run ./build

//go:embed dist/*.js dist/*.mjs dist/*.mts dist/*.css dist/*.png dist/*.webmanifest
var dist embed.FS

// The pages are compressed: they are read seldom and would be a fiftieth of the
// program.
//
//go:embed dist/*.gz
var pages embed.FS

// Dist returns the scripts, styles and icons, rooted so that "widget.js" is a valid name.
func Dist() fs.FS { return rooted(dist, "dist") }

//go:embed guides/pictures/*.webp
var pictures embed.FS

// Pictures returns the pictures of the guides, rooted so that "start.webp" is a valid name.
func Pictures() fs.FS { return rooted(pictures, "guides/pictures") }

// PageIn is Page in a language, by its code, or in English where there is none in it.
func PageIn(language, name string) ([]byte, error) {
	page, err := Page(strings.TrimSuffix(name, "html") + language + ".html")
	if errors.Is(err, fs.ErrNotExist) {
		return Page(name)
	}
	return page, err
}

// Page returns a page, such as "setup.html", or "openapi.yaml". A slot like
// ${Version} stands in a page wherever a value belongs, as text or within the quotes
// of an attribute. The error wraps [fs.ErrNotExist] if there is none of that name.
func Page(name string) ([]byte, error) {
	f, err := rooted(pages, "dist").Open(name + ".gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zipped)
}

// rooted never fails: the folders are those embedded above.
func rooted(files embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err)
	}
	return sub
}
