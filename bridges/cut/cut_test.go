package cut

import "testing"

func TestLine(t *testing.T) {
	const family = "👩\u200d👩\u200d👧"
	for name, c := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"as it is":            {"Ada Lovelace", 20, "Ada Lovelace"},
		"lines and spaces":    {" Ada\r\n\t Lovelace\u2028here ", 20, "Ada Lovelace here"},
		"turned around":       {"a\u202ecod.exe", 20, "acod.exe"},
		"nothing to see":      {"\u200b\u2060\ufeff\u00ad", 20, ""},
		"broken":              {"a\xffb", 20, "ab"},
		"joined":              {family, 20, family},
		"Arabic number sign":  {"\u0600\u0661", 20, "\u0600\u0661"},
		"fits":                {"12345", 5, "12345"},
		"too long":            {"123456", 5, "1234…"},
		"no space at the cut": {"123 456", 5, "123…"},
		"pairs count two":     {"🚀🚀🚀", 5, "🚀🚀…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Line(c.text, c.limit); got != c.want || Units(got) > c.limit {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
