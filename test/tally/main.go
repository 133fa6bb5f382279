// Command tally runs go test and says at its end what its output hides: what failed and how
// often, what was left out and why, and what took longest.
//
//	go run ./test/tally -longest 20 -- -short ./...
//	go run ./test/tally -times 10 -- ./internal/study ./internal/plan
//
// Each of several times has a new seed for property tests, which it prints, and no result
// comes from the cache. It ends with 1 if a test failed at any time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"time"
)

// seedVariable gives the seed to the property tests of all packages (package rapid).
const seedVariable = "RAPID_SEED"

func main() {
	times := flag.Int("times", 1, "how often the tests run")
	longest := flag.Int("longest", 0, "how many of the longest tests are listed")
	hint := flag.String("hint", "make test runs them", "how those that were left out are run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	t := newTally()
	var errs []error
	for n := range *times {
		var more []string
		if *times > 1 {
			seed := rand.Uint64()
			fmt.Printf("time %d of %d, %s=%d\n", n+1, *times, seedVariable, seed)
			more = []string{seedVariable + "=" + strconv.FormatUint(seed, 10)}
		}
		if err := run(ctx, t, *times > 1, more, flag.Args()); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	t.report(os.Stdout, *times, *longest, *hint)
	fmt.Printf("%.0f s in all\n", time.Since(began).Seconds())
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs go test once and takes its events.
func run(ctx context.Context, t *tally, anew bool, environment, arguments []string) error {
	command := []string{"test", "-json"}
	if anew {
		command = append(command, "-count=1")
	}
	cmd := exec.CommandContext(ctx, "go", append(command, arguments...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go test ends its tests
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := t.read(events, os.Stdout)
	_, drainErr := io.Copy(io.Discard, events) // so that go test can end
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go test: %w", errors.Join(err, readErr))
	}
	return errors.Join(readErr, drainErr)
}
