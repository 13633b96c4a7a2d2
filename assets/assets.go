// Package assets holds the files that relay serves to browsers: the built
// widget and console bundles (dist) and the html/template sources of the
// public pages and of the console. It is plain data and imports nothing but
// the standard library; the bundler lives in assets/build and is never
// linked into the product.
package assets

import (
	"embed"
	"io/fs"
)

//go:generate go run ./build

//go:embed dist
var dist embed.FS

//go:embed pages/*.html
var pages embed.FS

//go:embed console/*.html
var console embed.FS

// Dist returns the built files, rooted so that "widget.js" is a valid name.
func Dist() fs.FS { return rooted(dist, "dist") }

// Pages returns the templates of the public pages, such as "setup.html".
func Pages() fs.FS { return rooted(pages, "pages") }

// Console returns the templates of the operator console.
func Console() fs.FS { return rooted(console, "console") }

// rooted never fails: the names are the directories embedded above.
func rooted(files embed.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err)
	}
	return sub
}
