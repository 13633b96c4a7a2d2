// Package assets holds the files that relay serves to browsers, as they were
// built into dist: the scripts and styles of widget and console, the pages and the
// OpenAPI document. It is plain data and imports nothing but the standard library;
// the bundler lives in assets/build and is never linked into the product.
package assets

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
)

//go:generate go run ./build

// The texts are compressed, as nearly all browsers get them.
//
//go:embed dist/*.gz dist/*.png
var dist embed.FS

// Names lists the scripts, styles and icons that relay serves as they are, such as "widget.js".
func Names() []string {
	var names []string
	entries, _ := dist.ReadDir("dist") // it is embedded
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), packed)
		if ext := path.Ext(name); ext != ".html" && ext != ".yaml" && ext != ".json" {
			names = append(names, name)
		}
	}
	return names
}

// packed is behind the names of what is compressed.
const packed = ".gz"

// Zipped returns a built file as clients that accept gzip get it. The error wraps
// [fs.ErrNotExist] if there is none of that name, or it is an icon.
func Zipped(name string) ([]byte, error) { return dist.ReadFile("dist/" + name + packed) }

// File returns a built file, such as "widget.js", "setup.html" or "openapi.yaml". The error wraps [fs.ErrNotExist] if there is none of that name.
func File(name string) ([]byte, error) {
	data, err := Zipped(name)
	if err != nil {
		return dist.ReadFile("dist/" + name)
	}
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zipped)
}

//go:embed guides/pictures/*.webp
var pictures embed.FS

// Pictures lists the pictures of the guides, such as "start.webp".
func Pictures() []string {
	var names []string
	entries, _ := pictures.ReadDir("guides/pictures") // it is embedded
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Picture returns a picture of the guides. The error wraps [fs.ErrNotExist] if there is none of
// that name.
func Picture(name string) ([]byte, error) { return pictures.ReadFile("guides/pictures/" + name) }

// PageIn returns a page, such as "setup.html", in a language, by its code, or in English where there
// is none in it. A slot like ${Version} stands in a page wherever a value belongs, as text or within
// the quotes of an attribute. The error wraps [fs.ErrNotExist] if there is none of that name.
func PageIn(language, name string) ([]byte, error) {
	page, err := File(strings.TrimSuffix(name, "html") + language + ".html")
	if errors.Is(err, fs.ErrNotExist) {
		return File(name)
	}
	return page, err
}
