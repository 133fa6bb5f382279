package duckdb_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/app"
	engine "plimsoll/internal/app/duckdb"
	"plimsoll/internal/client/duckdb"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// endless is a query that takes longer than any test.
const endless = "select count(*) from range(10000000000) a, range(10000000000) b where a.range % 7 = b.range % 5"

// start starts a server on a volume, which may be made ready for it first.
func start(t *testing.T, c app.Config, ready func(platform.Platform, storage.Volume)) platform.Process {
	t.Helper()
	p := localtest.Platform(t)
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	e := engine.Engine{}
	in, err := e.Find(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	v := localtest.Volume(t, p, c.Name)
	ready(p, v)
	for _, step := range e.Initialise(in, c) {
		if err := p.Run(t.Context(), step, v); err != nil {
			t.Fatal(err)
		}
	}
	process, err := p.Start(t.Context(), e.Server(in, c), v)
	if err != nil {
		t.Fatal(err)
	}
	return process
}

// A query that has no room to spill to fails as one, and the next goes on.
func TestSpillingToAFullDisk(t *testing.T) {
	c := app.Config{Name: "full", Password: "user's", Users: 1, Settings: map[string]string{"memory_limit": "64MiB", "threads": "1"}}
	user, err := duckdb.Open(start(t, c, func(p platform.Platform, v storage.Volume) { localtest.InMemory(t, p, v, 16<<20) }).Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	if err := user.Exec(t.Context(), "select count(*) from (select distinct hash(range) from range(20000000))"); classOf(err) != errorclass.OutOfSpace {
		t.Errorf("%v (%s)", err, classOf(err))
	}
	if err := user.Exec(t.Context(), "select 1"); err != nil {
		t.Error(err)
	}
}

func TestQueries(t *testing.T) {
	c := app.Config{Name: "asked", Password: "user's", AdminPassword: "admin's", Users: 2}
	process := start(t, c, func(platform.Platform, storage.Volume) {})
	user, err := duckdb.Open(process.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	admin, err := duckdb.Open(c.AsAdmin(process.Endpoint()))
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	defer admin.Close()

	a, err := user.Query(t.Context(), "select 1 as one, 'a' || chr(10) as two, null as three, 2.50::decimal(7,2) as four", time.Minute)
	if err != nil || len(a.Rows) != 1 || strings.Join(a.Columns, " ") != "one two three four" || *a.Rows[0][1] != "a\n" || a.Rows[0][2] != nil || *a.Rows[0][3] != "2.50" {
		t.Errorf("%+v, %v", a, err)
	}
	if a.Effort == nil || a.Effort.CPU < 0 {
		t.Errorf("alone it took %+v", a.Effort)
	}
	if a, err := user.Query(t.Context(), "select range from range(2500)", 0); err != nil || len(a.Rows) != 2500 {
		t.Errorf("%d rows, %v", len(a.Rows), err)
	}
	for sql, class := range map[string]string{
		"create table t (a int)":                 errorclass.Refused,
		"copy (select 1) to 'lake/x.parquet'":    errorclass.Refused,
		"select * from read_text('/etc/passwd')": errorclass.Refused,
		"selec 1":                                errorclass.Other + ":ParserException",
	} {
		if err := user.Exec(t.Context(), sql); class != classOf(err) {
			t.Errorf("%s: %v (%s), want %s", sql, err, classOf(err), class)
		}
	}
	if err := admin.Exec(t.Context(), "copy (select 1) to '"+t.TempDir()+"/x'"); classOf(err) != errorclass.Refused {
		t.Errorf("written outside the volume: %v", err)
	}
	if _, err := user.Query(t.Context(), endless, 100*time.Millisecond); classOf(err) != errorclass.Timeout {
		t.Errorf("an endless query ended with %v", err)
	}
	countsBytes(t, admin, user)
	// Who hangs up frees the server.
	ctx, hangUp := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer hangUp()
	if _, err := user.Query(ctx, endless, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after hanging up: %v", err)
	}
	if err := user.Exec(t.Context(), "select 1"); err != nil {
		t.Errorf("the server is not free again: %v", err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-process.Done()
	if err := user.Exec(t.Context(), "select 1"); classOf(err) != errorclass.ConnectionLost {
		t.Errorf("after a kill: %v (%s)", err, classOf(err))
	}
}

// countsBytes compares the bytes that the server reports as read with the size of a table.
// The server reports none for a query that ran concurrently with another.
func countsBytes(t *testing.T, admin, user *duckdb.Client) {
	t.Helper()
	const bytes = 8 * 200_000
	if err := admin.Exec(t.Context(), "copy (select hash(range) as a from range(200000)) to 'lake/numbers.parquet' (compression uncompressed)"); err != nil {
		t.Fatal(err)
	}
	sum := "select sum(a % 10) from read_parquet('lake/numbers.parquet')"
	for range 2 {
		if a, err := user.Query(t.Context(), sum, 0); err != nil || a.Effort == nil || a.Effort.Read < bytes || a.Effort.Read > 2*bytes {
			t.Errorf("of %d bytes it read %+v, %v", bytes, a.Effort, err)
		}
	}
	ctx, hangUp := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- user.Exec(ctx, endless) }()
	for running := false; !running; { // the other has begun once it is seen
		a, err := user.Query(t.Context(), sum, 0)
		if err != nil {
			t.Fatal(err)
		}
		running = a.Effort == nil
	}
	hangUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func classOf(err error) string {
	if e, ok := errors.AsType[interface {
		error
		ErrorClass() string
	}](err); ok {
		return e.ErrorClass()
	}
	return ""
}
