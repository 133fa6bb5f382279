package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func silent(string) {}

// A build that fails or is killed leaves nothing that the next one would take for
// the programs.
func TestUnfinishedBuildsAreNotUsed(t *testing.T) {
	source, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(source, "go.mod"), "module kube\n")
	write(t, filepath.Join(source, "main.go"), "package main\n\nfunc main() { wrong }\n")
	killed := filepath.Join(cache, unfinishedPrefix+"killed")
	if err := os.Mkdir(killed, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(killed, "kube"), "half a program")
	if dir, err := buildKube(t.Context(), source, cache, silent); err == nil {
		t.Errorf("a program that does not compile was built into %s", dir)
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) != 0 {
		t.Errorf("the cache holds %v after a failed build: %v", left, err)
	}
	write(t, filepath.Join(source, "main.go"), "package main\n\nfunc main() {}\n")
	dir, err := buildKube(t.Context(), source, cache, silent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "kubectl")); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Test packages run side by side, with as many clusters as there are turns.
func TestClustersOfTestsTakeTurns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const turns = 2
	var all []*os.File
	for range turns {
		turn, err := waitForTurn(t.Context(), turns, silent)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, turn)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if more, err := waitForTurn(short, turns, silent); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("three have their turn at once: %v, %v", more, err)
	}
	waiting := make(chan struct{})
	got := make(chan error)
	go func() {
		more, err := waitForTurn(t.Context(), turns, func(string) { close(waiting) })
		got <- errors.Join(err, more.Close())
	}()
	<-waiting
	for _, turn := range slices.Backward(all) {
		if err := turn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// A small machine has memory for one cluster.
func TestTurnsOfAMachine(t *testing.T) {
	for memory, want := range map[uint64]int{1 << 30: 1, 8 << 30: 1, 15 << 30: 1, 16 << 30: 2, 23 << 30: 2, 1 << 40: 4} {
		if got := turns(memory); got != want {
			t.Errorf("%d bytes: %d clusters, want %d", memory, got, want)
		}
	}
}
