package pages_test

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/workload/dvdstore/dvdstoretest"
)

// named writes {orders} as the engine's table is called.
func (s *stack) named(statement string) string {
	for {
		before, rest, found := strings.Cut(statement, "{")
		if !found {
			return statement
		}
		table, after, _ := strings.Cut(rest, "}")
		if s.engine.Kind() == "sql:mariadb" {
			table = strings.ToUpper(table)
		}
		statement = before + table + after
	}
}

// query asks the database, past the pages, for a row.
func (s *stack) query(t *testing.T, statement string, row ...any) {
	t.Helper()
	db := dvdstoretest.Open(t, s.db.Admin().Endpoint("db"))
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), s.named(statement)).Scan(row...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (s *stack) count(t *testing.T, table string) (rows int) {
	t.Helper()
	s.query(t, "select count(*) from {"+table+"}", &rows)
	return rows
}

// do performs statements past the pages, on one connection.
func (s *stack) do(t *testing.T, statements ...string) {
	t.Helper()
	db := dvdstoretest.Open(t, s.db.Admin().Endpoint("db"))
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), s.named(statement)); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// soldOut orders more of a film than is in stock: nothing is written, and the film stays
// available to the next customer.
func (s *stack) soldOut(t *testing.T) {
	s.do(t, "update {inventory} set quan_in_stock = 2 where prod_id in (5, 6)")
	orders, lines, reordered := s.count(t, "orders"), s.count(t, "orderlines"), s.count(t, "reorder")
	var sales int
	s.query(t, "select sum(sales) from {inventory}", &sales)
	cart := []string{"confirmpurchase", "yes", "customerid", "1", "item[]", "6", "quan[]", "2", "item[]", "5", "quan[]", "2", "item[]", "5", "quan[]", "1", "item[]", "8", "quan[]", "1"}
	p := s.get(t, "ds2", "dspurchase", cart...)
	if p.class("p", "soldout") == "" || len(p.elements("input", "name", "orderid")) > 0 {
		t.Errorf("sold a film that is out of stock\n%s", p.text)
	}
	var stock, other, after int
	s.until(t, "film 5 is restocked", func() bool {
		s.query(t, "select quan_in_stock from {inventory} where prod_id = 5", &stock)
		return stock == 502
	})
	s.query(t, "select quan_in_stock from {inventory} where prod_id = 6", &other)
	s.query(t, "select sum(sales) from {inventory}", &after)
	if s.count(t, "orders") != orders || s.count(t, "orderlines") != lines || other != 2 || after != sales {
		t.Errorf("an order that was rolled back left something")
	}
	if n := s.count(t, "reorder"); n != reordered+1 {
		t.Errorf("%d reorders, want %d", n, reordered+1)
	}
	if s.get(t, "ds2", "dspurchase", cart...).input("orderid") == "" {
		t.Error("restocking did not help")
	}
}

// until waits for what a worker does after it has answered.
func (s *stack) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not in time: %s", what)
}

// abandoned has requests end in the midst of a transaction, in each way that a
// worker survives, and asks the next requests what they find.
func (s *stack) abandoned(t *testing.T) {
	var before, after int
	s.query(t, "select sum(sales) from {inventory}", &before)
	for _, end := range []string{"exit", "error", "time"} {
		for range 6 { // all workers
			r, err := s.client.Get("http://shop/ds2/abandon.php?end=" + end)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
		}
		for range 6 {
			s.get(t, "ds2", "dsnewcustomer", newcomer(fmt.Sprint("newuser", time.Now().UnixNano()))...)
			s.get(t, "ds2", "dspurchase", "confirmpurchase", "yes", "customerid", "1", "item[]", "8", "quan[]", "1")
		}
	}
	s.query(t, "select sum(sales) from {inventory}", &after)
	if after != before+18 {
		t.Errorf("%d copies were sold, want 18", after-before)
	}
}

// abandon is a page that ends in a transaction.
const abandon = `<?php
require __DIR__ . '/../lib/shop.php';
$db = connect(2);
$db->rows('login', ['user1', 'password']);
$db->begin();
$db->change('sell', [1, 1, 8, 1]);
if ($_GET['end'] === 'time') { set_time_limit(1); for (;;); }
if ($_GET['end'] === 'error') { throw new Exception('end'); }
`

// deadlock locks two films in the other order than the pages do: the order is
// written in whole or not at all.
func (s *stack) deadlock(t *testing.T) {
	db := dvdstoretest.Open(t, s.db.Admin().Endpoint("db"))
	for range 3 {
		before := s.count(t, "orders")
		lines := s.count(t, "orderlines")
		tx := begin(t, db)
		s.execute(t, tx, "update {inventory} set quan_in_stock = 1000 where prod_id = 9")
		var wait sync.WaitGroup
		wait.Go(func() {
			s.get(t, "ds2", "dspurchase", "confirmpurchase", "yes", "customerid", "1", "item[]", "8", "quan[]", "1", "item[]", "9", "quan[]", "1")
		})
		s.until(t, "the order has sold film 8, and waits for film 9", func() bool { return s.locked(t, 8) })
		// one of the two is ended; if it is this one, the page goes on, else it tries again
		_, err := tx.ExecContext(t.Context(), s.named("update {inventory} set quan_in_stock = 1000 where prod_id = 8"))
		_ = tx.Rollback()
		wait.Wait()
		if n := s.count(t, "orders"); n != before+1 || s.count(t, "orderlines") != lines+2 {
			t.Errorf("%d orders, want %d; the other's error: %v", n, before+1, err)
		}
	}
}

// locked reports whether a transaction holds the stock of a film.
func (s *stack) locked(t *testing.T, product int) bool {
	t.Helper()
	db := dvdstoretest.Open(t, s.db.Admin().Endpoint("db"))
	defer db.Close()
	var n int
	return db.QueryRowContext(t.Context(), s.named(fmt.Sprintf("select prod_id from {inventory} where prod_id = %d for update nowait", product))).Scan(&n) != nil
}

func begin(t *testing.T, db *sql.DB) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func (s *stack) execute(t *testing.T, tx *sql.Tx, statement string) {
	t.Helper()
	if _, err := tx.ExecContext(t.Context(), s.named(statement)); err != nil {
		t.Fatal(err)
	}
}

// killed kills the database: every page says 503, and after the restart each
// worker at most once more.
func (s *stack) killed(t *testing.T) {
	for range 2 {
		for range 9 {
			s.get(t, "ds2", "dslogin", "username", "user1", "password", "password")
		}
		s.db.Kill(t)
		for range 6 {
			if message := s.fails(t, 503, "ds2", "dslogin", "username", "user1", "password", "password"); !strings.Contains(message, "cannot be reached") {
				t.Errorf("the message is %q", message)
			}
			s.fails(t, 503, "ds2", "dspurchase", "confirmpurchase", "yes", "customerid", "1", "item[]", "8", "quan[]", "1")
		}
		s.db.Recover(t)
		failed := 0
		for range 30 {
			if p := s.request(t, "ds2", "dslogin", values("username", "user1", "password", "password")); p.status != 200 {
				failed++
			}
		}
		t.Logf("%d requests failed after the restart", failed)
		if failed > workers {
			t.Errorf("%d requests failed after the restart, with %d workers", failed, workers)
		}
		id := s.get(t, "ds2", "dspurchase", "confirmpurchase", "yes", "customerid", "1", "item[]", "8", "quan[]", "1").input("orderid")
		if _, err := strconv.Atoi(id); err != nil {
			t.Error(err)
		}
	}
	s.restarted(t)
}

// restarted restarts the database while nobody asks, so that the workers still
// believe in their connections.
func (s *stack) restarted(t *testing.T) {
	s.db.Restart(t)
	failed := 0
	for range 30 {
		if p := s.request(t, "ds2", "dslogin", values("username", "user1", "password", "password")); p.status != 200 {
			failed++
		}
	}
	if failed > workers {
		t.Errorf("%d requests failed after the restart, with %d workers", failed, workers)
	}
}
