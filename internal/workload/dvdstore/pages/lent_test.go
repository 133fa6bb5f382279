package pages_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/client/sqlconn"
	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/client/sqlwire/dial"
	"plimsoll/internal/client/sqlwire/sqlwiretest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload/dvdstore/pages"
)

// asking connects as a page does, twice, because persistent connections are used again,
// and asks what the session has.
const asking = `<?php
require 'lib/shop.php';
$asked = json_decode(stream_get_contents(STDIN), true);
foreach ([1, 2] as $request) {
    $db = connect(2);
    $c = (new ReflectionProperty($db, 'connection'))->getValue($db);
    foreach ($asked as $expression) {
        $values[$expression] = $c instanceof PDO ? $c->query("select $expression")->fetchColumn() : pg_fetch_result(pg_query($c, "select $expression"), 0, 0);
    }
    $answers[] = $values;
    unset($db, $c);
}
echo json_encode($answers);
`

// The pages' sessions on existing servers have the same settings as the driver's.
func TestSessionsOnExistingServers(t *testing.T) {
	for _, engine := range sqlwiretest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			e := sqlwiretest.Spoilt(t, engine)
			if engine == sqlwire.Postgres { // by its directory, as studies may have it
				_, port, _ := net.SplitHostPort(sqlwiretest.TCP(t, e).Address)
				e.Address = filepath.Dir(e.Address) + ":" + port
			}
			e.Lent = true
			c, err := dial.Open(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			sqlwiretest.MustDo(t, c, "create table CUSTOMERS (CUSTOMERID int)")
			c.Close()
			want := sqlwiretest.Settled(engine)
			for request, got := range answers(t, e, want) {
				for expression := range want {
					if got[expression] != want[expression] {
						t.Errorf("request %d: %s is %q, want %q", request+1, expression, got[expression], want[expression])
					}
				}
			}
		})
	}
}

// answers asks by the pages' library.
func answers(t *testing.T, e endpoint.Endpoint, expressions map[string]string) (all []map[string]string) {
	t.Helper()
	php, err := exec.LookPath("php")
	if err != nil {
		t.Skip("php is not installed (Debian package php-cli)")
	}
	dir := t.TempDir()
	files := pages.Files(2)
	files["ask.php"] = asking
	peers, err := json.Marshal(map[string]map[string]string{"db": {
		"kind": e.Kind, "network": e.Network, "address": e.Address, "database": endpoint.Database(e), "user": e.User, "password": e.Password, "session": sqlconn.Session(e),
	}})
	if err != nil {
		t.Fatal(err)
	}
	files["peers.json"] = string(peers)
	files["peers.php"] = "<?php return json_decode(file_get_contents('peers.json'), true);"
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := json.Marshal(slices.Collect(maps.Keys(expressions)))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), php, "ask.php")
	c.Dir, c.Stdin = dir, bytes.NewReader(asked)
	out, err := c.Output()
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	if err != nil || len(all) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	return all
}
