package trino_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/trino"
	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/client/bucket"
	client "plimsoll/internal/client/trino"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
	"plimsoll/test/nightly"

	"github.com/minio/minio-go/v7"
)

const least = 1 << 30

func suite() apptest.Suite {
	return apptest.Suite{
		Engine: trino.Engine{}, Fetch: true, Platform: localtest.Platform, Least: least, Alone: true,
		Ask: func(t *testing.T, e endpoint.Endpoint) error {
			rows, err := query(t.Context(), e, "SELECT count(*) FROM tpcds.tiny.item")
			if err == nil && fmt.Sprint(rows) != "[[2000]]" {
				err = fmt.Errorf("there are %v items", rows)
			}
			return err
		},
	}
}

func TestEngine(t *testing.T) {
	nightly.Only(t, byDay)
	apptest.Run(t, suite())
}

func open(t *testing.T, e endpoint.Endpoint) *client.Client {
	t.Helper()
	c, err := client.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func query(ctx context.Context, e endpoint.Endpoint, sql string) ([]client.Row, error) {
	c, err := client.Open(e)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.All(ctx, client.Query{SQL: sql})
}

// cluster is a gateway on a volume with a bucket, a coordinator and workers, configured
// like servers of an instance.
type cluster struct {
	apptest.Bench
	p           platform.Platform
	config      app.Config
	store       endpoint.Endpoint
	coordinator platform.Process
}

func newCluster(t *testing.T) *cluster {
	b := apptest.New(t, suite())
	p, config := b.Configured(t, "coordinator")
	c := &cluster{Bench: b, p: p, config: config, store: gateway(t, p)}
	c.config.Peers = []endpoint.Endpoint{c.store}
	c.coordinator = c.Start(t, p, c.config, storage.Volume{})
	return c
}

// gateway is an object store with a bucket.
func gateway(t *testing.T, p platform.Platform) endpoint.Endpoint {
	t.Helper()
	b := apptest.New(t, apptest.Suite{Engine: versitygw.Engine{}, Fetch: true, Platform: localtest.Platform, Volume: localtest.Volume,
		Ask: func(*testing.T, endpoint.Endpoint) error { return nil }})
	config := b.Config("store")
	e := b.Start(t, p, config, b.Initialised(t, p, config)).Endpoint()
	c, err := bucket.Client(e, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.MakeBucket(t.Context(), trino.Bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return e
}

// worker starts a worker, which spills to a volume.
func (c *cluster) worker(t *testing.T, name string, v storage.Volume) platform.Process {
	t.Helper()
	config := c.Config(name)
	config.Peers = []endpoint.Endpoint{c.store, c.coordinator.Endpoint()}
	config.Mounts = []endpoint.Endpoint{endpoint.OfDirectory("spill", v.Path)}
	proc, err := c.p.Start(t.Context(), c.Engine.Server(c.In, config), v)
	if err != nil {
		t.Error(err)
	}
	return proc
}

func await(t *testing.T, c *client.Client, workers int) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 5*time.Minute)
	defer done()
	if err := c.Await(ctx, workers); err != nil {
		t.Fatal(err)
	}
}

// byDay explains why servers are started only at night: alongside other tests, on two
// cores, Java takes minutes to start each.
const byDay = "TestJavaIsFetched, TestSettingsAreJudged and the client's own tests, but no server: Java starts too slowly for each change"

// A table is made on the bucket and read by two workers. One of them is killed and comes
// back.
func TestCluster(t *testing.T) {
	nightly.Only(t, byDay)
	c := newCluster(t)
	volumes := []storage.Volume{localtest.Volume(t, c.p, "worker-1"), localtest.Volume(t, c.p, `spill "a\b" é`)}
	var first platform.Process
	var started sync.WaitGroup
	started.Go(func() { first = c.worker(t, "worker-1", volumes[0]) })
	started.Go(func() { c.worker(t, "worker-2", volumes[1]) })
	started.Wait()
	if t.Failed() {
		return
	}
	ask := open(t, c.coordinator.Endpoint())
	await(t, ask, len(volumes))
	if s, err := endpoint.As[client.Server](c.coordinator.Endpoint()); err != nil || s.Catalog != trino.Catalog || s.Bucket != trino.Bucket {
		t.Fatalf("%+v, %v", s, err)
	}
	asksForThePassword(t, first.Endpoint())
	lake := client.Query{Catalog: trino.Catalog, Schema: "s"}
	run := func(sql string) (a client.Answer, rows []client.Row) {
		t.Helper()
		lake.SQL = sql
		a, err := ask.Run(t.Context(), lake, func(r client.Row) error {
			rows = append(rows, r)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return a, rows
	}
	run("CREATE SCHEMA s")
	made, _ := run("CREATE TABLE customer AS SELECT * FROM tpcds.tiny.customer")
	if made.Stats.WrittenBytes == 0 || made.Stats.CPU == 0 {
		t.Errorf("the statement wrote nothing: %+v", made.Stats)
	}
	read, rows := run("SELECT count(*), sum(c_birth_year) FROM customer")
	if len(rows) != 1 || len(read.Columns) != 2 || fmt.Sprint(rows[0][0]) != "1000" || read.Stats.InputBytes == 0 || read.Stats.Nodes < 1 {
		t.Errorf("%v, %+v", rows, read)
	}
	if _, err := ask.Blocked(t.Context(), read.ID); err != nil {
		t.Error(err)
	}

	c.killed(t, first, volumes[0], ask, run)
	t.Run("statements that fail", func(t *testing.T) { fails(t, c.coordinator.Endpoint(), ask) })
}

// asksForThePassword sees that a server gives nothing to who has neither the password nor the
// secret of the cluster.
func asksForThePassword(t *testing.T, e endpoint.Endpoint) {
	t.Helper()
	for _, path := range []string{"/metrics", "/v1/thread", "/v1/jmx/mbean", "/v1/task", "/v1/memory"} {
		for header, value := range map[string]string{"X-Trino-User": "somebody", "X-Forwarded-Proto": "https"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+e.Address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(header, value)
			got, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			if got.StatusCode != http.StatusUnauthorized && got.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %s", path, header, got.Status)
			}
		}
	}
}

// killed has a query lose its worker, which comes back.
func (c *cluster) killed(t *testing.T, first platform.Process, v storage.Volume, ask *client.Client, run func(string) (client.Answer, []client.Row)) {
	t.Helper()
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.Done()
	lost, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if _, err := ask.Run(lost, client.Query{SQL: "SELECT count(*) FROM tpcds.sf1.store_sales"}, nil); err != nil {
		var failed interface{ ErrorClass() string }
		if !errors.As(err, &failed) || failed.ErrorClass() != client.WorkerLost {
			t.Errorf("with a worker gone: %v", err)
		}
	}
	c.worker(t, "worker-1", v)
	await(t, ask, 2)
	run("SELECT count(*) FROM customer")
}

// fails tries faulty statements: each has a class, and one that takes too long or is given
// up ends.
func fails(t *testing.T, e endpoint.Endpoint, ask *client.Client) {
	long := "SELECT count(*) FROM tpcds.sf100.store_sales a, tpcds.sf100.store_sales b WHERE a.ss_item_sk < b.ss_item_sk"
	for class, q := range map[string]client.Query{
		"other:SYNTAX_ERROR":      {SQL: "SELEKT 1"},
		"other:CATALOG_NOT_FOUND": {SQL: "SELECT * FROM nothing.a.b"},
		"timeout":                 {SQL: long, Session: map[string]string{"query_max_run_time": "2s"}},
		errorclass.OutOfMemory:    {SQL: "SELECT count(*) FROM (SELECT DISTINCT ss_item_sk, ss_ticket_number FROM tpcds.sf1.store_sales)", Session: map[string]string{"query_max_memory": "1MB"}},
	} {
		_, err := ask.Run(t.Context(), q, nil)
		var failed *client.Error
		if !errors.As(err, &failed) || failed.ErrorClass() != class {
			t.Errorf("%s: %v", class, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := ask.Run(ctx, client.Query{SQL: long}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	stop := errors.New("enough")
	if _, err := ask.Run(t.Context(), client.Query{SQL: "SELECT * FROM tpcds.tiny.customer"}, func(client.Row) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	for range 100 { // the coordinator ends what was given up
		rows, err := ask.All(t.Context(), client.Query{SQL: "SELECT query FROM system.runtime.queries WHERE state IN ('RUNNING', 'QUEUED', 'PLANNING', 'STARTING') AND query LIKE '%sf100%' AND query NOT LIKE '%runtime%'"})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	e.Password = "another"
	if _, err := query(t.Context(), e, "SELECT 1"); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("another password: %v", err)
	}
}

func TestSettingsAreJudged(t *testing.T) {
	apptest.JudgesSettings(t, trino.Engine{}, map[string]apptest.Setting{
		"misspelt":            {Name: "task.concurency", Value: "9", Reason: "has no setting task.concurency", Hint: "did you mean \"task.concurrency\"?"},
		"ours":                {Name: "http-server.http.port", Value: "80", Reason: "Plimsoll sets http-server.http.port", Hint: "remove it"},
		"other power":         {Name: "plugin.dir", Value: "x", Reason: "which a study may not", Hint: "remove it"},
		"a variable":          {Name: "query.max-memory", Value: "${ENV:HOME}", Reason: "taken from somewhere else", Hint: "write the value itself"},
		"right":               {Name: "query.max-memory", Value: "1GB"},
		"another connector's": {Name: "iceberg.compression-codec", Value: "ZSTD", Reason: "a setting of the connector iceberg", Hint: "remove it"},
		"of the catalogue":    {Name: "iceberg.jdbc-catalog.catalog-name", Value: "x", Reason: "Plimsoll sets iceberg.jdbc-catalog.catalog-name", Hint: "remove it"},
	})
	e := trino.Engine{}
	s := e.Server(app.Installation{}, app.Config{
		Name:     "golden-1.8.0-worker",
		Settings: map[string]string{"task.concurrency": "2", "hive.compression-codec": "ZSTD"},
		Peers:    []endpoint.Endpoint{{Kind: endpoint.Bucket, Payload: endpoint.With(endpoint.Store{URLs: []string{"http://s"}, Name: "b"})}},
	})
	at := map[string]string{}
	for _, f := range s.Files {
		at[f.Path] = f.Content
	}
	server, lake := at["${RUNTIME}/config.properties"], at["${RUNTIME}/catalog/lake.properties"]
	if !strings.Contains(server, "node.id=golden-1-8-0-worker\n") { // Trino takes no dots
		t.Error(server)
	}
	if !strings.Contains(server, "task.concurrency=2") || strings.Contains(server, "ZSTD") || !strings.Contains(lake, "hive.compression-codec=ZSTD") || !strings.Contains(lake, "s3://b/tables") {
		t.Errorf("%s\n%s", server, lake)
	}
}

// With a database as well as the bucket, the tables' metadata is in the database.
func TestTablesOfIceberg(t *testing.T) {
	config := app.Config{
		Name: "worker", Settings: map[string]string{"iceberg.compression-codec": "ZSTD"},
		Peers: []endpoint.Endpoint{
			{Kind: endpoint.Bucket, Payload: endpoint.With(endpoint.Store{URLs: []string{"http://s"}, Name: "b"})},
			{Kind: "sql:postgres", Network: "unix", Address: "/run/.s.PGSQL.1", User: "web", Password: `back\slash`, Payload: endpoint.With(endpoint.SQL{Database: "a lake", TCP: "127.0.0.1:1"})},
		},
	}
	lake := ""
	for _, f := range (trino.Engine{}).Server(app.Installation{}, config).Files {
		if strings.HasSuffix(f.Path, "/lake.properties") {
			lake = f.Content
			if f.Mode != 0o600 {
				t.Errorf("others can read the password: %o", f.Mode)
			}
		}
	}
	for _, want := range []string{"connector.name=iceberg\n", "connection-url=jdbc:postgresql://127.0.0.1:1/a%20lake\n", `connection-password=back\\slash`, "default-warehouse-dir=s3://b/tables\n", "iceberg.compression-codec=ZSTD", "s3.endpoint=http://s\n"} {
		if !strings.Contains(lake, want) {
			t.Errorf("nothing of %q: %s", want, lake)
		}
	}
	if strings.Contains(lake, "hive.") {
		t.Error(lake)
	}
	config.Settings = map[string]string{"hive.max-split-size": "1MB"}
	problems, err := trino.Engine{}.CheckConfig(t.Context(), app.Installation{}, config)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Text, "a setting of the connector hive") {
		t.Errorf("%+v, %v", problems, err)
	}
}

// A coordinator and its workers have one secret, which others cannot read and which another
// run's servers do not have. All others are asked for the password, by workers too.
func TestServersOfAClusterShareASecret(t *testing.T) {
	secret := func(password string, peers ...endpoint.Endpoint) string {
		for _, f := range (trino.Engine{}).Server(app.Installation{}, app.Config{Name: "server", AdminPassword: password, Peers: peers}).Files {
			if !strings.HasSuffix(f.Path, "/config.properties") {
				continue
			}
			if f.Mode != 0o600 {
				t.Errorf("others can read the secret: %o", f.Mode)
			}
			if !strings.Contains(f.Content, "http-server.authentication.type=PASSWORD\n") {
				t.Errorf("it asks for no password:\n%s", f.Content)
			}
			for line := range strings.Lines(f.Content) {
				if value, ok := strings.CutPrefix(line, "internal-communication.shared-secret="); ok {
					return strings.TrimSpace(value)
				}
			}
		}
		t.Fatal("a server has no secret")
		return ""
	}
	coordinator := endpoint.Endpoint{Kind: client.Kind, Address: "127.0.0.1:1"}
	if one, two := secret("of this run"), secret("of this run", coordinator); one != two || len(one) < 32 || strings.Contains(one, "of this run") {
		t.Errorf("the coordinator has %q, a worker %q", one, two)
	}
	if secret("of this run", coordinator) == secret("of another", coordinator) {
		t.Error("two runs have the same secret")
	}
}
