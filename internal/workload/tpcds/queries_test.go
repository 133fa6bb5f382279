package tpcds_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app/fetch"
	"plimsoll/internal/workload/tpcds"
)

func TestTexts(t *testing.T) {
	texts, err := tpcds.Fetch(t.Context())
	if errors.Is(err, fetch.ErrNoMaven) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= tpcds.Count; n++ {
		plain, err := texts.SQL(n, "")
		if err != nil {
			t.Fatal(err)
		}
		qualified, err := texts.SQL(n, "lake.sales")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(plain+qualified, "$") || strings.HasSuffix(plain, ";") || !strings.Contains(qualified, "lake.sales.") {
			t.Errorf("query %d:\n%s", n, qualified)
		}
		if strings.ReplaceAll(qualified, "lake.sales.", "") != plain {
			t.Errorf("query %d has another text without a schema", n)
		}
	}
	for _, n := range []int{0, tpcds.Count + 1} {
		if _, err := texts.SQL(n, ""); err == nil {
			t.Errorf("there is a query %d", n)
		}
	}
}

func TestWithoutMaven(t *testing.T) {
	t.Setenv(fetch.CacheVariable, t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if _, err := tpcds.Fetch(t.Context()); !errors.Is(err, fetch.ErrNoMaven) || !strings.Contains(err.Error(), "apt-get install maven") {
		t.Error(err)
	}
}

func TestIOIntensive(t *testing.T) {
	all := tpcds.IOIntensive()
	if len(all) != 54 || !slices.IsSorted(all) || all[0] < 1 || all[53] > tpcds.Count || len(slices.Compact(all)) != 54 {
		t.Error(all)
	}
}
