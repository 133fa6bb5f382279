package studies_test

import (
	"bytes"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/cli/registry"
	"plimsoll/internal/describe"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/study"
	"plimsoll/internal/study/plan"
	"plimsoll/internal/workload"
	"plimsoll/reference"
	"plimsoll/studies"
)

// vocabulary has everything that a study may name.
func vocabulary() study.Vocabulary { return facts.Vocabulary(registry.Parts()) }

func read(t *testing.T, name, profile string) *study.Study {
	t.Helper()
	text, err := studies.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Parse(name+".yaml", text, profile, vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryStudyAndProfile(t *testing.T) {
	for _, name := range studies.Names() {
		text, err := studies.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range append([]string{""}, study.Profiles(text)...) {
			t.Run(name+"/"+profile, func(t *testing.T) {
				s := read(t, name, profile)
				if s.Name != name || s.Title == "" || s.Question == "" {
					t.Errorf("name %q, title %q, question %q", s.Name, s.Title, s.Question)
				}
				for _, one := range s.Tile() {
					if len(one.Objectives) == 0 {
						member, _ := one.Member()
						t.Errorf("no objectives of %q", member)
					}
				}
				if variants, err := s.Expand(); err != nil || len(variants) == 0 {
					t.Errorf("%d variants, %v", len(variants), err)
				}
			})
		}
	}
}

func TestEveryStudyFitsTheSchema(t *testing.T) {
	text, err := study.Schema(vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	schema := compiled(t, text)
	for _, name := range studies.Names() {
		file, err := studies.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := yaml.YAMLToJSON(file)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("study.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("study.json")
}

func TestUnknownStudyListsWhatThereIs(t *testing.T) {
	_, err := studies.Read("cns-ds9")
	if err == nil || !strings.Contains(err.Error(), "quickstart") {
		t.Errorf("got %v", err)
	}
}

// TestPublishedPrices: the bills of the source, appendix E.
func TestPublishedPrices(t *testing.T) {
	s := read(t, "cns-ds2", "")
	for storageName, want := range map[string]float64{"hdd": 638_353, "ssd": 646_270} {
		total := 0.0
		for _, item := range s.Prices.Items {
			if for_, only := item.For["storage"]; !only || for_ == storageName {
				total += item.Quantity * item.Price
			}
		}
		// The source rounds the yearly figures of vCenter and vSphere.
		if math.Abs(total-want) > 1 {
			t.Errorf("%s costs %.0f, published %.0f", storageName, total, want)
		}
	}
}

// reckoner gives plausible facts of a 10 MB database, so that durations can
// be added up without a machine.
type reckoner struct{}

func (reckoner) Usable(study.Storage) error { return nil }

func (reckoner) Describe(v study.Variant) (plan.Facts, error) {
	w, err := registry.Parts().Workloads.Get(v.Workload.Name)
	if err != nil {
		return plan.Facts{}, err
	}
	fixed := w.Describe(v.Workload.Parameters.(workload.Parameters)).Fixed
	return plan.Facts{Profile: describe.Profile{Fixed: fixed}, Dataset: plan.Dataset{Key: "ds2-10MB", Servers: v.Engine.Name, Bytes: 40e6},
		InstanceMemory: 256 << 20, Storages: map[string]plan.StorageFacts{v.StorageName: {Holds: &plan.Holding{Bytes: 40e6, Overhead: 60e6}}}}, nil
}

// TestPlannedDurations checks the estimated durations that the documents promise to
// newcomers.
func TestPlannedDurations(t *testing.T) {
	for _, c := range []struct {
		name, profile string
		most          time.Duration
	}{
		{"quickstart", "", 4 * time.Minute},
		{"cns-ds2", "laptop", 10 * time.Minute},
		{"cns-ds3", "laptop", 10 * time.Minute},
		{"baseline", "laptop", 10 * time.Minute},
		{"containers-ds2", "laptop", 10 * time.Minute},
		{"desktops", "laptop", 10 * time.Minute},
		{"gluster-video", "laptop", 10 * time.Minute},
		{"odf-postgres", "laptop", 10 * time.Minute},
		{"raid-or-pool", "laptop", 10 * time.Minute},
		{"raid-or-pool-tiles", "laptop", 15 * time.Minute},
		{"receive-offload", "laptop", 10 * time.Minute},
		{"library-transfer", "laptop", 10 * time.Minute},
		{"image-import", "laptop", 10 * time.Minute},
		{"backup-cost", "laptop", 15 * time.Minute},
		{"ai-checkpoint", "laptop", 10 * time.Minute},
		{"ai-training", "laptop", 10 * time.Minute},
		{"ai-serving", "laptop", 10 * time.Minute},
		{"ai-serving", "cold-start-laptop", 10 * time.Minute},
	} {
		p, err := plan.Make(read(t, c.name, c.profile), plan.Machine{Capacity: describe.Capacity{MemoryBytes: new(int64(22 << 30))}}, reckoner{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Estimate.Duration > c.most || len(p.Problems) > 0 {
			t.Errorf("%s %s takes %s: %v", c.name, c.profile, p.Estimate.Duration, p.Problems)
		}
		t.Logf("%s %s: %s, %d trials, %d MiB of memory, %d MiB of disk", c.name, c.profile, p.Estimate.Duration, len(p.Trials), p.Estimate.MemoryBytes>>20, p.Estimate.DiskBytes>>20)
	}
}

// Published results accompany a study of the same work.
func TestReferencesAreOfTheSameWork(t *testing.T) {
	for _, name := range studies.Names() {
		s := read(t, name, "")
		if s.Reference == "" || len(s.Members) > 0 { // tiles have several workloads, and none is the reference's
			continue
		}
		set, err := reference.Get(s.Reference)
		if err != nil {
			t.Fatal(err)
		}
		if set.Workload != s.Members[0].Workload.Name {
			t.Errorf("%s: the reference %s is of %s, the study of %s", name, s.Reference, set.Workload, s.Members[0].Workload.Name)
		}
	}
}

// notOfTheStudy are published variants without one in the study that re-enacts them, and why.
var notOfTheStudy = map[string]string{
	"baseline drive-specified": "the maker's figure is not measured",
	"cns-ds2 hdd-4":            storageCPU, "cns-ds2 ssd-4": storageCPU, "cns-ds2 hdd-16": storageCPU, "cns-ds2 ssd-16": storageCPU,
	"gluster-large dense-dispersed-jbod-read":    "the dense servers are a profile",
	"gluster-small replicated-raid6-write-dense": "the dense servers are a profile",
	"vsan-tiles vsan-6.0":                        "versions of a product are no factor of ours",
}

const storageCPU = "the CPU of the storage nodes is no factor of the full study, which runs on storage that exists"

// Each published variant has the levels of one variant of the study, and that of no other, or it is known why not.
func TestPublishedVariantsAreTheStudys(t *testing.T) {
	for _, name := range studies.Names() {
		s := read(t, name, "")
		if s.Reference == "" {
			continue
		}
		set, err := reference.Get(s.Reference)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := s.Expand()
		if err != nil {
			t.Fatal(err)
		}
		taken := map[string]string{}
		for _, published := range set.Variants {
			var matching []string
			for _, v := range ours {
				if study.HasLevels(v.Factors, published.Factors) {
					matching = append(matching, v.Name)
				}
			}
			_, excused := notOfTheStudy[name+" "+published.Name]
			switch {
			case len(matching) != 1 && !excused:
				t.Errorf("%s: the published %s %v is %d variants of the study: %v", name, published.Name, published.Factors, len(matching), matching)
			case len(matching) == 1 && excused:
				t.Errorf("%s: the published %s has a variant now: %v", name, published.Name, matching)
			case len(matching) == 1 && taken[matching[0]] != "":
				t.Errorf("%s: both %s and %s are %s", name, taken[matching[0]], published.Name, matching[0])
			case len(matching) == 1:
				taken[matching[0]] = published.Name
			}
		}
	}
}

// The laptop profile of cns-ds3 has both tiers on both media, each with the servers that it
// needs, and refers to the published results.
func TestBothTiersInOneReport(t *testing.T) {
	s := read(t, "cns-ds3", "laptop")
	variants, err := s.Expand()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, v := range variants {
		got[v.Name] = len(v.Members[0].Stack)
	}
	want := map[string]int{"tier-web-hdd": 3, "tier-web-ssd": 3, "tier-database-hdd": 1, "tier-database-ssd": 1}
	if !maps.Equal(got, want) || s.Reference != "cns-ds3" {
		t.Errorf("variants have so many servers: %v; reference %q", got, s.Reference)
	}
}

// TestTilesOfThePublishedNumber: up to 40 tiles, past the published maximum at 34, each with one
// steady front end and two of 3 and 4 minutes in every 5.
func TestTilesOfThePublishedNumber(t *testing.T) {
	s := read(t, "vsan-tiles", "")
	if l := s.Ladder; !l.Climbs() || l.To != 40 || !slices.Contains(l.Rungs, 34) || !slices.Contains(l.Rungs, 30) {
		t.Errorf("the ladder is %+v", l)
	}
	var busy []float64
	for _, m := range s.Members {
		if m.Workload.Name == "dvdstore" {
			busy = append(busy, m.Load.Share())
		}
	}
	if !slices.Equal(busy, []float64{1, 0.6, 0.8}) || s.Reference != "vsan-tiles" {
		t.Errorf("front ends at work %v of the time, reference %q", busy, s.Reference)
	}
}

// TestTilesOnTheDrivesOfTheBlockPart: 1, 7 and 13 tiles, on the drives of the study of random I/O.
func TestTilesOnTheDrivesOfTheBlockPart(t *testing.T) {
	tiles, blocks := read(t, "raid-or-pool-tiles", ""), read(t, "raid-or-pool", "")
	if !slices.Equal(tiles.Ladder.Rungs, []int{1, 7, 13}) || len(tiles.Members) != len(read(t, "vsan-tiles", "").Members) {
		t.Errorf("the ladder is %+v of %d members", tiles.Ladder, len(tiles.Members))
	}
	if !reflect.DeepEqual(tiles.Storage, blocks.Storage) {
		t.Errorf("tiles lie on %+v, blocks on %+v", tiles.Storage, blocks.Storage)
	}
}

// TestThePageOnStudies: the example that newcomers copy is a study.
func TestThePageOnStudies(t *testing.T) {
	page, err := os.ReadFile("../docs/study.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no example")
	}
	if _, err := study.Parse("my-study.yaml", []byte(example), "", vocabulary()); err != nil {
		t.Error(err)
	}
}

// TestPoolsOfThePublishedSize: six servers of twelve or 24 drives, and the sizes of
// files and numbers of workers of the source.
func TestPoolsOfThePublishedSize(t *testing.T) {
	for _, c := range []struct {
		name, profile    string
		variants, drives int
	}{
		{"gluster-large", "", 3 * 2 * 3, 72}, {"gluster-large", "dense", 3 * 2 * 3, 144},
		{"gluster-small", "", 3 * 2 * 2, 72}, {"gluster-small", "dense", 3 * 2 * 2, 144},
		{"gluster-nfs", "", 4 * 2 * 2, 72}, {"gluster-saturation", "", 2 * 2, 144}, {"gluster-saturation", "small", 2, 144},
	} {
		s := read(t, c.name, c.profile)
		variants, err := s.Expand()
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 6, 12, 24, 48, 96}; len(variants) != c.variants || !slices.Equal(s.Ladder.Rungs, want) || s.Ladder.Of != study.OfUsers {
			t.Errorf("%s %s: %d variants, ladder %+v", c.name, c.profile, len(variants), s.Ladder)
		}
		for _, v := range variants {
			if got := v.Storage().Parameters.(*directory.Parameters).Drives; got != c.drives {
				t.Errorf("%s %s: %s has %d drives", c.name, c.profile, v.Name, got)
			}
		}
	}
}
