// Package imagedtest makes a test program a service of images where a platform starts it as
// one, as the engine's servers are this program.
package imagedtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"plimsoll/internal/app/builtin/imaged"
)

// Main is for TestMain: it gives the code to exit with.
func Main(m *testing.M) int {
	if len(os.Args) != 4 || os.Args[1] != "imaged" {
		return m.Run()
	}
	if err := serve(os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	return 0
}

func serve(file string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c imaged.Config
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	return imaged.Main(ctx, c, os.Stdout)
}
