package journal

import (
	"os"
	"testing"
)

// TestMain keeps the registers of these tests apart from the machine's.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "plimsoll-registers-")
	if err != nil {
		panic(err)
	}
	stateDirectories = func() []string { return []string{dir} }
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
