package smallfiles

import (
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/internal/workload/mix"
)

// Every file has one place of its own, no directory has more files than it may, and
// every directory is made once, after the one that it is in.
func TestEveryFileHasItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := defaults()
		p.Files, p.FanOut = rapid.Int64Range(1, 200).Draw(t, "files"), rapid.Int64Range(1, 30).Draw(t, "fan-out")
		p.Depth, p.Shared = rapid.IntRange(1, 4).Draw(t, "depth"), rapid.Bool().Draw(t, "shared")
		tree := newTree(p, rapid.Int64Range(1, 5).Draw(t, "users"))
		made := map[string]bool{topName: true}
		for number := range tree.trees() {
			if err := tree.directories(number, func(path string) error {
				if made[path] || !made[filepath.Dir(path)] {
					t.Fatalf("%s is made twice, or before the directory above it", path)
				}
				made[path] = true
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		files, numbers, inside := map[string]bool{}, map[uint64]bool{}, map[string]int64{}
		for worker := range tree.users {
			for file := range tree.files {
				at := tree.place(worker, file)
				if w, f := tree.owner(at); w != worker || f != file {
					t.Fatalf("file %d of worker %d is file %d of worker %d", file, worker, f, w)
				}
				from, to := tree.within(tree.leaf(at))
				leaf := tree.path(at.tree, tree.leaf(at))
				path := filepath.Join(leaf, fileName(at.at, false))
				if at.at < from || at.at >= to || files[path] || !made[leaf] || numbers[tree.number(worker, file)] {
					t.Fatalf("%s: not within %d to %d, or there twice, or in no directory", path, from, to)
				}
				files[path], numbers[tree.number(worker, file)] = true, true
				if inside[leaf]++; inside[leaf] > p.FanOut {
					t.Fatalf("%s has %d files", leaf, inside[leaf])
				}
			}
		}
	})
}

// Workers list every directory of a tree once.
func TestEveryDirectoryIsListed(t *testing.T) {
	for _, shared := range []bool{false, true} {
		p := defaults()
		p.Files, p.FanOut, p.Shared = 101, 7, shared
		tree := newTree(p, 3)
		listed := map[string]int{}
		for worker := range tree.users {
			for n := range tree.ownLeaves(worker) {
				listed[tree.path(tree.treeOf(worker), tree.ownLeaf(worker, n))]++
			}
		}
		if want := int(tree.trees() * tree.leaves); len(listed) != want {
			t.Errorf("shared %t: %d directories are listed, want %d", shared, len(listed), want)
		}
		for path, times := range listed {
			if times != 1 {
				t.Errorf("%s is listed %d times", path, times)
			}
		}
	}
}

func TestNamesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, is := rapid.Int64Range(0, 9_999_999_999).Draw(t, "at"), rapid.Bool().Draw(t, "moved")
		if got, moved, ours := readName(fileName(at, is)); got != at || moved != is || !ours {
			t.Errorf("%d, %t, %t", got, moved, ours)
		}
		if name := rapid.String().Draw(t, "name"); len(name) != digits+1 {
			if _, _, ours := readName(name); ours {
				t.Errorf("%q is taken for a file", name)
			}
		}
	})
	for _, name := range []string{"", "f", "f000000001", "x0000000001", "f-000000001", "f00000000 1", ".nfs0000001"} {
		if _, _, ours := readName(name); ours {
			t.Errorf("%q is taken for a file", name)
		}
	}
}

// Whatever comes as a receipt is understood or refused.
func TestDamagedReceipts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := claims{files: 5, most: 8}
		for _, receipt := range rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 3).Draw(t, "receipts") {
			_ = k.add(receipt)
		}
		if k.covered > k.users*k.files {
			t.Errorf("%d files of %d", k.covered, k.users*k.files)
		}
	})
}

func TestMix(t *testing.T) {
	for text, want := range map[string]string{
		"read:60, create:20,delete:20": "read:60, create:20, delete:20", "list:0.5": "list:0.5",
		"": "", "read": "", "read:0": "", "read:-1": "", "read:x": "", "chmod:1": "", "read:1,read:2": "", "read:NaN": "", "read:Inf": "",
	} {
		m, err := mix.ParseVerbs(text)
		if err == nil {
			err = m.Check(verbs())
		}
		if (err == nil) != (want != "") || err == nil && m.String() != want {
			t.Errorf("%q is %q, %v; want %q", text, m, err, want)
		}
	}
}

// The figure without flushes needs their name, where there are any.
func TestFlushIsOptional(t *testing.T) {
	for operation, want := range map[string][]string{create: {flush}, extend: {flush}, rename: {flush}, read: nil, stat: nil} {
		p := defaults()
		p.Operation, p.Flush = operation, true
		if got := (Workload{}).Describe(p).Optional; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", operation, got, want)
		}
		p.Flush = false
		if got := (Workload{}).Describe(p).Optional; len(got) > 0 {
			t.Errorf("%s without flush: %v", operation, got)
		}
	}
}
