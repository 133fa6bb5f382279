// Package journaltest separates the registers of tests from the machine's.
package journaltest

import (
	"fmt"
	"os"
	"testing"
)

// WithRegisters runs the tests of a package with what their runs register in memory and
// apart from the machine's own, where plimsoll clean would look for it. It gives the exit
// code of the tests.
func WithRegisters(m *testing.M) int {
	dir, err := os.MkdirTemp("/dev/shm", "plimsoll-registers-")
	if err != nil {
		dir, err = os.MkdirTemp("", "plimsoll-registers-")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("PLIMSOLL_STATE", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
