package tpcds_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	engine "plimsoll/internal/app/duckdb"
	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/tpcds"

	"github.com/google/go-cmp/cmp"
)

func parametersWith(change func(*tpcds.Parameters)) workload.Parameters {
	p := tpcds.Workload{}.Defaults().(*tpcds.Parameters)
	p.ScaleFactor, p.Queries = 0.01, []int{3, 7, 42, 96, 52}
	change(p)
	return p
}

func TestConformance(t *testing.T) {
	workloadtest.Run(t, workloadtest.Suite{
		Workload: tpcds.Workload{}, Parameters: parametersWith(func(*tpcds.Parameters) {}),
		Environment: workloadtest.Here(engine.Engine{}),
		Falsified: func(receipts [][]byte) map[string][][]byte {
			other := slices.Clone(receipts)
			other[0] = append(slices.Clone(other[0]), 'x')
			return map[string][][]byte{"another answer": other}
		},
		Wrong: map[string]workload.Parameters{
			"scale_factor": parametersWith(func(p *tpcds.Parameters) { p.ScaleFactor = 0 }),
			"queries":      parametersWith(func(p *tpcds.Parameters) { p.Queries = []int{3, 100} }),
			"compression":  parametersWith(func(p *tpcds.Parameters) { p.Compression = "lzma" }),
			"work":         parametersWith(func(p *tpcds.Parameters) { p.Work = "load" }), // of files
			"tables":       parametersWith(func(p *tpcds.Parameters) { p.Tables = "here" }),
			"balanced":     parametersWith(func(p *tpcds.Parameters) { p.Balanced = true }),       // in front of files
			"single":       parametersWith(func(p *tpcds.Parameters) { p.Single = true }),         // of files
			"connector":    parametersWith(func(p *tpcds.Parameters) { p.Connector = "iceberg" }), // of files
			"format":       parametersWith(func(p *tpcds.Parameters) { p.Format = "csv" }),
			"file_size":    parametersWith(func(p *tpcds.Parameters) { p.FileSize = 10 }),
			"time_limit":   parametersWith(func(p *tpcds.Parameters) { p.TimeLimit = 0 }),
		},
	})
}

// TestBalancedCluster holds that the servers of a cluster use what stands in front of the
// gateways, and not the gateways.
func TestBalancedCluster(t *testing.T) {
	roles := tpcds.Workload{}.Roles(inBucket(func(p *tpcds.Parameters) { p.Balanced = true }))
	after := map[string][]string{}
	for _, r := range roles {
		after[r.Name] = r.After
	}
	want := map[string][]string{"store": nil, "balancer": {"store"}, "warehouse": {"balancer"}, "worker": {"balancer", "warehouse"}}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Error(diff)
	}
}

// TestRolesOfIceberg: all servers of a cluster know the database of the catalogue, and its
// contents are kept with the bucket.
func TestRolesOfIceberg(t *testing.T) {
	p := inBucket(func(p *tpcds.Parameters) { p.Connector = "iceberg" })
	w := tpcds.Workload{}
	after := map[string][]string{}
	for _, r := range w.Roles(p) {
		after[r.Name] = r.After
	}
	want := map[string][]string{"store": nil, "metastore": nil, "warehouse": {"store", "metastore"}, "worker": {"store", "metastore", "warehouse"}}
	if diff := cmp.Diff(want, after); diff != "" {
		t.Error(diff)
	}
	kinds := workload.Kinds{"store": "bucket", "metastore": "sql:postgres"}
	set, hive := w.Dataset(p, kinds, 1), w.Dataset(inBucket(same), kinds, 1)
	if set.Roles["metastore"].Key == "" || set.Key() == hive.Key() || len(hive.Roles) != 1 {
		t.Errorf("%+v, %+v", set, hive)
	}
}

// TestDuckDBInABucket has one server ask the files of a bucket, whose gateway is killed.
func TestDuckDBInABucket(t *testing.T) {
	p := inBucket(func(p *tpcds.Parameters) { p.Single = true })
	here := workloadtest.Here(engine.Engine{}, versitygw.Engine{})
	w := tpcds.Workload{}
	i := here.Start(t, w.Roles(p), w.Dataset(p, workload.Kinds{"store": "bucket", "warehouse": "duckdb"}, 1))
	prepare(t, i, p)
	c, errs := play(t, alone(i), p, 0)
	if len(errs) > 0 || c.done[0] != 5 || c.efforts[0].Count != 5 || c.efforts[0].InputBytes != 0 {
		t.Fatalf("%d of 5 queries, %+v: %v", c.done[0], c.efforts[0], errs)
	}
	if a := audit(t, i, p, c); !a.Passed() || a.Acknowledged != 5 {
		t.Errorf("%+v", a)
	}
	i.KillRole(t, "warehouse")
	i.RecoverRole(t, "warehouse") // it finds the tables again
	if c, errs := play(t, alone(i), p, 0); len(errs) > 0 || c.done[0] != 5 {
		t.Errorf("after a kill %d of 5 queries: %v", c.done[0], errs)
	}
	s, err := w.Open(t.Context(), alone(i), p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	i.KillRole(t, "store")
	if err := s.Do(t.Context(), newCounts()); class(err) == "" {
		t.Errorf("without the bucket: %v", err)
	}
	i.RecoverRole(t, "store")
	if err := s.Do(t.Context(), newCounts()); err != nil {
		t.Errorf("with the bucket back: %v", err)
	}
}

// counts is a recorder of how operations ended.
type counts struct {
	done, failed map[int]int
	order        []int
	efforts      map[int]describe.Effort
	receipts     [][]byte
	bytes        int64
}

func newCounts() *counts {
	return &counts{done: map[int]int{}, failed: map[int]int{}, efforts: map[int]describe.Effort{}}
}

func (c *counts) Observe(operation int, _ time.Time, _ time.Duration, outcome workload.Outcome) {
	c.order = append(c.order, operation)
	if outcome == workload.Done {
		c.done[operation]++
	} else {
		c.failed[operation]++
	}
}
func (c *counts) Moved(_ int, bytes int64) { c.bytes += bytes }
func (c *counts) Spent(operation int, e describe.Effort) {
	c.efforts[operation] = c.efforts[operation].Plus(e)
}
func (c *counts) Receipt(r []byte) { c.receipts = append(c.receipts, slices.Clone(r)) }

func play(t *testing.T, target workload.Target, p workload.Parameters, user int) (*counts, []error) {
	t.Helper()
	s, err := tpcds.Workload{}.Open(t.Context(), target, p, user, uint64(user))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var errs []error
	c := newCounts()
	for {
		err := s.Do(t.Context(), c)
		if errors.Is(err, workload.ErrFinished) {
			return c, errs
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
}

// TestAllQueries runs the published list: each once, with the answer that was noted.
func TestAllQueries(t *testing.T) {
	list := tpcds.Workload{}.Defaults().(*tpcds.Parameters).Queries
	p := parametersWith(func(p *tpcds.Parameters) { p.Queries = list })
	w := tpcds.Workload{}
	i := workloadtest.Here(engine.Engine{}).Start(t, w.Roles(p), w.Dataset(p, workload.Kinds{"warehouse": "duckdb"}, 1))
	if err := w.Prepare(t.Context(), i.Admin(), p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	alone := i.Target()
	alone.Users = 1
	c, errs := play(t, alone, p, 0)
	if len(errs) > 0 || c.done[0] != len(list) {
		t.Fatalf("%d of %d queries: %v", c.done[0], len(list), errs)
	}
	for n := range list {
		if c.order[2*n] != n+1 {
			t.Fatalf("the only stream ran operation %d in turn %d", c.order[2*n], n)
		}
	}
	several := alone
	several.Users = 2
	one, errs := play(t, several, p, 0)
	other, more := play(t, several, p, 1)
	if len(errs)+len(more) > 0 || one.done[0] != len(list) || fmt.Sprint(one.order) == fmt.Sprint(other.order) {
		t.Errorf("two streams: %v, %v; %v", errs, more, one.order)
	}

	t.Run("a query over its time has failed, and the next goes on", func(t *testing.T) {
		p := parametersWith(func(p *tpcds.Parameters) { p.Queries, p.TimeLimit = list, unit.Duration(time.Nanosecond) })
		c, errs := play(t, alone, p, 0)
		if len(errs) != len(list) || c.failed[0] != len(list) || c.done[0] > 0 {
			t.Errorf("%d failed, %d did not: %v", c.failed[0], c.done[0], errs)
		}
	})
	t.Run("a table that has lost rows is found before queries", func(t *testing.T) {
		files, err := filepath.Glob(i.Volume() + "/lake/store_sales/*.parquet")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		if err := os.Truncate(files[0], 100); err != nil {
			t.Fatal(err)
		}
		_, err = w.Open(t.Context(), alone, p, 0, 1)
		if err == nil || !strings.Contains(err.Error(), "store_sales") {
			t.Errorf("%v", err)
		}
	})
}

// TestWrongAnswer changes a value without changing the number of rows.
func TestWrongAnswer(t *testing.T) {
	p := parametersWith(func(p *tpcds.Parameters) { p.Queries = []int{28} })
	w := tpcds.Workload{}
	i := workloadtest.Here(engine.Engine{}).Start(t, w.Roles(p), w.Dataset(p, workload.Kinds{"warehouse": "duckdb"}, 1))
	if err := w.Prepare(t.Context(), i.Admin(), p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	s, err := w.Open(t.Context(), i.Target(), p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tpcds.Forge(t, i.Admin())
	err = s.Do(t.Context(), newCounts())
	if c, ok := err.(interface{ ErrorClass() string }); !ok || c.ErrorClass() != "wrong-answer" {
		t.Errorf("a wrong answer: %v", err)
	}
}
