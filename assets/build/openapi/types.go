package openapi

import (
	"slices"
	"strings"
)

// typeStarts are how the first names of the pages about types begin. One whose page
// gets too long for people is divided by another start.
var typeStarts = []string{"A", "B", "C", "I", "M", "O", "P", "S", "Set", "Si", "T"}

// TypePage is the named types from one start to the next. Page is its place below /docs.
type TypePage struct {
	Page, Title string
	Schemas     []Schema
}

// TypeLink is where a named type is described.
func TypeLink(name string) string { return "/docs/" + typePage(name) + "#schema-" + name }

// typePage is the page with a type.
func typePage(name string) string {
	found := typeStarts[0]
	for _, start := range typeStarts {
		if name >= start {
			found = start
		}
	}
	return "reference-types-" + strings.ToLower(found)
}

// typePages divides the named types, sorted by name. Pages without any are left out.
func (d *document) typePages() (pages []TypePage) {
	sorted := slices.Clone(d.Components.Schemas)
	slices.SortFunc(sorted, func(a, b entry[schema]) int { return strings.Compare(a.Key, b.Key) })
	for _, s := range sorted {
		name := typePage(s.Key)
		if len(pages) == 0 || pages[len(pages)-1].Page != name {
			pages = append(pages, TypePage{Page: name})
		}
		last := &pages[len(pages)-1]
		last.Schemas = append(last.Schemas, d.schema(s.Key, s.Value))
		last.Title = "Types: " + last.Schemas[0].Name + " to " + s.Key
	}
	return pages
}
