package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

const operationsPath = "/api/admin/ai/operations"

// TestReadOperations: an OpenAPI document, given or fetched, offers actions, and what it offers can be
// declared as it is.
func TestReadOperations(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), onThisMachine)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "":
			t.Errorf("the document is asked for with %v", r.Header)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/openapi.yaml", http.StatusFound)
		case r.URL.Path == "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case r.URL.Path == "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case r.URL.Path == "/openapi.yaml":
			fmt.Fprint(w, "openapi: 3.1.0\ninfo: {title: Shop}\nservers: [{url: /api}]\npaths:\n  /orders/{order}:\n    get:\n      summary: Says where an order is.\n"+
				"      parameters: [{name: order, in: path, required: true, schema: {type: string}}]\n")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(shop.Close)
	found := s.must("POST", operationsPath, secretKey, object{"url": shop.URL + "/moved"})
	one, _ := found.get("operations").([]any)
	if len(one) != 1 || found.text("title") != "Shop" {
		t.Fatalf("%s", found.body)
	}
	o := one[0].(map[string]any)
	if o["url"] != shop.URL+"/api/orders/{order}" || o["why"] != nil {
		t.Errorf("%v", o)
	}
	s.must("POST", actionsPath, secretKey, object{"name": o["name"], "about": o["about"], "method": o["method"], "url": o["url"], "changes": o["changes"], "parameters": o["parameters"],
		"header": o["header"], "identity": "order"})
	for address, why := range map[string]string{"/none": "answers 404", "/circle": "no answer", "/inside": "no answer"} {
		s.refused(s.call("POST", operationsPath, secretKey, object{"url": shop.URL + address}), 400, why)
	}
	s.refused(s.call("POST", operationsPath, secretKey, object{"url": "http://169.254.169.254/"}), 400, "not allowed")
	s.refused(s.call("POST", operationsPath, secretKey, object{"url": "file:///etc/passwd"}), 400, "must be an address")
	s.refused(s.call("POST", operationsPath, secretKey, object{"mcp": "http://169.254.169.254/"}), 400, "not allowed")
	s.refused(s.call("POST", operationsPath, secretKey, object{"mcp": shop.URL + "/none", "secret": "a\nb"}), 400, "secret must be")
	s.refused(s.call("POST", operationsPath, secretKey, object{"mcp": shop.URL + "/none"}), 400, "Model Context Protocol")
	s.refused(s.call("POST", operationsPath, secretKey, object{}), 400, "url, document or mcp is required")
	s.refused(s.call("POST", operationsPath, secretKey, object{"document": `{"swagger":"2.0"}`}), 400, "Swagger 2.0")
	s.refused(s.call("POST", operationsPath, secretKey, object{"document": strings.Repeat("x", 5<<20)}), 400, "larger than 4 MB")
	s.refused(s.call("POST", operationsPath, secretKey, object{"document": strings.Repeat("x", 7<<20)}), 413, "")
}
