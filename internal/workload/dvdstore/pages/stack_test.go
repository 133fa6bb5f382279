package pages_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/pages"
)

// seed of the loaded databases, and workers of PHP.
const seed, workers = 4711, 3

var engines = []app.Engine{postgres.Engine{}, mariadb.Engine{}}

// stack is a shop: a loaded database, PHP and a web server in front of it.
type stack struct {
	db         *workloadtest.Instance
	engine     app.Engine
	parameters *dvdstore.Parameters
	client     *http.Client
	receipts   [][]byte // of all orders
	php, web   platform.Process
}

func parameters(version int, size string) *dvdstore.Parameters {
	p := dvdstore.Workload{}.Defaults().(*dvdstore.Parameters)
	p.Version, p.Size = version, size
	return p
}

// start starts a shop whose database is of a version; the site has the pages
// of both, and more that the test wants. It ends with the test.
func start(t *testing.T, e app.Engine, p *dvdstore.Parameters, more map[string]string) *stack {
	t.Helper()
	skipWithout(t, e)
	s := &stack{engine: e, parameters: p}
	s.db = workloadtest.Start(t, e, "db", dvdstore.Workload{}.Dataset(p, workload.Kinds{"db": e.Kind()}, seed))
	if err := (dvdstore.Workload{}).Prepare(t.Context(), s.db.Admin(), p, seed, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	content := pages.Files(2)
	maps.Copy(content, pages.Files(3))
	maps.Copy(content, more)
	s.php = s.db.Add(t, phpfpm.Engine{}, workload.Role{Name: "php", After: []string{"db"}, Content: content},
		map[string]string{"pm.max_children": fmt.Sprint(workers)})
	s.web = s.db.Add(t, nginx.Engine{}, workload.Role{Name: "web", After: []string{"php"}}, nil)
	web := s.db.Target().Endpoint("web")
	s.client = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, web.Network, web.Address)
		}}}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// skipWithout skips a test where something is not installed, and says what.
func skipWithout(t *testing.T, database app.Engine) {
	t.Helper()
	for _, needed := range []app.Engine{database, nginx.Engine{}, phpfpm.Engine{}} {
		in, err := needed.Find(t.Context(), "", false)
		if err != nil {
			t.Skip(err)
		}
		c := app.Config{Peers: []endpoint.Endpoint{{Kind: database.Kind()}}}
		found, err := needed.Capabilities().Config.CheckConfig(t.Context(), in, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range found {
			t.Skip(problem.Text, problem.Hint)
		}
	}
}

// separate tries what whoever breaks into the web server or into PHP gets to: the servers
// that it uses, by their sockets, and nothing of the database's or of each other's files.
func (s *stack) separate(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root runs servers as users of their own")
	}
	db, php, web := s.db.Target().Endpoint("db"), s.php.Endpoint(), s.web.Endpoint()
	for _, c := range []struct {
		into         platform.Process
		open, closed []string // sockets
		files        []string
	}{
		{s.web, []string{php.Address}, []string{db.Address}, []string{filepath.Dir(php.Address) + "/peers.php", filepath.Dir(php.Address) + "/site/ds2/dslogin.php"}},
		{s.php, []string{db.Address}, []string{web.Address}, []string{filepath.Dir(web.Address) + "/nginx.conf"}},
	} {
		files := append(c.files, s.db.Volume(), filepath.Dir(db.Address))
		err := localtest.AsProcess(t, c.into.(interface{ PIDs() []int }).PIDs()[0], func() (err error) {
			for _, socket := range c.open {
				conn, dialErr := net.Dial("unix", socket)
				if dialErr != nil {
					return dialErr
				}
				conn.Close()
			}
			for _, socket := range c.closed {
				if conn, dialErr := net.Dial("unix", socket); dialErr == nil {
					conn.Close()
					err = errors.Join(err, fmt.Errorf("it connects to %s", socket))
				}
			}
			for _, path := range files {
				if f, openErr := os.Open(path); openErr == nil {
					f.Close()
					err = errors.Join(err, fmt.Errorf("it opens %s", path))
				}
			}
			return err
		})
		if err != nil {
			t.Errorf("in the place of %s: %v", c.into.Name(), err)
		}
	}
}

// TestServe serves a shop by hand, which can be looked at with a browser:
// PAGES_ENGINE=postgres go test -run TestServe -v -timeout 0
func TestServe(t *testing.T) {
	for _, e := range engines {
		if e.Name() == os.Getenv("PAGES_ENGINE") {
			s := start(t, e, parameters(3, "10MB"), nil)
			stop := filepath.Join(t.TempDir(), "remove-to-stop")
			if err := os.WriteFile(stop, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			fmt.Printf("/ds3/dslogin.php (user1, password) on the socket %s; it stops when %s is removed\n", s.db.Target().Endpoint("web").Address, stop)
			for {
				if _, err := os.Stat(stop); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}
	}
	t.Skip("PAGES_ENGINE names no engine to serve a shop with")
}
