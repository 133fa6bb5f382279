package sqlshop

import (
	"regexp"
	"strings"
	"testing"

	"plimsoll/internal/client/sqlwire"
)

// written records the statements that are prepared.
type written struct {
	sqlwire.Conn
	statements []string
}

func (w *written) Prepare(sql string) (*sqlwire.Statement, error) {
	w.statements = append(w.statements, sql)
	return sqlwire.NewStatement(sql, 0, nil), nil
}

func statementsOn(t *testing.T, kind string, version int) []string {
	t.Helper()
	d, err := dialectOf(kind)
	if err != nil {
		t.Fatal(err)
	}
	w := &written{}
	s, err := prepare(w, d, version)
	if err != nil {
		t.Fatal(err)
	}
	shop := &Shop{conn: w, statements: s, dialect: d}
	if _, err := shop.insertLines(3); err != nil {
		t.Fatal(err)
	}
	if _, err := shop.insertBought(3); err != nil {
		t.Fatal(err)
	}
	return w.statements
}

var parameter = regexp.MustCompile(`\$[0-9]+`)

// parametersOf lists which parameters a statement has.
func parametersOf(sql string) map[string]bool {
	all := map[string]bool{}
	for _, p := range parameter.FindAllString(sql, -1) {
		all[p] = true
	}
	return all
}

// SQL Server cannot be started here: its statements take the arguments that those do which
// real servers are tested with, and have no words of these.
func TestStatementsOfSQLServerAreThoseOfTheOthers(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)\b(limit|returning|interval|current_date|lastval|last_insert_id|match|to_tsvector)\b|[{}` + "`" + `]`)
	for _, version := range []int{2, 3} {
		usual, own := statementsOn(t, sqlwire.Postgres, version), statementsOn(t, sqlwire.SQLServer, version)
		if len(usual) != len(own) {
			t.Fatalf("version %d: %d statements, want %d", version, len(own), len(usual))
		}
		for i, sql := range own {
			if got, want := parametersOf(sql), parametersOf(usual[i]); len(got) != len(want) {
				t.Errorf("%s\nhas %d parameters, want the same as\n%s", sql, len(got), usual[i])
			}
			if word := foreign.FindString(sql); word != "" {
				t.Errorf("%q in %s", word, sql)
			}
			if strings.Count(sql, "(") != strings.Count(sql, ")") || strings.Count(sql, "'")%2 != 0 {
				t.Errorf("unbalanced: %s", sql)
			}
		}
	}
	d, _ := dialectOf(sqlwire.SQLServer)
	for want, got := range map[string]string{
		"select top ($2) * from PRODUCTS where contains(actor, $1)":    d.write(d.first("select * from {products} where "+d.matches("actor"), "$2")),
		"insert into ORDERS (tax) output inserted.orderid values ($1)": d.write(d.numbered("insert into {orders} (tax)", "values ($1)", "orderid")),
		"dateadd(day, 7, cast(sysutcdatetime() as date))":              d.later(7, "day"),
	} {
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
