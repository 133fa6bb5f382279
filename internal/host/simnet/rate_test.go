package simnet

import "testing"

func TestRates(t *testing.T) {
	for text, want := range map[string]uint64{"1gbit": 1e9, "10Gbit/s": 10e9, "100mbit": 100e6, "2.5gbit": 25e8} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "10", "10GB", "0gbit", "..gbit"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}
