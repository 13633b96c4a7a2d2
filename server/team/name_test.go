package team

import "testing"

func TestCheckName(t *testing.T) {
	for name, want := range map[string]bool{
		"Ada Lovelace": true, "José": true, "Søren Kierkegård": true, "Анна": true, "Άννα": true, "山田 太郎": true, "田中ケン": true, "Ken 田中": true, "김민준": true, "مریم": true,
		"علی\u200cرضا": true, "क्\u200dष": true, "O’Brien": true, "Ada 🌻": true, "Anna Анна": true, "R2-D2": true,
		"": false, "A\nda": false, "А\u0064а": false, "Аda Admin": false, "Adα": false, "A\u200bda": false, "Ada\u202e": false, "\u2066Ada": false, "Ada\u200d": false,
		"Ada\ufe0f": false, "Ada\u3164": false, "\u2800": false, "Ａｄａ": false, "𝐀𝐝𝐚": false, "Ⓐda": false, "Ada\u00ad": false, "Ada\U000e0041": false,
	} {
		if err := CheckName(name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestLooks(t *testing.T) {
	for _, pair := range [][2]string{{"Coco", "Сосо"}, {"Ada Lovelace", "ada  lovelace"}, {"OTTO", "ОТТО"}, {"Bob", "B0b"}, {"NINA", "ΝΙΝΑ"}} {
		if looks(pair[0]) != looks(pair[1]) {
			t.Errorf("%q and %q look different: %q, %q", pair[0], pair[1], looks(pair[0]), looks(pair[1]))
		}
	}
	if looks("Ada") == looks("Ida") || looks("Анна") == looks("Алла") {
		t.Error("different names look alike")
	}
}
