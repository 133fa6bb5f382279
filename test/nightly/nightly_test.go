package nightly

import "testing"

func TestTheNightRepeats(t *testing.T) {
	for value, want := range map[string]int{"": 2, "1": 5} {
		t.Setenv(Variable, value)
		if got := Times(2, 5); got != want {
			t.Errorf("with %q: %d times", value, got)
		}
		skipped := true
		t.Run("repetition"+value, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			Only(t, "this test")
		})
		if skipped == On() {
			t.Errorf("with %q: skipped %t", value, skipped)
		}
	}
}
