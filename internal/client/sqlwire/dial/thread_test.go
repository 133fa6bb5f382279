package dial_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/thread"
)

// testDeadlineWithoutCall lets deadlines pass while nothing is called: a call fails
// after one, and not after the next deadline is set.
func testDeadlineWithoutCall(t *testing.T, c sqlwire.Conn) {
	for range 2 {
		if err := c.SetDeadline(time.Now().Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		sqlwiretest.MustDo(t, c, "select 1")
	}
	if err := c.SetDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	statement, err := c.Prepare("select 1")
	if err == nil {
		_, err = c.Do(new(sqlwire.Batch).Call(statement))
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) || !c.Broken() {
		t.Errorf("a call after the deadline: %v", err)
	}
}

// withPlaces runs the test with few and with many places for threads that connections
// may block: with many, they tell the scheduler.
func withPlaces(t *testing.T, test func(t *testing.T)) {
	for _, places := range []int{4, 30} {
		undo := thread.Settings{Threads: 32, Places: places}.Use()
		defer undo()
		t.Run(fmt.Sprintf("%d places", places), test)
	}
}

func sleepStatement(kind string) string {
	if kind == sqlwire.Postgres {
		return "select pg_sleep(10)::text"
	}
	return "select sleep(10)"
}

// TestBlockedThreadsLetTheCollectorRun collects garbage while a statement runs on
// a thread that Go's scheduler does not know to be blocked: it must be given
// back for that.
func TestBlockedThreadsLetTheCollectorRun(t *testing.T) { withPlaces(t, testCollector) }

func testCollector(t *testing.T) {
	for _, kind := range sqlwiretest.Engines() {
		t.Run(kind, func(t *testing.T) {
			c := open(t, sqlwiretest.Start(t, kind))
			statement, err := c.Prepare(sleepStatement(kind))
			if err != nil {
				t.Fatal(err)
			}
			var answered atomic.Bool
			ended := make(chan error)
			go func() {
				_, err := c.Do(new(sqlwire.Batch).Call(statement))
				answered.Store(true)
				ended <- err
			}()
			for range 20 {
				runtime.GC()
			}
			if answered.Load() {
				t.Error("the collector waited for the statement")
			}
			c.Interrupt()
			if err := <-ended; err == nil || !c.Broken() {
				t.Errorf("interrupted: %v", err)
			}
		})
	}
}

// TestThreads does what the other tests do, on threads of their own.
func TestThreads(t *testing.T) { withPlaces(t, testThreads) }

func testThreads(t *testing.T) {
	for _, kind := range sqlwiretest.Engines() {
		t.Run(kind, func(t *testing.T) {
			target := sqlwiretest.Start(t, kind)
			for _, target := range []endpoint.Endpoint{target, sqlwiretest.TCP(t, target)} {
				c := open(t, target)
				sqlwiretest.MustDo(t, c, "drop table if exists items", createItems)
				testRoundTrip(t, c)
				testLongAnswers(t, c)
				testDeadline(t, open(t, target), kind)
				testDeadlineWithoutCall(t, open(t, target))
				testInterrupt(t, open(t, target), kind)
				testKilled(t, c, open(t, target), kind)
			}
		})
	}
}
