package openapi

import (
	"strings"
	"testing"
)

const small = `
openapi: 3.1.0
info: {title: t, version: "1"}
tags: [{name: A b}]
paths:
  /x/{id}:
    parameters:
      - {$ref: '#/components/parameters/Id'}
    get:
      tags: [A b]
      operationId: readX
      security: [{secretKey: []}, {secretKey: [], header: []}]
      responses:
        '200':
          description: The x.
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/X'}}
              example: [{b: 1, a: "2", c: {}, d: []}]
        '404': {$ref: '#/components/responses/NotFound'}
    head: {tags: [A b], operationId: headX}
components:
  securitySchemes:
    secretKey: {type: http, scheme: bearer}
    header: {type: apiKey, in: header, name: X-Token}
  parameters:
    Id: {name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 9}}
  responses:
    NotFound: {description: Gone., content: {application/json: {}}}
  schemas:
    X:
      type: object
      required: [z]
      properties:
        z: {type: [integer, 'null'], minimum: 0, maximum: 5, default: 3}
        a: {enum: [p, q]}
`

func TestRead(t *testing.T) {
	page, err := Read([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	op := page.Groups[0].Operations[0]
	for _, tt := range []struct{ name, got, want string }{
		{"group", page.Groups[0].ID, "tag-a-b"},
		{"operation", op.Method + " " + op.Path + " " + op.ID, "GET /x/{id} op-readX"},
		{"keys", strings.Join(op.Keys, " or "), "secret key as bearer or secret key as bearer + X-Token"},
		{"parameter", op.Parameters[0].Name + " " + op.Parameters[0].In + " " + strings.Join(op.Parameters[0].Rules, ", "), "id path 1 to 9 characters"},
		{"answer", flat(op.Answers[0].Bodies[0].Type), "list of X/docs/reference-types-t#schema-X"},
		{"example", op.Answers[0].Bodies[0].Examples[0].Text, "[\n  {\n    \"b\": 1,\n    \"a\": \"2\",\n    \"c\": {},\n    \"d\": []\n  }\n]"},
		{"errors", strings.Join(op.Errors, " ") + page.Errors[0].Text, "404Gone."},
		{"schema", page.Types[0].Schemas[0].Fields[0].Name + " " + flat(page.Types[0].Schemas[0].Fields[0].Type) + ", " + strings.Join(page.Types[0].Schemas[0].Fields[0].Rules, ", "), "z integer or null, 0 to 5, default 3"},
		{"choices", flat(page.Types[0].Schemas[0].Fields[1].Type), "`p` or `q`"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if !op.Head {
		t.Error("HEAD is not noted")
	}
	for _, broken := range []string{"", "a: [", "paths: 7", "paths: {/x: 7}"} {
		if _, err := Read([]byte(broken)); err == nil {
			t.Errorf("%q was read", broken)
		}
	}
}

// flat writes spans as one text.
func flat(spans []Span) (text string) {
	for _, s := range spans {
		if s.Code {
			text += "`" + s.Text + "`"
		} else {
			text += s.Text + s.Link
		}
	}
	return text
}

// TestShare: parameters that all operations of a group have are named once.
func TestShare(t *testing.T) {
	same, other := []Field{{Name: "a"}}, []Field{{Name: "b"}}
	for _, tt := range []struct {
		name   string
		given  [][]Field
		shared int
	}{
		{"all have the same", [][]Field{same, same}, 1},
		{"one differs", [][]Field{same, other}, 0},
		{"one has none", [][]Field{same, nil}, 0},
		{"a single operation", [][]Field{same}, 0},
	} {
		var g Group
		for _, parameters := range tt.given {
			g.Operations = append(g.Operations, Operation{Parameters: parameters})
		}
		g.share()
		if len(g.Parameters) != tt.shared || (len(g.Operations[0].Parameters) == 0) != (tt.shared > 0) {
			t.Errorf("%s: %d shared, %d left", tt.name, len(g.Parameters), len(g.Operations[0].Parameters))
		}
	}
}
