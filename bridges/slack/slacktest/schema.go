package slacktest

import (
	"cmp"
	_ "embed" // the schema
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf16"
)

// api is the part of Slack's Web API that the bridge uses.
//
//go:embed testdata/api.json
var api []byte

type schema struct {
	Methods map[string]methodSpec `json:"methods"`
}

type methodSpec struct {
	Scope  string             `json:"scope"`
	App    bool               `json:"app"`    // takes the app token
	Writes bool               `json:"writes"` // changes what operators see
	Args   map[string]argSpec `json:"args"`
}

type argSpec struct {
	Kind     string   `json:"kind"`
	Required bool     `json:"required"`
	Min      int      `json:"min"`
	Max      int      `json:"max"`
	Allow    []string `json:"allow"`
	Scope    string   `json:"scope"`
}

func loadSchema() *schema {
	s := new(schema)
	if err := json.Unmarshal(api, s); err != nil {
		panic(err)
	}
	return s
}

// argKinds has the patterns of argument types.
var argKinds = map[string]*regexp.Regexp{
	"channel": regexp.MustCompile(`^[CG][A-Z0-9]{2,}$`),
	"user":    regexp.MustCompile(`^[UW][A-Z0-9]{2,}$`),
	"file":    regexp.MustCompile(`^F[A-Z0-9]{2,}$`),
	"ts":      regexp.MustCompile(`^[0-9]{1,10}\.[0-9]{6}$`),
	"bool":    regexp.MustCompile(`^(true|false|0|1)$`),
	"int":     regexp.MustCompile(`^[0-9]{1,12}$`),
	"line":    regexp.MustCompile(`^[^\n\r]+$`),
	"text":    regexp.MustCompile(`(?s)^.+$`),
}

// check returns a call's violations of the schema.
func (s *schema) check(method string, form url.Values, scopes []string) (faults []string) {
	m, known := s.Methods[method]
	if !known {
		return []string{"there is no method " + method}
	}
	for name, values := range form {
		arg, known := m.Args[name]
		switch {
		case name == "token":
		case !known:
			faults = append(faults, method+" has no "+name)
		case arg.Scope != "" && !slices.Contains(scopes, arg.Scope):
			faults = append(faults, method+"."+name+" needs "+arg.Scope)
		default:
			faults = append(faults, arg.check(method+"."+name, values[0])...)
		}
	}
	for name, arg := range m.Args {
		if arg.Required && !form.Has(name) {
			faults = append(faults, method+" needs "+name)
		}
	}
	slices.Sort(faults)
	return faults
}

func (a *argSpec) check(where, value string) []string {
	if form := argKinds[a.Kind]; form != nil && !form.MatchString(value) {
		return []string{fmt.Sprintf("%s is %q, no %s", where, value, a.Kind)}
	}
	if a.Allow != nil && !slices.Contains(a.Allow, value) {
		return []string{fmt.Sprintf("%s must not be %q", where, value)}
	}
	n := len(utf16.Encode([]rune(value)))
	switch a.Kind {
	case "int":
		n, _ = strconv.Atoi(value)
	case "text":
		if fires := unescaped.FindString(value); fires != "" {
			return []string{fmt.Sprintf("%s has %q, which means something to Slack", where, fires)}
		}
	case "metadata":
		return checkMetadata(where, value)
	case "blocks":
		if readBlocks(value) == "" {
			return []string{where + " is no rich text: " + value}
		}
	case "files":
		return checkFiles(where, value)
	}
	if a.Max > 0 && (n > a.Max || n < a.Min) {
		return []string{fmt.Sprintf("%s is %d, not %d to %d", where, n, a.Min, a.Max)}
	}
	return nil
}

// unescaped matches unescaped mentions, links, and an ampersand that
// begins no entity. A link that Slack itself made from an address is allowed.
var unescaped = regexp.MustCompile(`<[^h][^>]*>|<$|&(?:[^agl]|$)`)

// readBlocks returns the text of rich text blocks, "" for other values.
func readBlocks(value string) (shown string) {
	var blocks []struct {
		Type     string
		Elements []struct {
			Type     string
			Elements []struct{ Type, Text, URL string }
		}
	}
	if json.Unmarshal([]byte(value), &blocks) != nil || len(blocks) != 1 || blocks[0].Type != "rich_text" || len(blocks[0].Elements) != 1 {
		return ""
	}
	for _, e := range blocks[0].Elements[0].Elements {
		if e.Type != "text" && e.Type != "link" || e.Text+e.URL == "" {
			return ""
		}
		shown += cmp.Or(e.Text, e.URL)
	}
	return shown
}

func checkMetadata(where, value string) []string {
	var m struct {
		Type    string         `json:"event_type"`
		Payload map[string]any `json:"event_payload"`
	}
	if err := json.Unmarshal([]byte(value), &m); err != nil || m.Type == "" || m.Payload == nil {
		return []string{where + " lacks event_type or event_payload"}
	}
	return nil
}

func checkFiles(where, value string) []string {
	var list []struct{ ID, Title string }
	if err := json.Unmarshal([]byte(value), &list); err != nil || len(list) == 0 || !argKinds["file"].MatchString(list[0].ID) {
		return []string{where + " is no list of files"}
	}
	return nil
}
