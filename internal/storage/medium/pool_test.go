package medium

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func testPool(level, drives, groups int) RAID {
	r := set(level, drives)
	r.Groups, r.Slice = groups, 1<<20
	return r
}

// Every byte has a place of its own in one group, and slices take turns.
func TestPoolSpreadsSlices(t *testing.T) {
	p := newPool(testPool(5, 9, 3), plainDrive(), testSize)
	seen := map[[2]int64]bool{}
	for slice := range int64(100) {
		group, at := p.place(slice*p.slice + 4096)
		if int64(group) != slice%3 || at%p.slice != 4096 || seen[[2]int64{int64(group), at}] {
			t.Fatalf("slice %d lies in group %d at %d", slice, group, at)
		}
		seen[[2]int64{int64(group), at}] = true
	}
}

func TestPoolAnswersEachRequestOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPool(testPool(5, 6, 2), plainDrive(), testSize)
		asked, now := map[uint64]bool{}, time.Duration(0)
		answer := func(all []Completion) {
			for _, d := range all {
				if !asked[d.ID] {
					t.Fatalf("request %d was answered twice, or never made", d.ID)
				}
				delete(asked, d.ID)
			}
		}
		for id := range uint64(rapid.IntRange(1, 40).Draw(t, "requests")) {
			now += time.Duration(rapid.IntRange(0, 5).Draw(t, "pause")) * time.Millisecond
			answer(p.Advance(now))
			r := Request{Op: Op(rapid.IntRange(0, 2).Draw(t, "op"))}
			if r.Op != Flush {
				r.Offset = int64(rapid.IntRange(0, 1000).Draw(t, "place")) * 4096
				r.Length = int64(rapid.IntRange(1, 600).Draw(t, "pages")) * 4096
			}
			asked[id] = true
			p.Submit(now, id, r)
		}
		for at, more := p.Next(); more; at, more = p.Next() {
			answer(p.Advance(at))
		}
		if len(asked) > 0 || len(p.hosts) > 0 || len(p.left) > 0 {
			t.Fatalf("%d requests have no answer", len(asked))
		}
	})
}

// The drives of a pool are as busy as the drives of a single set of the same size, and a
// small write costs the same.
func TestPoolDoesAsMuchAsOneSet(t *testing.T) {
	const count, depth = 2000, 64
	small := func(m Model) float64 {
		_, end := closedLoop(m, depth, count, random(Write, 4096, testSize/2, 7))
		return count / end.Seconds()
	}
	one, pooled := newArray(set(5, 10), plainDrive(), testSize), newPool(testPool(5, 10, 2), plainDrive(), testSize)
	a, b := small(one), small(pooled)
	if ratio := b / a; ratio < 0.85 || ratio > 1.15 {
		t.Errorf("%.0f writes a second from a pool, %.0f from one set", b, a)
	}
	if accesses := pooled.Stats().Accesses; accesses != 4*count {
		t.Errorf("%d writes took %d accesses, want 4 each", count, accesses)
	}
}

func TestDegradedPoolSpreadsItsFailures(t *testing.T) {
	r := testPool(5, 9, 3)
	r.Degraded = 2
	failed := []int{}
	for _, g := range newPool(r, plainDrive(), testSize).groups {
		n := 0
		for _, f := range g.(*array).failed {
			if f {
				n++
			}
		}
		failed = append(failed, n)
	}
	if failed[0]+failed[1]+failed[2] != 2 || failed[0] > 1 {
		t.Errorf("%v drives failed in the groups, want one in two of them", failed)
	}
}
