package content

import (
	"bytes"
	"compress/gzip"
	"testing"
)

func TestItems(t *testing.T) {
	it := Item{Seed: 4, Number: 2, Size: 20*Grain + 1000, Data: 50, Entropy: 40}
	var whole, again bytes.Buffer
	if err := it.Whole(&whole); err != nil {
		t.Fatal(err)
	}
	if err := it.Whole(&again); err != nil || !bytes.Equal(whole.Bytes(), again.Bytes()) {
		t.Errorf("the same item is not the same: %v", err)
	}
	if int64(whole.Len()) != it.Size {
		t.Errorf("%d bytes, want %d", whole.Len(), it.Size)
	}
	if n := it.DataBytes(); n < 10*Grain || n > 11*Grain {
		t.Errorf("%d bytes of data", n)
	}
	holes := 0
	for g := range it.grains() {
		at := whole.Bytes()[g*Grain:][:it.length(g)]
		if zero := bytes.Equal(at, make([]byte, len(at))); zero == it.Holds(g) {
			t.Errorf("grain %d holds data: %t, and is zeros: %t", g, it.Holds(g), zero)
		} else if zero {
			holes++
		}
	}
	if holes == 0 {
		t.Error("there are no holes")
	}
	other := it
	other.Number++
	again.Reset()
	if err := other.Whole(&again); err != nil || bytes.Equal(whole.Bytes(), again.Bytes()) {
		t.Errorf("another item is the same: %v", err)
	}
}

func TestShares(t *testing.T) {
	for _, share := range []float64{0, 1, 36, 72, 100} {
		it := Item{Size: 100 * Grain, Data: share, Entropy: 50}
		if n := float64(it.DataBytes()) / Grain; n < share-1 || n > share+1 || share > 0 != it.Holds(0) {
			t.Errorf("%v grains of data, want %v; the first: %t", n, share, it.Holds(0))
		}
	}
}

func TestDataCanBeCompressed(t *testing.T) {
	for _, entropy := range []float64{0, 50, 100} {
		it := Item{Size: 2 * Grain, Data: 100, Entropy: entropy}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		if err := it.Whole(w); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := 100 * float64(out.Len()) / float64(it.Size); got < entropy-3 || got > entropy+5 {
			t.Errorf("compressed to %.1f %%, want %v", got, entropy)
		}
	}
}
