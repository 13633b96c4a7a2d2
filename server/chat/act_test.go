package chat_test

import (
	"fmt"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestActRequest: people read each value of a request exactly as it is sent, or the whole request in one line.
func TestActRequest(t *testing.T) {
	tests := []struct{ shown, want string }{
		{"POST https://shop.example/orders/47%2012/refund?dry=no " + `{"amount":19.90,"big":90071992547409931,"list":[1,"a"],"why":"a < \"b\"\n€","yes":null}`,
			`POST shop.example/orders/47%2012/refund dry=no; amount=19.90; big=90071992547409931; list=[1,"a"]; why=a < "b"` + "\n" + `€; yes=null; `},
		{"DELETE https://shop.example:8443/orders/1?customer=7%26x%3D8&a=", "DELETE shop.example:8443/orders/1 customer=7&x=8; a=; "},
		{`MCP https://shop.example/mcp#refund {"order":"1"}`, "MCP shop.example/mcp#refund order=1; "},
		{`PUT https://shop.example {}`, "PUT shop.example "},
		{`POST https://shop.example/x {"why":"cut o…`, ""},
		{`POST https://shop.example/x {"a":1} {"b":2}`, ""},
		{`POST https://shop.example/x [1]`, ""},
		{`POST https://shop.example/x?a=%zz`, ""},
		{`POST /x`, ""},
		{``, ""},
	}
	for _, tt := range tests {
		got := ""
		if r := (&chat.Act{Shown: tt.shown}).Request(); r != nil {
			got = r.Method + " " + r.Address + " "
			for _, a := range r.Arguments {
				got += fmt.Sprintf("%s=%s; ", a.Name, a.Value)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.shown, got, tt.want)
		}
	}
}
