package chat

import "testing"

func TestPrice(t *testing.T) {
	for text, want := range map[string]string{
		"0.60 €": "0.02 €", "0,60EUR": "0.02 EUR", "$0.6": "$0.02", " 12 CHF ": "0.31 CHF", "¥100": "¥2.53", "0 €": "0.00 €",
	} {
		if p, err := ParsePrice(text); err != nil || p.Of(25_250) != want {
			t.Errorf("25,250 tokens at %q cost %q (%v), want %q", text, p.Of(25_250), err, want)
		}
	}
	for _, text := range []string{"", "free", "0.6", "€", "-1 €", "1e9 €", "1234567 €", "0.60 € each"} {
		if p, err := ParsePrice(text); err == nil {
			t.Errorf("%q is the price %+v", text, p)
		}
	}
	if got := (&Price{}).Of(5); got != "" {
		t.Errorf("without a price tokens cost %q", got)
	}
}
