package study_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/describe"
	"plimsoll/internal/study"
)

// archive is a workload whose database has two mounts.
func archive() study.Vocabulary {
	known := vocabulary()
	known.Workloads["archive"] = study.VocabularyEntry{
		Defaults: func() any { return &struct{}{} },
		Roles: func(any) []study.Role {
			return []study.Role{{Name: "db", Engines: []string{"mariadb", "postgres"}, Mounts: append(slices.Clone(data), describe.Mount{Name: "archive", Kinds: []string{"bucket"}})}}
		},
	}
	known.Classes["store"] = study.VocabularyEntry{Defaults: func() any { return &struct{}{} }, Volumes: func(any) []string { return []string{"bucket"} }}
	return known
}

const archived = `study: a
workload: {name: archive}
stack: {db: {name: postgres, storage: {archive: cold}}}
storage: {ssd: {class: directory}, hdd: {class: disk}, cold: {class: store}}
ladder: [1]
objectives: [mean <= 1s]
`

func TestMountsArePlacedOnStorages(t *testing.T) {
	s, err := study.Parse("a.yaml", []byte(archived), "", archive())
	if err != nil {
		t.Fatal(err)
	}
	variants, err := s.Expand()
	if err != nil || len(variants) != 2 {
		t.Fatalf("%d variants, %v", len(variants), err)
	}
	for n, want := range []string{"ssd", "hdd"} {
		v := variants[n]
		data, cold := v.Tile()[0].StorageOf("db", "data"), v.Tile()[0].StorageOf("db", "archive")
		s := v.Storages[cold]
		if v.Name != want || data != want || cold != "cold" || s.Class != "store" || len(v.Storages) != 2 {
			t.Errorf("%s: data on %s, archive on %s (%s)", v.Name, data, cold, s.Class)
		}
	}
}

// A storage that falls back takes its new name wherever mounts are placed on it.
func TestMountsFollowAStorageThatIsRenamed(t *testing.T) {
	for name, c := range map[string][]string{
		"of a stack": nil,
		"of a member": {
			"workload: {name: archive}\nstack: {db: {name: postgres, storage: {archive: cold}}}",
			"members: [{name: a, workload: {name: archive}, stack: {db: {name: postgres, storage: {archive: cold}}}, objectives: [mean <= 1s]}]",
			"objectives: [mean <= 1s]\n", "",
		},
		"by a factor": {
			"otherwise: {class: store, name: near}}", "otherwise: {class: store, name: near}}, shelf: {class: store}",
			"ladder: [1]", "ladder: [1]\nmatrix: {stack.db.storage.archive: [cold, shelf], exclude: [{stack.db.storage.archive: cold, storage: hdd}]}\n" +
				"prices: {currency: EUR, years: 1, items: [{name: tape, quantity: 1, price: 1, for: {stack.db.storage.archive: cold}}]}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(archived, "cold: {class: store}", "cold: {class: store, otherwise: {class: store, name: near}}", 1)
			text = strings.NewReplacer(c...).Replace(text)
			s, err := study.Parse("a.yaml", []byte(text), "", archive())
			if err != nil {
				t.Fatal(err)
			}
			s.Fallbacks(func(st study.Storage) error {
				if st.Otherwise != nil {
					return errors.New("it is full")
				}
				return nil
			})
			variants, err := s.Expand()
			if err != nil || len(variants) == 0 {
				t.Fatalf("%v, %v", variants, err)
			}
			near := 0
			for _, v := range variants {
				at := v.Tile()[0].StorageOf("db", "archive")
				found := v.Storages[at]
				if at == "cold" || found.Class != "store" {
					t.Errorf("%s: the archive lies on %s (%s)", v.Name, at, found.Class)
				}
				if at == "near" {
					near++
				}
			}
			if want := map[string]int{"by a factor": 1}[name]; want > 0 && near != want {
				t.Errorf("%d variants have the archive on near, not %d", near, want)
			}
			if s.Prices != nil && s.Prices.Items[0].For["stack.db.storage.archive"] != "near" {
				t.Errorf("the price is for %v", s.Prices.Items[0].For)
			}
		})
	}
}

func TestAFactorMovesAMount(t *testing.T) {
	text := strings.Replace(archived, "storage: {archive: cold}", "storage: {archive: cold, data: ssd}", 1) + "matrix: {stack.db.storage.data: [ssd, hdd]}\n"
	s, err := study.Parse("a.yaml", []byte(text), "", archive())
	if err != nil {
		t.Fatal(err)
	}
	variants, err := s.Expand()
	if err != nil || len(variants) != 2 {
		t.Fatalf("%v, %v", variants, err)
	}
	for n, want := range []string{"ssd", "hdd"} {
		if got := variants[n].Tile()[0].StorageOf("db", "data"); got != want {
			t.Errorf("%s has its data on %s, want %s", variants[n].Name, got, want)
		}
	}
}

func TestImpossiblePlacesOfMounts(t *testing.T) {
	refuses(t, func(text string) error {
		_, err := study.Parse("a.yaml", []byte(text), "", archive())
		return err
	}, archived, []change{
		{"a mount that there is not", "{archive: cold}", "{archiv: cold}", "have no mount \"archiv\""},
		{"a storage that there is not", "{archive: cold}", "{archive: colt}", "unknown storage \"colt\""},
		{"a storage of another kind", "{archive: cold}", "{archive: ssd}", "hands out volumes of kind directory, which the role db"},
		{"a mount that nothing is for", "{archive: cold}", "{data: ssd}", "hands out volumes of kind"},
		{"one of two that nothing is for", ", storage: {archive: cold}", "", "hands out volumes of kind"},
	})
}
