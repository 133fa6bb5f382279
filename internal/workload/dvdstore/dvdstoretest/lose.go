package dvdstoretest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/internal/describe/endpoint"
)

// LoseOrders zeroes a page of loaded orders; see LoseRows.
func LoseOrders(t *testing.T, volume string, target endpoint.Endpoint) {
	t.Helper()
	LoseRows(t, volume, target, "orders")
}

// LoseRows zeroes a page of the loaded rows in the file of a table, below
// the server of the target, which goes on and has it in memory. Of a table whose
// loaded rows nobody changes, the server does not write the page again.
func LoseRows(t *testing.T, volume string, target endpoint.Endpoint, table string) {
	t.Helper()
	if target.Kind == "sql:postgres" {
		loseFromPostgres(t, volume, target, table)
		return
	}
	loseFromMariaDB(t, filepath.Join(volume, "mariadb", endpoint.Database(target), strings.ToUpper(table)+".ibd"))
}

// loseFromPostgres zeroes the first page of the table.
func loseFromPostgres(t *testing.T, volume string, target endpoint.Endpoint, table string) {
	t.Helper()
	var path string
	if err := Open(t, target).QueryRowContext(t.Context(), "select pg_relation_filepath('"+table+"')").Scan(&path); err != nil {
		t.Fatal(err)
	}
	zero(t, filepath.Join(volume, "postgres", path), 0, 8192)
}

// loseFromMariaDB zeroes the first leaf of the primary key. Pages of a B-tree
// (type 17855) have their level and index in the header; page 3 is the root of
// the primary key.
func loseFromMariaDB(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page, kind, level, index = 16384, 24, 64, 66
	primary := binary.BigEndian.Uint64(text[3*page+index:])
	for at := 4 * page; at+page <= len(text); at += page {
		p := text[at:]
		if binary.BigEndian.Uint16(p[kind:]) == 17855 && binary.BigEndian.Uint16(p[level:]) == 0 && binary.BigEndian.Uint64(p[index:]) == primary {
			zero(t, path, int64(at), page)
			return
		}
	}
	t.Fatalf("%s has no leaf", path)
}

func zero(t *testing.T, path string, at, length int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, length), at); err != nil {
		t.Fatal(err)
	}
}
