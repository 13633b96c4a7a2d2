// Package openapi reads the operations of an OpenAPI document, and the tools of a server of the Model
// Context Protocol, as actions that could be declared. It follows no reference out of a document. It
// imports the packages chat, act and apart.
package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/relay-chat/relay/bridges/ai/act"
	"github.com/relay-chat/relay/server/chat"
)

// Bounds of what is read of a document.
const (
	MaxDocument = 4 << 20  // bytes
	MaxAnswer   = 16 << 20 // bytes of the reader: all operations, each as long as an action may be
	maxListed   = 500      // operations
	maxAddress  = 2000
)

// The errors of a document.
var (
	errNoDocument = errors.New("it is not an OpenAPI document: that is JSON or YAML with “openapi” and “paths”")
	errOld        = errors.New("it is written in Swagger 2.0; relay reads OpenAPI 3.0 and 3.1, so convert it first")
	errVersion    = errors.New("relay reads OpenAPI 3.0 and 3.1 only")
)

// object is one of the document.
type object = map[string]any

// reading is a document that is being read.
type reading struct {
	root object
	// at is where the document was fetched, nil for one that was given.
	at    *url.URL
	taken map[string]bool // names of operations
	steps int             // that are left for schemas
}

// methods are those that an action may have, as a document names them, in the order of the list.
var methods = []string{"get", "post", "put", "patch", "delete"}

// Operations reads a document that was fetched at an address, "" for one that was given.
func Operations(document []byte, at string) (found chat.Operations, err error) {
	root, err := decode(document)
	if err != nil {
		return found, err
	}
	r := &reading{root: root, taken: map[string]bool{}}
	if at != "" {
		if r.at, err = url.Parse(at); err != nil {
			return found, errNoDocument
		}
	}
	found.Title = line(part(root, "info")["title"], 200)
	found.Operations = []chat.Operation{}
	paths := part(root, "paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, _ := r.resolve(paths[path])
		for _, method := range methods {
			op, is := item[method].(object)
			if !is {
				continue
			}
			if len(found.Operations) == maxListed {
				found.More++
				continue
			}
			found.Operations = append(found.Operations, r.operation(path, method, item, op))
		}
	}
	return found, nil
}

// decode reads JSON or YAML, which says what it is.
func decode(document []byte) (root object, err error) {
	document = bytes.TrimPrefix(document, []byte("\ufeff"))
	if len(document) > MaxDocument {
		return nil, fmt.Errorf("it is larger than %d MB", MaxDocument>>20)
	}
	if json.Unmarshal(document, &root) != nil {
		root = nil
		if err := yaml.Unmarshal(document, &root); err != nil {
			return nil, errNoDocument
		}
	}
	version, _ := root["openapi"].(string)
	switch {
	case root["swagger"] != nil:
		return nil, errOld
	case version == "" || root["paths"] == nil:
		return nil, errNoDocument
	case !strings.HasPrefix(version, "3.0.") && !strings.HasPrefix(version, "3.1."):
		return nil, errVersion
	}
	return root, nil
}

// part is an object in another one, which may be missing.
func part(of object, name string) object {
	found, _ := of[name].(object)
	return found
}

// line is a text of a document in one line, "" for what is none.
func line(value any, most int) string {
	text, _ := value.(string)
	return strings.TrimSpace(chat.Clip(chat.OneLine(text), most))
}

// maxHops bounds references to references.
const maxHops = 8

// resolve follows references within the document. One that leads elsewhere is an error.
func (r *reading) resolve(value any) (object, error) {
	for range maxHops {
		found, is := value.(object)
		ref, refers := found["$ref"].(string)
		if !is || !refers {
			return found, nil
		}
		inside, is := strings.CutPrefix(ref, "#/")
		if !is {
			return nil, errors.New("it refers to another document, which relay does not read")
		}
		value = r.root
		for _, name := range strings.Split(inside, "/") {
			if name, _ = url.PathUnescape(name); name == "" {
				return nil, errors.New("a reference leads nowhere")
			}
			in, _ := value.(object)
			value = in[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		}
		if value == nil {
			return nil, errors.New("a reference leads nowhere")
		}
	}
	return nil, errors.New("references lead to each other")
}

// none is the schema of an operation that is given nothing.
const none = `{"type":"object","properties":{}}`

// operation is one of the document, with why it cannot be an action if it cannot.
func (r *reading) operation(path, method string, item, op object) chat.Operation {
	out := chat.Operation{Name: r.name(op, method, path), Method: strings.ToUpper(method), Path: chat.Clip(chat.OneLine(path), 300), Changes: method != "get",
		About: cmp.Or(line(op["summary"], 500), line(op["description"], 500), strings.ToUpper(method)+" "+line(path, 200)), Parameters: chat.Raw(none)}
	out.Header = r.header(op)
	base, err := r.server(op, item)
	if err == nil {
		out.URL = strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(path, "/")
		out.Parameters, err = r.parameters(method, item, op)
	}
	if err == nil {
		err = usable(&out)
	}
	if err != nil {
		refuse(&out, err)
	}
	return out
}

// refuse keeps nothing of an operation that cannot be an action but what tells people which one it is.
func refuse(o *chat.Operation, why error) {
	o.URL, o.Parameters, o.Why = "", chat.Raw(none), chat.Clip(chat.OneLine(why.Error()), 300)
}

// usable reports why an action could not be declared as an operation says.
func usable(o *chat.Operation) error {
	a := chat.Action{Name: o.Name, About: o.About, Method: o.Method, URL: o.URL, Parameters: o.Parameters, Changes: o.Changes, Header: o.Header}
	if err := a.Check(); err != nil {
		return err
	}
	_, err := act.Prepare(&a)
	return err
}

var (
	notInName = regexp.MustCompile(`[^a-z0-9]+`)
	hump      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// name is what an action of an operation is called, which no other one of the document is.
func (r *reading) name(op object, method, path string) string {
	const longest = 36 // and a number
	from := cmp.Or(line(op["operationId"], 200), method+" "+line(path, 200))
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(hump.ReplaceAllString(from, "${1}_$2")), "_"), "_")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = method + "_" + name
	}
	name = strings.TrimRight(name[:min(len(name), longest)], "_")
	own := name
	for i := 2; r.taken[own]; i++ {
		own = fmt.Sprintf("%s_%d", name, i)
	}
	r.taken[own] = true
	return own
}

var (
	variable   = regexp.MustCompile(`\{[^{}]*\}`)
	errAddress = fmt.Errorf("its address is longer than %d characters", maxAddress)
)

// server is the address before an operation's path.
func (r *reading) server(op, item object) (string, error) {
	var first object
	for _, of := range []object{op, item, r.root} {
		if list, _ := of["servers"].([]any); len(list) > 0 && first == nil {
			first, _ = list[0].(object)
		}
	}
	variables := part(first, "variables")
	address := variable.ReplaceAllStringFunc(line(first["url"], maxAddress), func(whole string) string {
		if said, is := variables[whole[1:len(whole)-1]].(object); is {
			return line(said["default"], 200)
		}
		return whole
	})
	if len(address) > maxAddress {
		return "", errAddress
	}
	u, err := url.Parse(cmp.Or(address, "/"))
	if err == nil && r.at != nil {
		u = r.at.ResolveReference(u)
	}
	if err != nil || strings.ContainsAny(address, "{}") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the document does not say where its server is: it needs “servers”")
	}
	if address = u.String(); len(address) > maxAddress {
		return "", errAddress
	}
	return address, nil
}

// header is the header in which an operation wants its secret.
func (r *reading) header(op object) string {
	wanted, said := op["security"].([]any)
	if !said {
		wanted, _ = r.root["security"].([]any)
	}
	schemes := part(part(r.root, "components"), "securitySchemes")
	for _, one := range wanted {
		names, _ := one.(object)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			scheme, _ := r.resolve(schemes[name])
			if scheme["type"] == "apiKey" && scheme["in"] == "header" {
				return line(scheme["name"], 60)
			}
		}
	}
	return "Authorization"
}
