package flock_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"plimsoll/internal/host/flock"
)

// holder is set in a process that takes a lock of the directory and waits for its end.
const holder = "PLIMSOLL_TEST_LOCK_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holder); dir != "" {
		_, err := flock.Take(dir, "one")
		if err == nil {
			_, err = os.Stdout.WriteString("taken\n")
		}
		if err == nil {
			_, err = io.Copy(io.Discard, os.Stdin) // until the test ends it
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A lock is one process's, is given back with it however it ends, and leaves no file behind
// when it is closed.
func TestALockIsTakenOnce(t *testing.T) {
	dir := t.TempDir()
	other := exec.CommandContext(t.Context(), "/proc/self/exe")
	other.Env = append(os.Environ(), holder+"="+dir)
	if _, err := other.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	said, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(said, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	if _, err := flock.Take(dir, "one"); !errors.Is(err, flock.ErrTaken) {
		t.Errorf("another process has it: %v", err)
	}
	two, err := flock.Take(dir, "two")
	if err != nil {
		t.Errorf("another name: %v", err)
	} else if err := two.Close(); err != nil {
		t.Error(err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // it was killed
	one, err := flock.Take(dir, "one")
	if err != nil {
		t.Fatalf("after its process was killed: %v", err)
	}
	if _, err := flock.Take(dir, "one"); !errors.Is(err, flock.ErrTaken) {
		t.Errorf("this process has it: %v", err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
