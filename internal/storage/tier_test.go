package storage_test

import (
	"strings"
	"testing"

	"plimsoll/internal/storage"
)

func TestTierWorkInWords(t *testing.T) {
	if text := (storage.TierWork{}).String(); text != "" {
		t.Errorf("a tier that did nothing says %q", text)
	}
	one := storage.TierWork{Hits: 20, Misses: 5, Promoted: 1e6, Dirty: 4e6}
	text := one.Plus(storage.TierWork{Hits: 70, Misses: 5, Bypassed: 3, WrittenBack: 2e6}).String()
	for _, want := range []string{"answered 90 % of 100 reads", "1.0 MB were copied to it", "2.0 MB were written back", "4.0 MB were dirty", "3 writes bypassed it"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	if text := (storage.TierWork{Bypassed: 1}).String(); !strings.Contains(text, "there were no reads") {
		t.Error(text)
	}
}
