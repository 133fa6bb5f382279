package dvdstore

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/client/sqlwire"
)

// created finds a table's columns, with whether they must have a value. Keys that are made
// at once are no columns.
var created = regexp.MustCompile(`(?m)^\s*([A-Za-z0-9_]+) (?:[a-z]+)(?:\([0-9, ]+\))?((?: [^,\n]*)?)(?:,|\)|$)`)

func columnsOf(t table) map[string]bool {
	columns := map[string]bool{}
	_, body, _ := strings.Cut(t.create, "(\n")
	for _, m := range created.FindAllStringSubmatch(body, -1) {
		if name := strings.ToLower(m[1]); name != "unique" {
			columns[name] = strings.Contains(m[2], "not null") || strings.Contains(m[0], "serial") || strings.Contains(m[0], "identity")
		}
	}
	return columns
}

// Every engine has the tables and columns that users and the audit query. One of the
// engines cannot be started here.
func TestEveryEngineHasTheSameTables(t *testing.T) {
	for _, version := range []int{2, 3} {
		first, err := engineOf(sqlwire.Postgres, version)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{sqlwire.MariaDB, sqlwire.SQLServer} {
			e, err := engineOf(kind, version)
			if err != nil {
				t.Fatal(err)
			}
			tables := e.tables()
			for i, want := range first.tables() {
				got := tables[i]
				if text := got.create + strings.Join(got.indexes, ""); strings.Contains(text, "primary key") == got.unkeyed || got.unkeyed != want.unkeyed {
					t.Errorf("%s, %s: without a primary key: %t", kind, got.name, got.unkeyed)
				}
				if !strings.EqualFold(got.name, want.name) || got.rows != want.rows || got.loaded != want.loaded {
					t.Errorf("%s, version %d: table %d is %s, want %s", kind, version, i, got.name, want.name)
				}
				if a, b := columnsOf(got), columnsOf(want); !maps.Equal(a, b) || len(a) < 2 {
					t.Errorf("%s, %s: %v, want %v", kind, got.name, slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
				}
			}
		}
	}
}
