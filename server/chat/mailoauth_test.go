package chat

import (
	"encoding/json"
	"testing"
)

// TestTokensStay: who may change settings sends the token of a mailbox to nobody else.
func TestTokensStay(t *testing.T) {
	for provider, hosts := range map[string]map[string]bool{
		"google":             {"smtp.gmail.com": true, "smtp-relay.gmail.com": true, "evilgmail.com": false, "gmail.com.evil.example": false, "localhost": true, "127.0.0.1": true, "10.0.0.1": false},
		"microsoft:x":        {"smtp.office365.com": true, "OUTLOOK.office365.com.": true, "smtp.gmail.com": false},
		"https://id.example": {"mail.example": true},
		"":                   {"smtp.gmail.com": false},
	} {
		for host, want := range hosts {
			o := MailOAuth{Provider: provider}
			if got := o.Trusts(&MailHost{Host: host}); got != want {
				t.Errorf("%q gives its tokens to %s: %v", provider, host, got)
			}
		}
	}
	stored := map[string]Raw{"mailOauth": Raw(`"https://id.example"`), "mailOauthClient": Raw(`"c"`), "mailOauthSecret": Raw(`"s"`), "mailOauthToken": Raw(`"t"`),
		"smtpUrl": Raw(`"smtps://me@mail.example"`)}
	settings := SettingsOf(SettingList(), nil, stored)
	for server, keeps := range map[string]bool{`"smtps://you@mail.example:465"`: true, `"smtps://me@evil.example"`: false, `"smtps://me:password@evil.example"`: true} {
		changes, err := settings.Changes(map[string]json.RawMessage{"smtpUrl": json.RawMessage(server)})
		if err != nil {
			t.Fatal(err)
		}
		if _, dropped := changes["mailOauthToken"]; dropped == keeps {
			t.Errorf("with %s the changes are %v", server, changes)
		}
	}
	env := map[string]Raw{"mailOauth": Raw(`"https://id.example"`), "mailOauthToken": Raw(`"t"`)}
	if o := SettingsOf(SettingList(), env, map[string]Raw{"smtpUrl": Raw(`"smtps://me@evil.example"`)}).MailOAuth(); o.Token != "" {
		t.Error("the environment's token goes to a stored server")
	}
}
