package naming

import "testing"

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1 KB", 1499: "1 KB", 1500: "2 KB", 999_499: "999 KB",
		999_500: "1 MB", 1 << 20: "1 MB", 10 << 20: "10.5 MB", 50_000_000: "50 MB", 2 << 30: "2147.5 MB"} {
		if got := Size(bytes); got != want {
			t.Errorf("Size(%d) = %q, want %q", bytes, got, want)
		}
	}
}
