// Package assets holds the files that relay serves to browsers, as they were
// built into dist: the scripts and styles of widget and console, and the pages.
// It is plain data and imports nothing but the standard library; the bundler
// lives in assets/build and is never linked into the product.
package assets

import (
	"embed"
	"io/fs"
)

//go:generate go run ./build

//go:embed dist/*.js dist/*.css
var dist embed.FS

//go:embed dist/*.html
var pages embed.FS

// Dist returns the scripts and styles, rooted so that "widget.js" is a valid name.
func Dist() fs.FS { return rooted(dist) }

// Pages returns the pages, such as "setup.html". A slot like ${Version} stands in
// them wherever a value belongs, as text or within the quotes of an attribute.
func Pages() fs.FS { return rooted(pages) }

// rooted never fails: the folder is the one embedded above.
func rooted(files embed.FS) fs.FS {
	sub, err := fs.Sub(files, "dist")
	if err != nil {
		panic(err)
	}
	return sub
}
