package discordtest

import (
	_ "embed" // the schema
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// api is the part of Discord's official OpenAPI document that the bridge
// uses. Properties that it must not use are left out.
//
//go:embed testdata/api.json
var api []byte

type schema struct {
	Operations map[string]operation `json:"operations"`
	Schemas    bridgetest.Schemas   `json:"schemas"`
}

type operation struct {
	Query []string           `json:"query"`
	Body  *bridgetest.Schema `json:"body"`
}

func loadSchema() *schema {
	s := new(schema)
	if err := json.Unmarshal(api, s); err != nil {
		panic(err)
	}
	return s
}

// operation finds the operation of a request and the values in its path.
func (s *schema) operation(method, path string) (name string, values []string) {
	words := strings.Split(path, "/")
	for op := range s.Operations {
		verb, template, _ := strings.Cut(op, " ")
		want := strings.Split(template, "/")
		if verb != method || len(want) != len(words) {
			continue
		}
		var found []string
		fits := true
		for i, w := range want {
			if strings.HasPrefix(w, "{") && words[i] != "@me" {
				found = append(found, words[i])
			} else {
				fits = fits && w == words[i]
			}
		}
		if fits {
			return op, found
		}
	}
	return "", nil
}

// starred is an operation with * for what is in braces.
func (s *schema) starred(request string) string {
	method, path, _ := strings.Cut(request, " ")
	op, _ := s.operation(method, path)
	return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(op, "*")
}

// check returns what the schema forbids in a request.
func (s *schema) check(op string, query map[string][]string, body any) (faults []string) {
	o := s.Operations[op]
	for name := range query {
		if !slices.Contains(o.Query, name) {
			faults = append(faults, op+" has no query "+name)
		}
	}
	switch {
	case o.Body == nil && body != nil:
		faults = append(faults, op+" takes no body")
	case o.Body != nil:
		faults = append(faults, s.Schemas.Check(op, o.Body, body)...)
	}
	return faults
}
