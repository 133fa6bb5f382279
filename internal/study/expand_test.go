package study_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/internal/study"
)

func names(t *testing.T, s *study.Study) []string {
	t.Helper()
	variants, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, v := range variants {
		list = append(list, v.Name)
	}
	return list
}

const small = `study: small
workload: {name: shop}
engine: {name: postgres, cpu: 2}
storage:
  ssd: {class: disk, media: ssd, cpu: 8}
  hdd: {class: disk}
ladder: [1, 2]
`

func TestExpandNames(t *testing.T) {
	for _, c := range []struct {
		name, matrix string
		want         []string
	}{
		{"no matrix: storage in file order", "", []string{"ssd", "hdd"}},
		{"one level", "  engine.cpu: [4]\n", []string{"ssd", "hdd"}},
		{"product, first factor slowest", "  engine.cpu: [1, 0.5]\n  storage: [hdd, ssd]\n", []string{"cpu1-hdd", "cpu1-ssd", "cpu0.5-hdd", "cpu0.5-ssd"}},
		{"one storage's parameter", "  storage.hdd.cpu: [4, 16]\n", []string{"ssd", "hdd-cpu4", "hdd-cpu16"}},
		{"every storage's parameter", "  storage.*.cpu: [4, 16]\n", []string{"ssd-cpu4", "ssd-cpu16", "hdd-cpu4", "hdd-cpu16"}},
		{"two parameters alike", "  storage.*.cpu: [4, 16]\n  engine.cpu: [1, 2]\n  exclude: [{engine.cpu: 2}]\n",
			[]string{"ssd-storage-all-cpu4-engine-cpu1", "ssd-storage-all-cpu16-engine-cpu1", "hdd-storage-all-cpu4-engine-cpu1", "hdd-storage-all-cpu16-engine-cpu1"}},
		{"words, sizes and switches", "  storage: [hdd]\n  engine.name: [postgres, mariadb]\n  engine.memory: [256MiB]\n  workload.parameters.reviews: [true, false]\n",
			[]string{"hdd-postgres-reviews", "hdd-postgres-no-reviews", "hdd-mariadb-reviews", "hdd-mariadb-no-reviews"}},
		{"settings", "  storage: [hdd]\n  engine.settings.shared_buffers: [64MB, 1GB]\n", []string{"hdd-shared_buffers64mb", "hdd-shared_buffers1gb"}},
		{"versions as written", "  storage: [hdd]\n  engine.version: [10.10, 10.1]\n", []string{"hdd-version10.10", "hdd-version10.1"}},
		{"excluded", "  engine.cpu: [1, 2]\n  exclude: [{storage: hdd, engine.cpu: 2}]\n", []string{"ssd-cpu1", "ssd-cpu2", "hdd-cpu1"}},
		{"letters no file system takes", "  storage: [hdd]\n  storage.hdd.options.mode: [a/b, 'a b']\n", []string{"hdd-mode-a-b", "hdd-mode-a-b-2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := small
			if c.matrix != "" {
				text += "matrix:\n" + c.matrix
			}
			if diff := cmp.Diff(c.want, names(t, parse(t, text, ""))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpandResolves(t *testing.T) {
	s := parse(t, good, "")
	variants, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, v := range variants {
		list = append(list, v.Name)
	}
	want := []string{"slow-engine-cpu1-storage-slow-cpu4", "slow-engine-cpu1-storage-slow-cpu16",
		"slow-engine-cpu2-storage-slow-cpu4", "slow-engine-cpu2-storage-slow-cpu16", "fast-cpu1"}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Fatal(diff)
	}
	v := variants[1]
	if v.Members[0].Engine.CPU != 1 || v.Storage().Parameters.(*medium).CPU != 16 || v.StorageName != "slow" {
		t.Errorf("levels were not applied: %+v %+v", v, v.Storage().Parameters)
	}
	if diff := cmp.Diff(map[string]string{"storage": "slow", "engine.cpu": "1", "storage.slow.cpu": "16"}, v.Factors); diff != "" {
		t.Error(diff)
	}
	if s.Storage["slow"].Parameters.(*medium).CPU != 4 || s.Members[0].Engine.CPU != 0.5 {
		t.Error("expanding changed the study")
	}
	if variants[4].Storage().Parameters.(*medium).RAID.Level != 6 {
		t.Error("nested parameters were lost")
	}
}

// A factor that varies a parameter of a storage follows the storage to the name of its
// fallback: in the matrix, in its exclusions and in prices. If the fallback's class lacks
// the parameter, the factor no longer applies to anything.
func TestFactorsFollowAStorageThatIsRenamed(t *testing.T) {
	full := func(st study.Storage) error {
		if st.Otherwise != nil {
			return errors.New("no")
		}
		return nil
	}
	text := strings.NewReplacer("class: directory, path: disk", "class: disk, media: ssd",
		"{storage: fast, engine.cpu: 2}", "{storage.slow.cpu: 16, engine.cpu: 2}",
		"for: {storage: fast}", "for: {storage.slow.cpu: 16}", "    matrix: {storage.slow.cpu: null}\n", "").Replace(good)
	s := parse(t, text, "")
	s.Fallbacks(full)
	if s.Matrix.Factors[2].Path != "storage.local.cpu" || s.Prices.Items[1].For["storage.local.cpu"] != "16" {
		t.Errorf("factors %+v, a price for %v", s.Matrix.Factors, s.Prices.Items[1].For)
	}
	if diff := cmp.Diff([]string{"local-engine-cpu1-storage-local-cpu4", "local-engine-cpu1-storage-local-cpu16", "local-engine-cpu2-storage-local-cpu4"}, names(t, s)[:3]); diff != "" {
		t.Error(diff)
	}
	s = parse(t, strings.Replace(good, "for: {storage: fast}", "for: {storage: slow}", 1), "")
	s.Fallbacks(full)
	if s.Matrix.Factors[2].Path != "storage.slow.cpu" || len(names(t, s)) != 3 {
		t.Errorf("factors %+v of variants %v", s.Matrix.Factors, names(t, s))
	}
}

func TestTooManyVariants(t *testing.T) {
	var levels []string
	for i := range 30 {
		levels = append(levels, strconv.Itoa(i+1))
	}
	list := "[" + strings.Join(levels, ",") + "]"
	text := small + "matrix: {engine.cpu: " + list + ", load.users: " + list + ", workload.parameters.n_searches: " + list + "}\n"
	_, err := study.Parse("x.yaml", []byte(text), "", vocabulary())
	if err == nil || !strings.Contains(err.Error(), "at most 500") {
		t.Errorf("got %v", err)
	}
}

func TestFallbacks(t *testing.T) {
	s := parse(t, good, "")
	notes := s.Fallbacks(func(st study.Storage) error {
		if st.Class == "disk" {
			return errors.New("no /dev/fuse")
		}
		return nil
	})
	if len(notes) != 1 || !strings.Contains(notes[0], "no /dev/fuse") || !strings.Contains(notes[0], "directory") {
		t.Errorf("notes are %q", notes)
	}
	if diff := cmp.Diff([]string{"local", "fast"}, s.StorageOrder); diff != "" {
		t.Error(diff)
	}
	if got := s.Storage["local"]; got.Class != "directory" || got.OtherwiseNote != notes[0] {
		t.Errorf("the fallback is %+v", got)
	}
	if s.Storage["fast"].Class != "disk" {
		t.Error("a class without fallback must stay for the plan to refuse")
	}
}

func TestFallbackKeepsNamesConsistent(t *testing.T) {
	text := strings.Replace(good, "  storage.slow.cpu: [4, 16]\n", "", 1)
	text = strings.Replace(text, "{storage: fast, engine.cpu: 2}", "{storage: slow, engine.cpu: 2}", 1)
	text = strings.Replace(text, "for: {storage: fast}", "for: {storage: slow}", 1)
	text = strings.Replace(text, "    matrix: {storage.slow.cpu: null}\n", "", 1)
	s := parse(t, text, "")
	s.Fallbacks(func(st study.Storage) error {
		if st.Otherwise != nil {
			return errors.New("no")
		}
		return nil
	})
	if diff := cmp.Diff([]string{"local-cpu1", "fast-cpu1", "fast-cpu2"}, names(t, s)); diff != "" {
		t.Error(diff)
	}
	if s.Prices.Items[1].For["storage"] != "local" {
		t.Errorf("the price is for %v", s.Prices.Items[1].For)
	}
}
