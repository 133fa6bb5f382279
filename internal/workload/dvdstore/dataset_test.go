package dvdstore_test

import (
	"testing"

	"plimsoll/internal/wire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
)

// TestDatasetSpace holds the estimates against sizes of loaded databases
// (pg_total_relation_size; the files of the database on MariaDB 10.11).
func TestDatasetSpace(t *testing.T) {
	tests := []struct {
		engine, size string
		megabytes    float64
	}{
		{"postgres", "10MB", 17.5},
		{"postgres", "100MB", 169.5},
		{"postgres", "300MB", 507.5},
		{"mariadb", "1MB", 3.3},
		{"mariadb", "10MB", 47.2},
		{"mariadb", "20MB", 65.8},
		{"mariadb", "50MB", 99.9},
		{"mariadb", "100MB", 159.4},
		{"mariadb", "300MB", 419.5},
	}
	for _, tt := range tests {
		d := dvdstore.Workload{}.Dataset(parameters(func(p *dvdstore.Parameters) { p.Size = tt.size }), workload.Kinds{"db": "sql:" + tt.engine}, 1)
		got := float64(d.Bytes) / 1e6
		if got < 0.75*tt.megabytes || got > 1.33*tt.megabytes {
			t.Errorf("%s %s: estimated %.1f MB, measured %.1f MB", tt.engine, tt.size, got, tt.megabytes)
		}
		t.Logf("%s %s: %.1f MB, measured %.1f MB; %s", tt.engine, tt.size, got, tt.megabytes, d.Description)
	}
}

func TestDatasetKey(t *testing.T) {
	w, postgres := dvdstore.Workload{}, workload.Kinds{"db": wire.Postgres}
	same := parameters(func(p *dvdstore.Parameters) { p.Size, p.NSearches = "10 mb", 7 })
	other := parameters(func(p *dvdstore.Parameters) { p.Size = "20MB" })
	key := w.Dataset(w.Defaults(), postgres, 1).Key
	if got := w.Dataset(same, postgres, 1).Key; got != key {
		t.Errorf("the same data have keys %q and %q", key, got)
	}
	if got := w.Dataset(other, postgres, 1).Key; got == key {
		t.Errorf("other data have the same key %q", key)
	}
	for _, d := range []string{"sqlite", ""} {
		if got := w.Dataset(w.Defaults(), workload.Kinds{"db": d}, 1); got.Key != "" {
			t.Errorf("engine %q has a data set: %+v", d, got)
		}
	}
}
