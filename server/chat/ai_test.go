package chat

import (
	"encoding/json"
	"testing"
)

// TestAIKeyStays: who may change settings sends the key of a model to nobody else.
func TestAIKeyStays(t *testing.T) {
	stored := map[string]Raw{"aiBaseUrl": Raw(`"https://api.example.com/v1"`), "aiApiKey": Raw(`"sk"`)}
	for _, c := range []struct {
		name, to, key string
		from          string // "" is where the key was set for
		keeps         bool
	}{
		{name: "another path", to: `"https://API.example.com:443/v2"`, keeps: true},
		{name: "another server", to: `"https://evil.example/v1"`},
		{name: "another port", to: `"https://api.example.com:8443/v1"`},
		{name: "none", to: `null`},
		{name: "this machine", to: `"http://127.0.0.1:11434/v1"`, keeps: true},
		{name: "another server by way of this machine", from: `"http://localhost:11434/v1"`, to: `"https://evil.example/v1"`},
		{name: "another server with its key", to: `"https://other.example/v1"`, key: `"sk-other"`, keeps: true},
		{name: "another server with what the console shows of the key", to: `"https://evil.example/v1"`, key: `"••••"`},
		{name: "the first server", from: `""`, to: `"https://api.example.com/v1"`, keeps: true},
	} {
		before := map[string]Raw{"aiBaseUrl": stored["aiBaseUrl"], "aiApiKey": stored["aiApiKey"]}
		if c.from != "" {
			before["aiBaseUrl"] = Raw(c.from)
		}
		patch := map[string]json.RawMessage{"aiBaseUrl": json.RawMessage(c.to)}
		if c.key != "" {
			patch["aiApiKey"] = json.RawMessage(c.key)
		}
		changes, err := SettingsOf(SettingList(), nil, before).Changes(patch)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		value, changed := changes["aiApiKey"]
		if dropped := changed && value == nil; dropped == c.keeps {
			t.Errorf("%s: the changes are %v", c.name, changes)
		}
	}
	env := map[string]Raw{"aiApiKey": Raw(`"sk"`)}
	for address, want := range map[string]string{`"https://evil.example"`: "", `"http://localhost:11434"`: "sk"} {
		if ai := SettingsOf(SettingList(), env, map[string]Raw{"aiBaseUrl": Raw(address)}).AI(); ai.Key != want || ai.Withheld != (want == "") {
			t.Errorf("%s gets %+v with the environment's key", address, ai)
		}
	}
	env["aiBaseUrl"] = Raw(`"https://api.example.com"`)
	if ai := SettingsOf(SettingList(), env, nil).AI(); ai.Key != "sk" || ai.Withheld {
		t.Errorf("beside its address it is %+v", ai)
	}
}
