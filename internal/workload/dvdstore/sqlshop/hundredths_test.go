package sqlshop

import "testing"

func TestHundredths(t *testing.T) {
	for text, want := range map[string]int64{"12.99": 1299, "0.05": 5, "7": 700, "7.5": 750, "1234567.00": 123456700, "0": 0} {
		if got, err := hundredths([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"-1", "1.234", "1.2.3", "x", "1e5"} {
		if got, err := hundredths([]byte(text)); err == nil {
			t.Errorf("%s: got %d, want an error", text, got)
		}
	}
}
