// Package nightly separates a test's proof from its repetitions: every change is tested with as
// much as the proof needs, and "make nightly" runs the rest each night.
package nightly

import (
	"os"
	"testing"
)

// Variable is set in the environment of tests that are to repeat, too.
const Variable = "PLIMSOLL_NIGHTLY"

// On reports whether this is a test of the night.
func On() bool { return os.Getenv(Variable) != "" }

// Only skips what repeats a proof, and says which test has it every time.
func Only(t testing.TB, proof string) {
	t.Helper()
	if !On() {
		t.Skipf("make nightly runs this; every time there is %s", proof)
	}
}

// Times is how often something is tried: few times with every change, many each night.
func Times(few, many int) int {
	if On() {
		return many
	}
	return few
}
