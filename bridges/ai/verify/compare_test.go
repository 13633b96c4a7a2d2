package verify

import "testing"

func TestCompare(t *testing.T) {
	for _, tt := range []struct{ person, model, verdict, reason string }{
		{"Yes, within 5 days.", "We ship to Norway within five days.", Same, ""},
		{"We open at half past eight.", "The shop opens at 8:30.", Same, ""},
		{"It costs €4.90.", "Shipping is 4,90 EUR.", Same, ""},
		{"Within 5 days.", "Within 3 days.", Differs, OtherFact},
		{"Within 5 days, for 4.90 €.", "Within 5 days.", Differs, MissingFact},
		{"Yes, we do.", "Yes, from 20 € on.", Unclear, OtherFact},
		{"Sure, dogs are welcome in the garden.", "Dogs are welcome in our garden.", Same, ""},
		{"Sure, dogs are welcome in the garden.", "Dogs are not welcome in our garden.", Differs, Opposite},
		{"Ask Mia, please.", "Our lamps are made of clay.", Unclear, OtherWords},
		{"Wir öffnen um 9 Uhr.", "We open at 9:00.", Same, ""},
		{"Wir haben leider keine Teppiche, das tut uns leid.", "We only sell lamps and the shelves that you see here.", Unclear, OtherTongue},
		{"", "We sell lamps.", Unclear, OtherWords},
		{"👍", "", Unclear, OtherWords},
	} {
		if verdict, reason := Compare(tt.person, tt.model); verdict != tt.verdict || reason != tt.reason {
			t.Errorf("%q and %q: %s (%s), want %s (%s)", tt.person, tt.model, verdict, reason, tt.verdict, tt.reason)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("Within 5 days.", "In fünf Tagen.")
	f.Fuzz(func(t *testing.T, a, b string) {
		switch verdict, reason := Compare(a, b); verdict {
		case Same, Differs, Unclear:
			if (verdict == Same) != (reason == "") {
				t.Errorf("%s because of %q", verdict, reason)
			}
		default:
			t.Errorf("the verdict is %q", verdict)
		}
	})
}
