package medium

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Extents and pages know the same bytes as an array of booleans.
func TestDirtyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const blocks = 200
		dirty := make([]bool, blocks)
		var e extents
		p := newPages(8 * block)
		held := int64(0)
		for age := range uint64(rapid.IntRange(1, 40).Draw(t, "writes")) {
			from := rapid.Int64Range(0, blocks-1).Draw(t, "from")
			to := min(blocks, from+rapid.Int64Range(1, 30).Draw(t, "length"))
			fresh := int64(0)
			for i := from; i < to; i++ {
				if !dirty[i] {
					fresh += block
				}
				dirty[i] = true
			}
			held += fresh
			if got := e.add(from*block, to*block, age); got != fresh {
				t.Fatalf("extents took %d bytes, want %d", got, fresh)
			}
			if got := p.add(from*block, to*block, age); got != fresh {
				t.Fatalf("pages took %d bytes, want %d", got, fresh)
			}
		}
		from := rapid.Int64Range(0, blocks-1).Draw(t, "from")
		to := min(blocks, from+rapid.Int64Range(1, 30).Draw(t, "length"))
		all := !slices.Contains(dirty[from:to], false)
		if e.covers(from*block, to*block) != all || p.covers(from*block, to*block) != all {
			t.Fatalf("[%d, %d): extents %v, pages %v, want %v", from, to, e.covers(from*block, to*block), p.covers(from*block, to*block), all)
		}
		for len(e) > 0 {
			a, b := e.takeRun(rapid.IntRange(0, len(e)-1).Draw(t, "run"), 16*block)
			held -= b - a
		}
		if held != 0 {
			t.Fatalf("%d bytes were lost", held)
		}
	})
}

func TestPagesComeOutOnce(t *testing.T) {
	p := newPages(2 * block)
	p.add(0, 2*block, 1)       // full
	p.add(8*block, 9*block, 2) // half
	p.add(4*block, 6*block, 3) // full
	if x := p.takeFull(); x.number != 0 {
		t.Errorf("the first full page is %d", x.number)
	}
	if age, ok := p.oldest(); !ok || age != 2 {
		t.Errorf("the oldest has the age %d", age)
	}
	if x := p.takeOldest(); x.number != 4 || x.dirty != block {
		t.Errorf("the oldest is %+v", x)
	}
	if x := p.takeOldest(); x.number != 2 {
		t.Errorf("the last is %+v", x)
	}
	if x := p.takeFull(); x != nil {
		t.Errorf("page %d came out twice", x.number)
	}
}

func TestRate(t *testing.T) {
	for text, want := range map[string]Rate{"180MB/s": 180e6, "1.8GB/s": 1.8e9, "512KiB/s": 512 << 10} {
		got, err := ParseRate(text)
		if err != nil || got != want {
			t.Errorf("%q is %v (%v)", text, float64(got), err)
		}
		back, err := got.MarshalText()
		if again, _ := ParseRate(string(back)); err != nil || again != want {
			t.Errorf("%q was written as %q", text, back)
		}
	}
	for _, text := range []string{"", "180MB", "fast/s", "-1MB/s"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
