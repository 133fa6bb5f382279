package dial_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
)

// onEngines runs a test on a real server of each engine, through its unix
// socket, through TCP and through TLS.
func onEngines(t *testing.T, f func(t *testing.T, target endpoint.Endpoint)) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			target := sqlwiretest.Start(t, engine)
			t.Run("unix", func(t *testing.T) { f(t, target) })
			t.Run("tcp", func(t *testing.T) { f(t, sqlwiretest.TCP(t, target)) })
			t.Run("tls", func(t *testing.T) { f(t, sqlwiretest.TLS(t, target)) })
		})
	}
}

func open(t testing.TB, target endpoint.Endpoint) sqlwire.Conn {
	t.Helper()
	c, err := dial.Open(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil && !c.Broken() {
			t.Error(err)
		}
	})
	return c
}

func prepare(t testing.TB, c sqlwire.Conn, sql string) *sqlwire.Statement {
	t.Helper()
	s, err := c.Prepare(sql)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const createItems = "create table items (id int not null primary key, small smallint not null, big bigint not null, " +
	"name varchar(50) not null, price numeric(12,2) not null, note varchar(2000), made date)"

func TestWire(t *testing.T) {
	onEngines(t, func(t *testing.T, target endpoint.Endpoint) {
		c := open(t, target)
		sqlwiretest.MustDo(t, c, "drop table if exists items", createItems)
		t.Run("values come back as they went", func(t *testing.T) { testRoundTrip(t, c) })
		t.Run("answers longer than the buffer", func(t *testing.T) { testLongAnswers(t, c) })
		t.Run("wrong arguments are refused before they are sent", func(t *testing.T) { testWrongArguments(t, c) })
		t.Run("a failed statement leaves the connection usable", func(t *testing.T) { testFailure(t, c, target.Kind) })
		t.Run("a parameter may be used twice and in any order", func(t *testing.T) { testParameterOrder(t, c) })
		t.Run("a statement that cannot be prepared", func(t *testing.T) { testPrepareFailure(t, c) })
		t.Run("deadline", func(t *testing.T) { testDeadline(t, open(t, target), target.Kind) })
		t.Run("interrupt", func(t *testing.T) { testInterrupt(t, open(t, target), target.Kind) })
		t.Run("connection killed", func(t *testing.T) { testKilled(t, c, open(t, target), target.Kind) })
	})
}

func testRoundTrip(t *testing.T, c sqlwire.Conn) {
	insert := prepare(t, c, "insert into items values ($1, $2, $3, $4, $5, $6, '2024-02-29')")
	selection := prepare(t, c, "select id, small, big, name, price, note, made, null from items where id >= $1 order by id")
	b := new(sqlwire.Batch)
	b.Call(insert).Int(1).Int(-2).Int(-1 << 62).Text("Größe").Hundredths(5).Text("")
	b.Call(insert).Int(2).Int(32767).Int(1<<62).Numbered("user", 17).Hundredths(123456).Append(func(x []byte) []byte {
		return append(x, strings.Repeat("long ", 60)...)
	})
	b.Call(selection).Int(1)
	r, err := c.Do(b)
	if err != nil {
		t.Fatal(err)
	}
	if r.Affected(0) != 1 || r.Affected(1) != 1 || r.Rows(0) != 0 || r.Rows(2) != 2 {
		t.Fatalf("affected %d, %d; rows %d, %d; want 1, 1; 0, 2", r.Affected(0), r.Affected(1), r.Rows(0), r.Rows(2))
	}
	wantInts := [][3]int64{{1, -2, -1 << 62}, {2, 32767, 1 << 62}}
	wantTexts := [][3]string{{"Größe", "0.05", ""}, {"user17", "1234.56", strings.Repeat("long ", 60)}}
	for row := range 2 {
		for column := range 3 {
			if got := r.Int(2, row, column); got != wantInts[row][column] {
				t.Errorf("row %d column %d: got %d, want %d", row, column, got, wantInts[row][column])
			}
			if got := string(r.Text(2, row, 3+column)); got != wantTexts[row][column] {
				t.Errorf("row %d column %d: got %q, want %q", row, 3+column, got, wantTexts[row][column])
			}
		}
		if len(r.Text(2, row, 6)) == 0 {
			t.Errorf("row %d: the date is missing", row)
		}
		if r.Int(2, row, 7) != 0 || len(r.Text(2, row, 7)) != 0 {
			t.Errorf("row %d: the null is not empty", row)
		}
	}
}

func testLongAnswers(t *testing.T, c sqlwire.Conn) {
	insert := prepare(t, c, "insert into items values ($1, 0, 0, '', 0, $2, null)")
	selection := prepare(t, c, "select id, note from items where id between $1 and $2 order by id")
	const rows = 300
	note := strings.Repeat("0123456789", 100)
	for i := range rows {
		if _, err := c.Do(new(sqlwire.Batch).Call(insert).Int(int64(1000 + i)).Text(note)); err != nil {
			t.Fatal(err)
		}
	}
	b := new(sqlwire.Batch)
	for range 3 {
		b.Call(selection).Int(1000).Int(1000 + rows - 1)
	}
	r, err := c.Do(b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if r.Rows(i) != rows {
			t.Fatalf("answer %d has %d rows, want %d", i, r.Rows(i), rows)
		}
		for row := range rows {
			if r.Int(i, row, 0) != int64(1000+row) || string(r.Text(i, row, 1)) != note {
				t.Fatalf("answer %d row %d is not what was stored", i, row)
			}
		}
	}
}

func testWrongArguments(t *testing.T, c sqlwire.Conn) {
	s := prepare(t, c, "select name from items where id = $1 and small = $2")
	for _, b := range []*sqlwire.Batch{
		new(sqlwire.Batch).Call(s).Int(1),
		new(sqlwire.Batch).Call(s).Int(1).Int(2).Int(3),
	} {
		if _, err := c.Do(b); err == nil || !strings.Contains(err.Error(), "2 parameters") {
			t.Errorf("got %v, want an error that names the 2 parameters", err)
		}
	}
	if _, err := c.Do(new(sqlwire.Batch).Call(s).Int(1).Int(2)); err != nil || c.Broken() {
		t.Errorf("the connection is not usable afterwards: %v", err)
	}
}

func testFailure(t *testing.T, c sqlwire.Conn, engine string) {
	insert := prepare(t, c, "insert into items values ($1, 0, 0, '', 0, null, null)")
	count := prepare(t, c, "select count(*) from items where id in ($1, $2)")
	b := new(sqlwire.Batch).Call(insert).Int(501).Call(insert).Int(501).Call(insert).Int(502)
	r, err := c.Do(b)
	e, ok := errors.AsType[*sqlwire.Error](err)
	if !ok || !e.Duplicate || !strings.Contains(e.Error(), "insert into items") {
		t.Fatalf("got %v, want a duplicate key and the statement", err)
	}
	if r.Err(0) != nil || r.Err(1) == nil {
		t.Errorf("errors are %v, %v; want only the second", r.Err(0), r.Err(1))
	}
	if skipped := engine == sqlwire.Postgres; (r.Err(2) != nil) != skipped {
		t.Errorf("the third statement's error is %v; skipped should be %v", r.Err(2), skipped)
	}
	want := map[string]int64{sqlwire.Postgres: 0, sqlwire.MariaDB: 2}[engine]
	r, err = c.Do(b.Reset().Call(count).Int(501).Int(502))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Int(0, 0, 0); got != want {
		t.Errorf("%d rows are stored, want %d", got, want)
	}
}

func testParameterOrder(t *testing.T, c sqlwire.Conn) {
	sqlwiretest.MustDo(t, c, "delete from items where id = 600", "insert into items values (600, 7, 9, 'x', 0, null, null)")
	s := prepare(t, c, "update items set small = small - $2, big = big + $2 where id = $1 and small >= $2")
	r, err := c.Do(new(sqlwire.Batch).Call(s).Int(600).Int(5).Call(s).Int(600).Int(5))
	if err != nil {
		t.Fatal(err)
	}
	if r.Affected(0) != 1 || r.Affected(1) != 0 {
		t.Errorf("affected %d, then %d; want 1, then 0", r.Affected(0), r.Affected(1))
	}
}

func testPrepareFailure(t *testing.T, c sqlwire.Conn) {
	_, err := c.Prepare("select nothing from nowhere")
	if e, ok := errors.AsType[*sqlwire.Error](err); !ok || !strings.HasPrefix(e.State, "42") {
		t.Errorf("got %v, want an error of class 42", err)
	}
	if c.Broken() {
		t.Error("the connection is broken")
	}
}

// sleepSQL takes longer than any test waits.
func sleepSQL(engine string) string {
	if engine == sqlwire.Postgres {
		return "select pg_sleep(300)"
	}
	return "select sleep(300)"
}

func testDeadline(t *testing.T, c sqlwire.Conn, engine string) {
	s := prepare(t, c, sleepSQL(engine))
	if err := c.SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(new(sqlwire.Batch).Call(s)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want a deadline exceeded", err)
	}
	if !c.Broken() {
		t.Error("the connection must count as broken: its answer is still to come")
	}
}

func testInterrupt(t *testing.T, c sqlwire.Conn, engine string) {
	s := prepare(t, c, sleepSQL(engine))
	stop := context.AfterFunc(canceledSoon(t), c.Interrupt)
	defer stop()
	if _, err := c.Do(new(sqlwire.Batch).Call(s)); err == nil || !c.Broken() {
		t.Errorf("got %v, broken %v; want an interrupted call", err, c.Broken())
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		t.Error(err)
	}
	if _, err := c.Do(new(sqlwire.Batch).Call(s)); err == nil {
		t.Error("a call after an interrupt must fail")
	}
}

func canceledSoon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func testKilled(t *testing.T, killer, victim sqlwire.Conn, engine string) {
	id, kill := "select pg_backend_pid()", "select pg_terminate_backend($1)"
	if engine == sqlwire.MariaDB {
		id, kill = "select connection_id()", "kill $1"
	}
	who := prepare(t, victim, id)
	r, err := victim.Do(new(sqlwire.Batch).Call(who))
	if err != nil {
		t.Fatal(err)
	}
	k := prepare(t, killer, kill)
	if _, err := killer.Do(new(sqlwire.Batch).Call(k).Int(r.Int(0, 0, 0))); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); err == nil && time.Now().Before(deadline); { // until the server has noticed
		time.Sleep(20 * time.Millisecond)
		_, err = victim.Do(new(sqlwire.Batch).Call(who))
	}
	if err == nil || !victim.Broken() {
		t.Errorf("got %v, broken %v; want a lost connection", err, victim.Broken())
	}
}

func TestOpenFailures(t *testing.T) {
	onEngines(t, func(t *testing.T, target endpoint.Endpoint) {
		wrong := target
		wrong.Payload = endpoint.With(endpoint.SQL{Database: "nowhere"})
		_, err := dial.Open(t.Context(), wrong)
		if _, ok := errors.AsType[*sqlwire.Error](err); !ok {
			t.Errorf("got %v, want the server's refusal", err)
		}
	})
	if _, err := dial.Open(t.Context(), endpoint.Endpoint{Kind: "oracle"}); err == nil || !strings.Contains(err.Error(), sqlwire.MariaDB) {
		t.Errorf("got %v, want an error that lists the engines", err)
	}
	if _, err := dial.Open(t.Context(), endpoint.Endpoint{Kind: sqlwire.Postgres, Network: "unix", Address: t.TempDir() + "/none"}); err == nil {
		t.Error("connected to nothing")
	}
}

// BenchmarkSelect shows the cost of a point select on a real server; run it
// with -benchmem: nothing may be allocated.
func BenchmarkSelect(b *testing.B) {
	for _, engine := range sqlwiretest.Engines() {
		b.Run(engine, func(b *testing.B) {
			c := open(b, sqlwiretest.Start(b, engine))
			sqlwiretest.MustDo(b, c, "drop table if exists items", createItems, "insert into items values (1, 2, 3, 'name', 4, 'note', null)")
			s := prepare(b, c, "select id, name, price from items where id = $1")
			batch := new(sqlwire.Batch)
			b.ReportAllocs()
			for b.Loop() {
				r, err := c.Do(batch.Reset().Call(s).Int(1))
				if err != nil || r.Rows(0) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}
