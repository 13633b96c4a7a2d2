package chat

import (
	"reflect"
	"strings"
	"testing"
)

// TestCheckButtons: no button may open what a click must not, or look like something else.
func TestCheckButtons(t *testing.T) {
	long := strings.Repeat("ä", MaxButtonText)
	for _, good := range []Buttons{
		nil, {{Text: "Yes"}}, {{Text: long}}, {{Text: "Prices", URL: "https://shop.example/a?b=c&d#e"}}, {{Text: "Mail", URL: "mailto:a@shop.example"}},
		{{Text: "Local", URL: "http://[::1]:8080/"}}, {{Text: "1"}, {Text: "2"}, {Text: "3"}, {Text: "4"}, {Text: "5"}, {Text: "6"}},
	} {
		if err := good.Check(); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for want, bad := range map[string]Buttons{
		"buttons must be at most 6":     make(Buttons, 7),
		"buttons[0].text is required":   {{Text: " \t"}},
		"buttons[1].text must be at":    {{Text: "a"}, {Text: long + "b"}},
		"buttons[0].text must be one l": {{Text: "a\nb"}},
	} {
		if err := bad.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", bad, err, want)
		}
	}
	for _, url := range []string{
		"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "//shop.example", "/path", "shop.example",
		"https://", "https:shop.example", "https://bank.example@evil.example/", "https://a.example/\n", " https://a.example", "https://a.example/ b", "https://a\u202e.example/",
		"mailto:", "mailto:a", "mailto:a@b.example,c@d.example", "mailto:A%20%3Ca@b.example%3E", "https://a.example/" + strings.Repeat("x", 2000), "https://a.example/\xff", "blob:https://a.example/1",
	} {
		if err := (Buttons{{Text: "a", URL: url}}).Check(); err == nil || !strings.HasPrefix(err.Error(), "buttons[0].url must be") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestCutButtons: only whole lines at the end are buttons, and only if all of them may be.
func TestCutButtons(t *testing.T) {
	for _, tt := range []struct {
		text, content string
		want          Buttons
	}{
		{"Shall I?\n[[Yes]]\n[[No]]\n", "Shall I?", Buttons{{Text: "Yes"}, {Text: "No"}}},
		{"Shall I?\r\n\r\n  [[Yes]] [[ No ]]  \r\n", "Shall I?", Buttons{{Text: "Yes"}, {Text: "No"}}},
		{"See\n[[Prices | https://a.example/?b|c]]", "See", Buttons{{Text: "Prices", URL: "https://a.example/?b|c"}}},
		{"See\n[[Prices|https://a.example/]]", "See", Buttons{{Text: "Prices", URL: "https://a.example/"}}},
		{"a [[Yes]]", "a [[Yes]]", nil},
		{"[[Yes]]", "[[Yes]]", nil},
		{"a\n[[Yes]]\nb", "a\n[[Yes]]\nb", nil},
		{"a\n[[Yes]] or", "a\n[[Yes]] or", nil},
		{"a\n[[Run|javascript:x]]", "a\n[[Run|javascript:x]]", nil},
		{"a\n[[1]][[2]][[3]][[4]][[5]][[6]][[7]]", "a\n[[1]][[2]][[3]][[4]][[5]][[6]][[7]]", nil},
		{"a\n[[]]", "a\n[[]]", nil},
		{"a\n[[b", "a\n[[b", nil},
		{"", "", nil},
	} {
		content, got := CutButtons(tt.text)
		if content != tt.content || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %q, %v", tt.text, content, got)
		}
	}
}

func FuzzCutButtons(f *testing.F) {
	f.Add("Shall I?\n[[Yes]] [[Prices|https://a.example/]]")
	f.Fuzz(func(t *testing.T, text string) {
		content, list := CutButtons(text)
		if err := list.Check(); err != nil || len(content) > len(text) || len(list) == 0 && content != text {
			t.Errorf("%q: %q, %v, %v", text, content, list, err)
		}
	})
}
