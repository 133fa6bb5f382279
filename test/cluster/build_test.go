package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

// Test packages run side by side, their clusters one after the other.
func TestClustersOfTestsTakeTurns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := waitForTurn(t.Context(), silent)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if second, err := waitForTurn(short, silent); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("two have their turn at once: %v, %v", second, err)
	}
	waiting := make(chan struct{})
	got := make(chan error)
	go func() {
		second, err := waitForTurn(t.Context(), func(string) { close(waiting) })
		got <- errors.Join(err, second.Close())
	}()
	<-waiting
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}
