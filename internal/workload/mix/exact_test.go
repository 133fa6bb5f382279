package mix

import (
	"encoding/json"
	"testing"
)

// Recorded sizes read back as the same sizes, even if no unit divides them.
func TestRecordedSizesAreExact(t *testing.T) {
	for _, text := range []string{"16777217B", "4KiB:80, 10001B:20"} {
		sizes, err := ParseSizes(text)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := json.Marshal(sizes)
		if err != nil {
			t.Fatal(err)
		}
		var back Sizes
		if err := json.Unmarshal(recorded, &back); err != nil || len(back) != len(sizes) || back.Largest() != sizes.Largest() {
			t.Errorf("%s was recorded as %s, which is %v (%v)", text, recorded, back, err)
		}
	}
	if _, err := ParseSizes("4096:80, 64KiB:20"); err == nil {
		t.Error("a size without a unit is taken")
	}
}
