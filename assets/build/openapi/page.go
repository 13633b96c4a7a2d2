package openapi

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Page is what a page about the document shows. Intros and descriptions are
// Markdown.
type Page struct {
	Title, Summary, Version string
	Intro                   string
	Groups                  []Group
	Errors                  []Answer
	Types                   []TypePage
}

// Group is the operations of one tag. Page is its place below /docs.
type Group struct {
	ID, Name   string
	Page       string
	Intro      string
	Parameters []Field // those of each operation, if all have the same
	Operations []Operation
}

// Operation is a method of a path.
type Operation struct {
	ID, Method, Path, Summary string
	Head                      bool // HEAD is answered, too
	Intro                     string
	Keys                      []string // what has to be brought: one of them
	Parameters                []Field
	Bodies                    []Body
	Answers                   []Answer
	Errors                    []string // statuses
}

// Body is a body of one type.
type Body struct {
	ContentType string
	Type        []Span
	Fields      []Field // of a schema without a name
	Examples    []Example
}

// Answer is what an operation answers with one status.
type Answer struct {
	Status string
	Text   string
	Bodies []Body
}

// Example is a body as it may look.
type Example struct{ Title, Text string }

// Read makes the page of a document.
func Read(data []byte) (*Page, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	page := &Page{Title: d.Info.Title, Summary: d.Info.Summary, Version: d.Info.Version, Intro: d.Info.Description}
	for _, tag := range d.Tags {
		slug := Slug(tag.Name)
		group := Group{ID: "tag-" + slug, Page: "reference-" + slug, Name: tag.Name, Intro: tag.Description}
		for _, path := range slices.Concat(d.Paths, d.Webhooks) {
			group.Operations = append(group.Operations, d.operations(tag.Name, path.Key, path.Value)...)
		}
		group.share()
		page.Groups = append(page.Groups, group)
	}
	page.Errors = d.errors()
	page.Types = d.typePages()
	return page, nil
}

// Slug makes an anchor of a title: its letters and digits, with a hyphen for each space.
func Slug(title string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '-':
			return unicode.ToLower(c)
		}
		return -1
	}, title)
}

// share names parameters once that all operations of the group have.
func (g *Group) share() {
	if len(g.Operations) < 2 {
		return
	}
	first := g.Operations[0].Parameters
	for _, op := range g.Operations {
		if !reflect.DeepEqual(op.Parameters, first) {
			return
		}
	}
	g.Parameters = first
	for i := range g.Operations {
		g.Operations[i].Parameters = nil
	}
}

// operations makes the operations of a path that have a tag.
func (d *document) operations(tag, path string, item pathItem) (list []Operation) {
	for _, m := range []struct {
		method string
		op     *operation
	}{{"GET", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch}, {"DELETE", item.Delete}} {
		if m.op == nil || !slices.Contains(m.op.Tags, tag) {
			continue
		}
		op := Operation{ID: "op-" + m.op.OperationID, Method: m.method, Path: path, Summary: m.op.Summary,
			Head: m.method == "GET" && item.Head != nil, Intro: m.op.Description, Keys: d.keys(m.op.Security),
			Bodies: d.bodies(m.op.RequestBody.Content)}
		for _, p := range slices.Concat(item.Parameters, m.op.Parameters) {
			op.Parameters = append(op.Parameters, d.field(d.parameter(p)))
		}
		for _, r := range m.op.Responses {
			if r.Key >= "4" {
				op.Errors = append(op.Errors, r.Key)
			} else {
				op.Answers = append(op.Answers, d.answer(r.Key, r.Value))
			}
		}
		list = append(list, op)
	}
	return list
}

// keys names what opens an operation, one way each.
func (d *document) keys(security []map[string][]string) (list []string) {
	for _, way := range security {
		var parts []string
		for _, scheme := range d.Components.SecuritySchemes {
			if scopes, needed := way[scheme.Key]; needed {
				parts = append(parts, scheme.Value.words(scheme.Key)+withScopes(scopes))
			}
		}
		list = append(list, strings.Join(parts, " + "))
	}
	return list
}

// withScopes says what a key must be for.
func withScopes(scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	return " with " + strings.Join(scopes, ", ")
}

// words say how a key is brought.
func (s securityScheme) words(name string) string {
	switch s.In {
	case "header":
		return s.Name
	case "query":
		return "?" + s.Name + "="
	case "cookie":
		return "console cookie"
	}
	return strings.TrimSuffix(name, "Key") + " key as bearer"
}

func (d *document) answer(status string, r response) Answer {
	r = d.response(r)
	return Answer{Status: status, Text: r.Description, Bodies: d.bodies(r.Content)}
}

// errors lists the shared error answers once, by status.
func (d *document) errors() (list []Answer) {
	status := map[string]string{}
	for _, path := range d.Paths {
		for _, op := range []*operation{path.Value.Get, path.Value.Post, path.Value.Patch, path.Value.Delete} {
			if op == nil {
				continue
			}
			for _, r := range op.Responses {
				if r.Key >= "4" && r.Value.Ref != "" {
					status[nameOf(r.Value.Ref)] = r.Key
				}
			}
		}
	}
	for _, r := range d.Components.Responses {
		if code := status[r.Key]; code != "" && r.Value.Content.get("application/json") != nil {
			list = append(list, d.answer(code, r.Value))
		}
	}
	slices.SortStableFunc(list, func(a, b Answer) int { return cmp.Compare(a.Status, b.Status) })
	return list
}

// bodies makes the bodies of an answer or a request.
func (d *document) bodies(content ordered[media]) (list []Body) {
	for _, c := range content {
		body := Body{ContentType: c.Key}
		shown := c.Value.Schema
		if shown != nil {
			body.Type = d.typeOf(*shown)
			if shown.Ref == "" {
				body.Fields = d.fields(*shown)
			}
		}
		for _, one := range []yaml.Node{c.Value.Example, c.Value.Excerpt} {
			if one.Kind != 0 {
				body.Examples = append(body.Examples, Example{Text: example(&one)})
			}
		}
		for i := range c.Value.Examples {
			e := &c.Value.Examples[i]
			body.Examples = append(body.Examples, Example{cmp.Or(e.Value.Summary, e.Key), example(&e.Value.Value)})
		}
		list = append(list, body)
	}
	return list
}
