package mix_test

import (
	"math/rand/v2"
	"testing"

	"plimsoll/internal/workload/mix"
)

func TestSplitAndJoin(t *testing.T) {
	parts, err := mix.Split(" read:60,create : 0.5", "read:1")
	if err != nil || mix.Join(parts) != "read:60, create:0.5" {
		t.Errorf("%+v, %v", parts, err)
	}
	if parts, err := mix.Split("4KiB", "4KiB:1"); err != nil || len(parts) != 1 || parts[0] != (mix.Part{Name: "4KiB", Weight: 1}) {
		t.Errorf("without a weight: %+v, %v", parts, err)
	}
	for _, text := range []string{"a:0", "a:-1", "a:NaN", "a:1e7", "a:", "a:1, b:x"} {
		if parts, err := mix.Split(text, "a:1, b:2"); err == nil {
			t.Errorf("%q is %+v", text, parts)
		}
	}
}

// Draws follow the weights.
func TestDraw(t *testing.T) {
	random, seen := rand.New(rand.NewPCG(1, 2)), [3]int{}
	for range 10_000 {
		seen[mix.Draw(random, []float64{1, 2, 7}, func(w float64) float64 { return w })]++
	}
	for i, want := range []int{1000, 2000, 7000} {
		if seen[i] < want-200 || seen[i] > want+200 {
			t.Errorf("alternative %d was drawn %d times, want about %d", i, seen[i], want)
		}
	}
}
