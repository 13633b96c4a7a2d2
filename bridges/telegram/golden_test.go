package telegram_test

import (
	"encoding/json"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// summary is what inbound events say, without empty fields.
func summary(list []chat.Inbound) (out []map[string]any) {
	for _, in := range list {
		out = append(out, compact(in).(map[string]any))
	}
	return out
}

// compact turns a value into JSON's and leaves out what is empty.
func compact(v any) any {
	var generic any
	if err := json.Unmarshal([]byte(jsonOf(v)), &generic); err != nil {
		panic(err)
	}
	return prune(generic)
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if value = prune(value); value == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
		if len(v) == 0 {
			return nil
		}
		return v
	case string:
		if v == "" || strings.HasPrefix(v, "1970-01-01") {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	}
	return v
}
