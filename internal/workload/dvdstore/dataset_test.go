package dvdstore_test

import (
	"reflect"
	"testing"

	"plimsoll/internal/client/sqlwire"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
)

// TestDatasetSpace holds the estimates against sizes of loaded databases
// (pg_total_relation_size; the files of the database on MariaDB 10.11).
func TestDatasetSpace(t *testing.T) {
	tests := []struct {
		engine    string
		version   int
		size      string
		megabytes float64
	}{
		{"postgres", 2, "10MB", 17.5},
		{"postgres", 2, "100MB", 169.5},
		{"postgres", 2, "300MB", 507.5},
		{"postgres", 3, "1MB", 44.5},
		{"postgres", 3, "10MB", 437.8},
		{"postgres", 3, "30MB", 1311.9},
		{"mariadb", 2, "1MB", 3.3},
		{"mariadb", 2, "10MB", 47.2},
		{"mariadb", 2, "20MB", 65.8},
		{"mariadb", 2, "50MB", 99.9},
		{"mariadb", 2, "100MB", 159.4},
		{"mariadb", 2, "300MB", 419.5},
		{"mariadb", 3, "1MB", 49.6},
		{"mariadb", 3, "10MB", 420.8},
		{"mariadb", 3, "30MB", 1155.9},
	}
	for _, tt := range tests {
		d := dvdstore.Workload{}.Dataset(parameters(func(p *dvdstore.Parameters) { p.Version, p.Size = tt.version, tt.size }), workload.Kinds{"db": "sql:" + tt.engine}, 1)
		got := float64(d.Space().Bytes) / 1e6
		if got < 0.75*tt.megabytes || got > 1.33*tt.megabytes {
			t.Errorf("%s, version %d, %s: estimated %.1f MB, measured %.1f MB", tt.engine, tt.version, tt.size, got, tt.megabytes)
		}
		t.Logf("%s, version %d, %s: %.1f MB, measured %.1f MB; %s", tt.engine, tt.version, tt.size, got, tt.megabytes, d.Description)
	}
}

func TestDatasetKey(t *testing.T) {
	w, postgres := dvdstore.Workload{}, workload.Kinds{"db": sqlwire.Postgres}
	same := parameters(func(p *dvdstore.Parameters) { p.Size, p.NSearches = "10 mb", 7 })
	other := parameters(func(p *dvdstore.Parameters) { p.Size = "20MB" })
	key := w.Dataset(w.Defaults(), postgres, 1).Key()
	if got := w.Dataset(same, postgres, 1).Key(); got != key {
		t.Errorf("the same data have keys %q and %q", key, got)
	}
	if got := w.Dataset(other, postgres, 1).Key(); got == key {
		t.Errorf("other data have the same key %q", key)
	}
	if want := "dvdstore2-10MB-seed1-content1"; key != want {
		t.Errorf("version 2 has key %q, want %q: data sets kept by older releases would be loaded again", key, want)
	}
	for _, d := range []string{"sqlite", ""} {
		if got := w.Dataset(w.Defaults(), workload.Kinds{"db": d}, 1); got.Key() != "" {
			t.Errorf("engine %q has a data set: %+v", d, got)
		}
	}
}

func TestDatasetOfVersion3(t *testing.T) {
	w, mariadb := dvdstore.Workload{}, workload.Kinds{"db": sqlwire.MariaDB}
	with := func(change func(*dvdstore.Parameters)) workload.Dataset {
		return w.Dataset(parameters(func(p *dvdstore.Parameters) { p.Version = 3; change(p) }), mariadb, 1)
	}
	usual := with(func(*dvdstore.Parameters) {})
	if usual.Roles["db"].Database != "DS3" || usual.Description != "DVD Store 3, 10MB: 20,000 customers, 12,000 orders, 10,000 products, 2,000 members, 200,000 reviews" {
		t.Errorf("%+v", usual)
	}
	if played := with(func(p *dvdstore.Parameters) { p.PctNewReviews, p.SearchDepth = 50, 7 }); !reflect.DeepEqual(played, usual) {
		t.Errorf("what users do changes the data set: %+v", played)
	}
	for name, other := range map[string]workload.Dataset{
		"reviews": with(func(p *dvdstore.Parameters) { p.ReviewsPerProduct = 2 }),
		"members": with(func(p *dvdstore.Parameters) { p.PctMembers = 2.5 }),
		"version": w.Dataset(w.Defaults(), mariadb, 1),
	} {
		if other.Key() == usual.Key() || other.Space().Bytes >= usual.Space().Bytes {
			t.Errorf("%s: %+v, but usual is %+v", name, other, usual)
		}
	}
}
