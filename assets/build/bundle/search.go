package bundle

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/relay-chat/relay/assets/build/openapi"
)

// place is something that the search finds: a heading, an operation, a type or a setting,
// with the text below it.
type place struct{ Title, Link, Text string }

// placeGroup is the places of one page.
type placeGroup struct {
	Title, Link string
	Places      []place
}

// index lists every place of the documentation, in the order of its pages.
func (m *manual) index() (groups []placeGroup) {
	for _, g := range m.guides {
		groups = append(groups, placeGroup{g.Title, "/docs/" + g.Name, g.Places})
	}
	for _, g := range m.API.Groups {
		group := placeGroup{"API: " + g.Name, "/docs/" + g.Page, nil}
		for i := range g.Operations {
			group.Places = append(group.Places, operationPlace(g.Page, &g.Operations[i]))
		}
		groups = append(groups, group)
	}
	for _, page := range m.API.Types {
		group := placeGroup{"API " + strings.ToLower(page.Title[:1]) + page.Title[1:], "/docs/" + page.Page, nil}
		for _, s := range page.Schemas {
			group.Places = append(group.Places, place{s.Name, openapi.TypeLink(s.Name), plain(s.Intro) + names(s.Fields)})
		}
		groups = append(groups, group)
	}
	return groups
}

func operationPlace(page string, op *openapi.Operation) place {
	text := op.Method + " " + op.Path + " " + plain(op.Intro) + names(op.Parameters)
	for _, body := range op.Bodies {
		text += names(body.Fields)
	}
	return place{op.Summary, "/docs/" + page + "#" + op.ID, strings.TrimSpace(text)}
}

// names are those of fields, behind a text.
func names(fields []openapi.Field) (text string) {
	for _, f := range fields {
		text += " " + f.Name
	}
	return text
}

// plain is Markdown without its marks, on one line.
func plain(markdown string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("`", "", "**", "", "*", "").Replace(markdown)), " ")
}

// guidePlaces divides a guide by its headings.
func guidePlaces(doc ast.Node, source []byte, link string) (places []place) {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			to := link
			if h.Level > 1 {
				to += "#" + idOf(h)
			}
			places = append(places, place{Title: textOf(h, source), Link: to})
			continue
		}
		if len(places) > 0 {
			last := &places[len(places)-1]
			last.Text = strings.TrimSpace(last.Text + " " + textOf(n, source))
		}
	}
	return places
}

// idOf is a heading's anchor.
func idOf(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	text, _ := id.([]byte)
	return string(text)
}

// textOf is the text of a node on one line.
func textOf(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch t, isText := n.(*ast.Text); {
		case isText && entering:
			out.Write(t.Segment.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				out.WriteByte(' ')
			}
		case n.Type() == ast.TypeBlock && entering:
			out.WriteByte(' ')
			if code, ok := n.(*ast.FencedCodeBlock); ok {
				out.Write(code.Lines().Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}
