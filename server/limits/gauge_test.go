package limits

import "testing"

// TestGaugeForgets: whoever has nothing open any more takes no memory.
func TestGaugeForgets(t *testing.T) {
	g := &New().AddressStreams
	for range StreamsPerAddress + 1 {
		if !g.Enter("203.0.113.1") {
			t.Fatal("a place was not freed")
		}
		g.Leave("203.0.113.1")
	}
	if len(g.open) != 0 {
		t.Errorf("places are taken: %v", g.open)
	}
}
