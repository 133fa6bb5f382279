package tpcds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/client/trino"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
)

// cluster is a coordinator of Trino with its workers, whose tables lie in a bucket, or an
// existing one.
type cluster struct {
	c       *trino.Client
	in      trino.Query // the catalogue and the schema of the tables
	lent    bool        // an existing one
	workers int         // that must be there; none are known of an existing cluster
	store   endpoint.Endpoint
	bucket  string
	iceberg bool
	catalog endpoint.Endpoint // the database that has the descriptions of Iceberg's tables
}

var _ store = (*cluster)(nil)

// schema is the one of the tables in a bucket.
const schema = "tpcds"

func openCluster(t workload.Target, p *Parameters) (*cluster, error) {
	e := t.Endpoint(warehouse)
	if (p.Tables == given) != e.Lent {
		return nil, fmt.Errorf("open the %s: tables: %s are those of an existing server of Trino: set existing beside the engine, or tables: %s", warehouse, given, inBucket)
	}
	c, err := trino.Open(e)
	if err != nil {
		return nil, err
	}
	if e.Lent {
		catalog, schema, ok := strings.Cut(endpoint.Database(e), ".")
		if !ok || catalog == "" || schema == "" {
			return nil, fmt.Errorf("open the %s: %q is not a catalogue and a schema: write existing.servers as host:port/catalogue.schema", warehouse, endpoint.Database(e))
		}
		return &cluster{c: c, in: trino.Query{Catalog: catalog, Schema: schema}, lent: true}, nil
	}
	s, err := endpoint.As[trino.Server](e)
	if err != nil {
		return nil, err
	}
	k := &cluster{c: c, in: trino.Query{Catalog: s.Catalog, Schema: schema}, store: t.Endpoint(storeRole), bucket: s.Bucket, iceberg: p.Connector == iceberg}
	if k.iceberg {
		k.catalog = t.Endpoint(metastore)
	}
	for _, e := range t.Endpoints {
		if e.Role == workerRole {
			k.workers++
		}
	}
	return k, nil
}

// longestWait bounds how long a cluster is waited for: workers join their coordinator
// some seconds after they have started.
const longestWait = 5 * time.Minute

// ready waits for all workers: with fewer, queries would be measured on another cluster.
func (k *cluster) ready(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, longestWait)
	defer done()
	if err := k.c.Await(ctx, k.workers); err != nil {
		return fmt.Errorf("wait for the cluster: %w", err)
	}
	if !k.lent {
		return nil
	}
	return k.mustHaveCatalog(ctx)
}

// mustHaveCatalog refuses an existing server without the catalogue that the study names.
func (k *cluster) mustHaveCatalog(ctx context.Context) error {
	rows, err := k.c.All(ctx, trino.Query{SQL: "SHOW CATALOGS"})
	if err != nil {
		return fmt.Errorf("ask for the catalogues: %w", err)
	}
	var there []string
	for _, r := range rows {
		there = append(there, fmt.Sprint(r...))
	}
	if !slices.Contains(there, k.in.Catalog) {
		return fmt.Errorf("the server has no catalogue %q: it has %s; name one of them", k.in.Catalog, strings.Join(there, ", "))
	}
	return nil
}

func (k *cluster) ask(ctx context.Context, sql string, limit time.Duration) (answer, error) {
	q := k.in
	q.SQL = sql
	if limit > 0 {
		q.Session = map[string]string{"query_max_run_time": fmt.Sprintf("%dms", max(1, limit.Milliseconds()))}
	}
	return k.run(ctx, q)
}

func (k *cluster) run(ctx context.Context, q trino.Query) (a answer, err error) {
	a.of, err = k.c.Run(ctx, q, func(r trino.Row) error {
		row := make([]*string, len(r))
		for i, v := range r {
			if v != nil {
				text, err := textOf(v)
				if err != nil {
					return err
				}
				row[i] = &text
			}
		}
		a.rows = append(a.rows, row)
		return nil
	})
	for _, c := range a.of.Columns {
		a.types = append(a.types, c.Type)
	}
	return a, err
}

// textOf is a value as SQL writes it; arrays and rows are JSON.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// columns has the query planned, and reads nothing.
func (k *cluster) columns(ctx context.Context, sql string) (int, error) {
	a, err := k.ask(ctx, "SELECT * FROM ("+sql+"\n) LIMIT 0", 0)
	return len(a.types), err
}

func (k *cluster) effort(ctx context.Context, a answer) (describe.Effort, bool) {
	blocked, err := k.c.Blocked(ctx, a.of.ID)
	if err != nil { // a coordinator that has forgotten the statement says nothing true of it
		return describe.Effort{}, false
	}
	s := a.of.Stats
	return describe.Effort{
		Count: 1, CPU: s.CPU.Seconds(), Scheduled: s.Scheduled.Seconds(), Blocked: blocked.Seconds(),
		InputBytes: s.InputBytes, SpilledBytes: s.SpilledBytes, PeakBytes: s.PeakBytes,
	}, true
}

func (*cluster) said(err error) bool {
	_, said := errors.AsType[*trino.Error](err)
	return said
}

func (k *cluster) close() { k.c.Close() }

// begin makes the bucket where the store has it not, and the schema.
func (k *cluster) begin(ctx context.Context, _ *Parameters) error {
	if err := makeBucket(ctx, k.store, k.bucket); err != nil {
		return err
	}
	if k.iceberg {
		if err := makeCatalog(ctx, k.catalog); err != nil {
			return err
		}
	}
	tables, err := column(ctx, k, "SHOW SCHEMAS LIKE '"+schema+"'")
	if err == nil && len(tables) > 0 {
		if tables, err = column(ctx, k, "SHOW TABLES"); err == nil && len(tables) > 0 {
			return notEmpty(tables[0])
		}
	}
	if err != nil {
		return err
	}
	_, err = k.ask(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema, 0)
	return err
}

// makeBucket makes a bucket where the store has it not.
func makeBucket(ctx context.Context, store endpoint.Endpoint, name string) error {
	s, err := bucket.Patient(store, 0)
	if err != nil {
		return err
	}
	there, err := s.BucketExists(ctx, name)
	switch {
	case err != nil:
		return fmt.Errorf("look for bucket %s: %w", name, err)
	case there:
		return nil
	}
	return bucket.Make(ctx, s, name, endpoint.StoreOf(store).Region, "plimsoll")
}

// codecs are the engine's names of compressions.
var codecs = map[string]string{"uncompressed": "NONE", "snappy": "SNAPPY", "zstd": "ZSTD"}

// table makes a table from the one that Trino's connector generates.
func (k *cluster) table(ctx context.Context, p *Parameters, name string) (madeTable, error) {
	from := fmt.Sprintf("tpcds.%q.%s", "sf"+fmt.Sprint(p.ScaleFactor), name)
	columns, err := k.selected(ctx, from)
	if err != nil {
		return madeTable{}, err
	}
	q := k.in
	q.SQL = fmt.Sprintf("CREATE TABLE %s WITH (format = '%s') AS SELECT %s FROM %s", name, strings.ToUpper(p.Format), columns, from)
	q.Session = map[string]string{k.in.Catalog + ".compression_codec": codecs[p.Compression]}
	if p.FileSize > 0 {
		q.Session[k.in.Catalog+".target_max_file_size"] = fmt.Sprintf("%dB", p.FileSize)
	}
	a, err := k.run(ctx, q)
	if err != nil {
		return madeTable{}, err
	}
	if len(a.rows) != 1 || a.rows[0][0] == nil {
		return madeTable{}, fmt.Errorf("the server does not say how many rows table %s has", name)
	}
	return madeTable{rows: *a.rows[0][0], bytes: a.of.Stats.WrittenBytes, by: a}, nil
}

// selected are the columns of a generated table as they are kept. Iceberg has no texts of a
// fixed length, and what Trino makes of them has the spaces that fill them up, so that they
// would equal nothing that queries look for.
func (k *cluster) selected(ctx context.Context, from string) (string, error) {
	if !k.iceberg {
		return "*", nil
	}
	a, err := k.ask(ctx, "SELECT * FROM "+from+" LIMIT 0", 0)
	if err != nil {
		return "", err
	}
	var all []string
	for _, c := range a.of.Columns {
		text := c.Name
		if strings.HasPrefix(c.Type, "char(") {
			text = fmt.Sprintf("rtrim(CAST(%s AS varchar)) AS %s", c.Name, c.Name)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", "), nil
}

func (k *cluster) analyze(ctx context.Context, name string) error {
	_, err := k.ask(ctx, "ANALYZE "+name, 0)
	return err
}

func (k *cluster) keep(ctx context.Context, _ *Parameters, notes []note) error {
	_, err := k.ask(ctx, "CREATE TABLE "+noted+" AS SELECT * FROM "+values(notes), 0)
	return err
}
