package remote

import (
	"errors"
	"testing"
)

// TestUnclear: what relay refused was certainly not done; all else may have been.
func TestUnclear(t *testing.T) {
	for want, errs := range map[bool][]error{false: {nil, &Refusal{403, "no"}, &Refusal{429, "slowly"}}, true: {errors.New("broken off"), &Refusal{500, ""}, &Refusal{503, ""}}} {
		for _, err := range errs {
			if Unclear(err) != want {
				t.Errorf("Unclear(%v) = %v", err, !want)
			}
		}
	}
}
