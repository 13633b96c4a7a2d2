package openapi_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/act/openapi"
	"github.com/relay-chat/relay/bridges/apart"
	"github.com/relay-chat/relay/server/chat"
)

// TestMain is the reader when a test starts it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "read" {
		if err := openapi.ReadDocument(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "talk" {
		_, err := os.Stdout.WriteString(`{"Error":"` + strings.Repeat("x", openapi.MaxAnswer) + `"}`)
		fmt.Fprintln(os.Stderr, err)
		return
	}
	os.Exit(m.Run())
}

const shop = `
openapi: 3.0.3
info: {title: "The shop's API", version: "1"}
servers: [{url: "https://{where}.shop.example/v1/", variables: {where: {default: api}}}]
security: [{key: []}]
paths:
  /orders/{order}:
    parameters: [{$ref: '#/components/parameters/order'}]
    get:
      operationId: getOrderStatus
      summary: Says where an order is.
      parameters:
        - {name: customer, in: query, schema: {type: integer, minimum: 1}, description: Whose it is.}
        - {name: fields, in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
    delete: {description: "Cancels\nit."}
  /refunds:
    post:
      operationId: getOrderStatus
      requestBody:
        required: true
        content:
          application/json; charset=utf-8:
            schema: {$ref: '#/components/schemas/Refund'}
  /upload:
    put: {requestBody: {required: true, content: {image/png: {}}}}
  /foreign:
    get: {parameters: [{name: a, in: query, required: true, schema: {$ref: 'https://evil.example/a.yaml#/x'}}]}
  /lost:
    get: {parameters: [{$ref: 'other.yaml#/p'}]}
  /traced:
    get: {parameters: [{name: X-Trace, in: header, required: true, schema: {type: string}}]}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Api-Key}}
  parameters: {order: {name: order, in: path, required: true, schema: {type: string, pattern: '^(?=4)\d+$', maxLength: 10}}}
  schemas:
    Base: {type: object, required: [order], properties: {order: {type: string}, id: {type: string, readOnly: true}}}
    Refund:
      allOf: [{$ref: '#/components/schemas/Base'}]
      required: [amount]
      properties:
        amount: {type: number, maximum: 100, exclusiveMaximum: true}
        why: {type: [string, 'null'], enum: [late, broken]}
        parts: {type: array, items: {$ref: '#/components/schemas/Refund'}}
        odd: {}
`

// TestOperations: what a document offers becomes actions as they are declared by hand; what relay cannot
// send says why.
func TestOperations(t *testing.T) {
	found, err := openapi.Read(t.Context(), []string{os.Args[0], "read"}, []byte(shop), "")
	if err != nil || found.Title != "The shop's API" {
		t.Fatalf("%+v, %v", found, err)
	}
	want := map[string]struct{ name, about, why, has, lacks string }{
		"GET /orders/{order}":    {"get_order_status", "Says where an order is.", "", `"customer":{"description":"Whose it is.","minimum":1,"type":"integer"}`, "pattern"},
		"DELETE /orders/{order}": {"delete_orders_order", "Cancels it.", "", `"required":["order"]`, "customer"},
		"POST /refunds":          {"get_order_status_2", "POST /refunds", "", `"required":["amount","order"]`, `"id"`},
		"PUT /upload":            {"put_upload", "PUT /upload", "its body is not a JSON object", `"properties":{}`, "png"},
		"GET /foreign":           {"get_foreign", "GET /foreign", "which relay cannot send", `"properties":{}`, "evil"},
		"GET /lost":              {"get_lost", "GET /lost", "another document", `"properties":{}`, "other"},
		"GET /traced":            {"get_traced", "GET /traced", "X-Trace", `"properties":{}`, "Trace"},
	}
	if len(found.Operations) != len(want) {
		t.Errorf("there are %d operations", len(found.Operations))
	}
	for _, o := range found.Operations {
		w, schema := want[o.Method+" "+o.Path], string(o.Parameters)
		if o.Name != w.name || o.About != w.about || !strings.Contains(o.Why, w.why) || (o.Why == "") != (w.why == "") || !strings.Contains(schema, w.has) || strings.Contains(schema, w.lacks) {
			t.Errorf("%+v\n%s\nwant %+v", o, schema, w)
		}
		if address := "https://api.shop.example/v1" + o.Path; (o.URL != address || o.Why != "") && (o.URL != "" || o.Why == "") || o.Header != "X-Api-Key" || o.Changes != (o.Method != "GET") {
			t.Errorf("%+v", o)
		}
	}
}

// TestRelativeServer: an address in a document may be relative to where that is.
func TestRelativeServer(t *testing.T) {
	for at, want := range map[string]string{"": "", "https://shop.example/docs/openapi.json": "https://shop.example/docs/v2/x"} {
		found, err := openapi.Operations([]byte(`{"openapi":"3.1.0","servers":[{"url":"v2"}],"paths":{"/x":{"get":{}}}}`), at)
		if err != nil || len(found.Operations) != 1 || found.Operations[0].URL != want || (found.Operations[0].Why == "") != (want != "") {
			t.Errorf("at %q: %+v, %v", at, found, err)
		}
	}
}

// TestServerVariables: a variable stands for its default, once: what a default has in braces is no variable,
// and none makes an address longer than one may be.
func TestServerVariables(t *testing.T) {
	long := strings.Repeat("x", 200)
	for name, c := range map[string]struct{ server, url string }{
		"a default":       {`{"url":"https://{a}.example/{b}","variables":{"a":{"default":"shop"},"b":{"default":"v1"}}}`, "https://shop.example/v1/x"},
		"braces":          {`{"url":"https://{a}.example","variables":{"a":{"default":"{b}"},"b":{"default":"evil"}}}`, ""},
		"braces in path":  {`{"url":"https://shop.example/{a}","variables":{"a":{"default":"{b}"},"b":{"default":"evil"}}}`, ""},
		"none":            {`{"url":"https://shop.example/{c}"}`, ""},
		"too long":        {`{"url":"https://shop.example/` + strings.Repeat("{a}", 660) + `","variables":{"a":{"default":"` + long + `"}}}`, ""},
		"longer yet":      {`{"url":"https://shop.example/` + strings.Repeat("{a}", 660) + `","variables":{"a":{"default":"` + strings.Repeat("{b}", 66) + `"},"b":{"default":"` + long + `"}}}`, ""},
		"long when coded": {`{"url":"https://shop.example/` + strings.Repeat("é", 900) + `"}`, ""},
	} {
		for range 3 {
			var paths strings.Builder
			for i := range 500 {
				paths.WriteString(`,"/x` + strings.Repeat("y", i%7) + strings.Repeat("z", i/7) + `":{"get":{}}`)
			}
			found, err := openapi.Operations([]byte(`{"openapi":"3.0.0","servers":[`+c.server+`],"paths":{`+paths.String()[1:]+`}}`), "")
			if err != nil || len(found.Operations) != 500 {
				t.Fatalf("%s: %d operations, %v", name, len(found.Operations), err)
			}
			if o := found.Operations[0]; o.URL != c.url || (o.Why == "") != (c.url != "") {
				t.Fatalf("%s: %s, %s", name, o.URL, o.Why)
			}
			if n := len(chat.MustJSON(found)); n > 500<<10 {
				t.Fatalf("%s: the answer has %d bytes", name, n)
			}
		}
	}
}

// TestReaderSaysTooMuch: relay keeps no more of what the reader says than a document's operations can be.
func TestReaderSaysTooMuch(t *testing.T) {
	if _, err := openapi.Read(t.Context(), []string{os.Args[0], "talk"}, []byte(shop), ""); !errors.Is(err, apart.ErrTooMuch) {
		t.Errorf("%v", err)
	}
}

// bombs are documents that want to eat the machine.
func bombs() map[string]string {
	var laughs strings.Builder
	laughs.WriteString("openapi: 3.0.0\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 12; i++ {
		n, before := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 1 {
			before = "a0"
		}
		laughs.WriteString(n + ": &" + n + " [" + strings.Repeat("*"+before+",", 9) + "*" + before + "]\n")
	}
	laughs.WriteString("paths: {}\n")
	return map[string]string{
		"laughs":      laughs.String(),
		"deep":        `{"openapi":"3.0.0","paths":` + strings.Repeat("[", 1<<20),
		"deep YAML":   "openapi: 3.0.0\npaths: " + strings.Repeat("{a: ", 1<<18),
		"many signs":  "openapi: 3.0.0\npaths: [" + strings.Repeat("[],", 1<<20) + "]",
		"too large":   `{"openapi":"3.0.0","paths":{},"x":"` + strings.Repeat("x", openapi.MaxDocument) + `"}`,
		"no document": "hello",
		"a list":      "[]",
		"old":         `{"swagger":"2.0","paths":{}}`,
		"new":         `{"openapi":"4.0.0","paths":{}}`,
	}
}

// TestHostileDocuments: a document that is none, or eats the machine, is an error, and relay goes on.
func TestHostileDocuments(t *testing.T) {
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			if found, err := openapi.Read(t.Context(), []string{os.Args[0], "read"}, []byte(text), ""); err == nil && len(found.Operations) > 0 {
				t.Errorf("it is read as %+v", found)
			} else if err == nil && name != "many signs" {
				t.Error("it is read")
			}
		})
	}
}

// TestCircles: schemas that have each other, and references that lead to each other, end.
func TestCircles(t *testing.T) {
	var many strings.Builder
	for i := range 40 {
		many.WriteString(`,"p` + strings.Repeat("x", i) + `":{"$ref":"#/components/schemas/A"}`)
	}
	found, err := openapi.Operations([]byte(`{"openapi":"3.0.0","servers":[{"url":"https://shop.example"}],"paths":{
		"/a":{"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}},
		"/b":{"$ref":"#/paths/~1b","get":{}},
		"/c":{"get":{"parameters":[{"name":"x","in":"query","required":true,"schema":{"$ref":"#/components/schemas/C"}}]}}},
		"components":{"schemas":{"A":{"type":"object","properties":{"a":{"type":"string"}`+many.String()+`}},"C":{"$ref":"#/components/schemas/C"}}}}`), "")
	if err != nil || len(found.Operations) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, o := range found.Operations {
		if o.Why == "" {
			t.Errorf("%s can be an action: %s", o.Path, o.Parameters)
		}
	}
}

// FuzzOperations: no document makes relay fail, and what it offers can be declared.
func FuzzOperations(f *testing.F) {
	f.Add([]byte(shop), "https://shop.example/openapi.yaml")
	for _, text := range bombs() {
		if len(text) < 10000 {
			f.Add([]byte(text), "")
		}
	}
	f.Fuzz(func(t *testing.T, document []byte, at string) {
		found, err := openapi.Operations(document, at)
		if err != nil {
			return
		}
		for _, o := range found.Operations {
			a := chat.Action{Name: o.Name, About: o.About, Method: o.Method, URL: o.URL, Parameters: o.Parameters, Changes: o.Changes, Header: o.Header}
			if o.Why == "" && a.Check() != nil {
				t.Errorf("%+v cannot be declared", o)
			}
		}
	})
}
