package chat

import "testing"

func TestFieldOf(t *testing.T) {
	for text, want := range map[string][2]string{
		"email must be an e-mail address, like ada@example.com": {"email", "must be an e-mail address, like ada@example.com"},
		"url is not allowed: it is in a private network":        {"url", "is not allowed: it is in a private network"},
		"attachments.types must be MIME types":                  {"attachments.types", "must be MIME types"},
		"starters[] must be a string":                           {"starters[]", "must be a string"},
		"a tag must be 1 to 40 letters":                         {},
		"a has two fields":                                      {},
		"The passkey is not known":                              {},
		"unknown setting colour":                                {},
		"relay does not know who you are":                       {},
		"":                                                      {},
	} {
		if field, problem := FieldOf(text); field != want[0] || problem != want[1] {
			t.Errorf("%q: %q, %q, want %q", text, field, problem, want)
		}
	}
}
