package disk

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event/eventtest"
	"plimsoll/internal/storage"
)

func TestParametersFromYAML(t *testing.T) {
	p := Kind{}.Defaults().(*Parameters)
	text := `
media: hdd-7200
rpm: 5400
seek_min: 0.8ms
seek_max: 20ms
rate: 120MB/s
write_cache: 0
size: 100GiB
kernel_read_ahead: 4MiB
raid: {level: 6, drives: 8, chunk: 128KiB, degraded: 1, cache: 1GiB, protected: true}
`
	if err := yaml.UnmarshalWithOptions([]byte(text), p, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if bad := p.validate(); len(bad) > 0 {
		t.Fatal(bad)
	}
	r := p.resolve()
	s := r.spec.Rotational
	if s.RPM != 5400 || s.SeekMin != 800*time.Microsecond || s.OuterRate != 120e6 || s.InnerRate != 60e6 || s.Cache.Bytes != 0 || r.size != 100<<30 {
		t.Errorf("%+v, %+v", r, s)
	}
	if r.spec.RAID.Chunk != 128<<10 || !r.spec.RAID.Cache.Protected || r.spec.Actuators() != 7 {
		t.Errorf("%+v", r.spec.RAID)
	}
	if r.drives() != 8 || r.ahead != 4<<20 || r.figures()["kernel read-ahead"] != "4MiB" {
		t.Errorf("%d drives, %d bytes of read-ahead, %v", r.drives(), r.ahead, r.figures())
	}
	if s.Queue != 32 {
		t.Errorf("the queue of the medium became %d", s.Queue)
	}
}

func TestControllerCacheSwitchesDriveCachesOff(t *testing.T) {
	p := &Parameters{Media: "hdd-7200", RAID: &RAID{Level: 5, Drives: 12, Cache: 1 << 30, Protected: true}}
	if s := p.resolve().spec.Rotational; s.Cache.Bytes != 0 {
		t.Errorf("the drives keep a cache of %d bytes", s.Cache.Bytes)
	}
}

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"fine":               {"media: nvme", nil},
		"a pool":             {"{media: nvme, raid: {level: 5, drives: 10, groups: 2, degraded: 2}}", nil},
		"unequal groups":     {"{media: nvme, raid: {level: 5, drives: 10, groups: 3}}", []string{"raid.groups"}},
		"tiny groups":        {"{media: nvme, raid: {level: 6, drives: 6, groups: 2}}", []string{"raid.groups"}},
		"a slice of no pool": {"{media: nvme, raid: {level: 5, drives: 10, slice: 1MiB}}", []string{"raid.slice"}},
		"unknown medium":     {"media: tape", []string{"media"}},
		"file system":        {"{media: nvme, file_system: ntfs}", []string{"file_system"}},
		"rpm of flash":       {"{media: nvme, rpm: 7200, seek_min: 1ms}", []string{"rpm", "seek_min"}},
		"channels of a disk": {"{media: hdd-7200, channels: 3}", []string{"channels"}},
		"seeks":              {"{media: hdd-7200, seek_min: 20ms}", []string{"seek_max"}},
		"small":              {"{media: nvme, size: 1MiB}", []string{"size"}},
		"no cache":           {"{media: nvme, write_cache: 0}", []string{"write_cache"}},
		"raid level":         {"{media: nvme, raid: {level: 4, drives: 3}}", []string{"raid.level"}},
		"raid drives":        {"{media: nvme, raid: {level: 5, drives: 2}}", []string{"raid.drives"}},
		"raid pairs":         {"{media: nvme, raid: {level: 10, drives: 5}}", []string{"raid.drives"}},
		"raid lost":          {"{media: nvme, raid: {level: 5, drives: 5, degraded: 2}}", []string{"raid.degraded"}},
		"a tier":             {"{media: hdd-7200, tier: {size: 1GiB}}", nil},
		"a tier, all of it":  {"{media: hdd-7200, tier: {media: ssd-sas, size: 1GiB, mode: write-back, block: 16KiB, visits: 1, dirty_start: 5, dirty_limit: 50, write_back: 20MB/s}}", nil},
		"write-through":      {"{media: hdd-7200, tier: {size: 1GiB, mode: write-through}}", nil},
		"dirty though not":   {"{media: hdd-7200, tier: {size: 1GiB, mode: write-through, dirty_limit: 50}}", []string{"tier.mode"}},
		"a tier of disks":    {"{media: hdd-7200, tier: {media: hdd-7200, size: 1GiB}}", []string{"tier.media"}},
		"a tier of what":     {"{media: hdd-7200, tier: {media: tape, size: 1GiB}}", []string{"tier.media"}},
		"a tier of no size":  {"{media: hdd-7200, tier: {media: nvme}}", []string{"tier.size"}},
		"a strange mode":     {"{media: hdd-7200, tier: {size: 1GiB, mode: writeback}}", []string{"tier.mode"}},
		"a strange block":    {"{media: hdd-7200, tier: {size: 1GiB, block: 96KiB}}", []string{"tier.block"}},
		"too many visits":    {"{media: hdd-7200, tier: {size: 1GiB, visits: 3}}", []string{"tier.visits"}},
		"dirty bounds":       {"{media: hdd-7200, tier: {size: 1GiB, dirty_start: 80, dirty_limit: 120}}", []string{"tier.dirty_limit"}},
		"dirty order":        {"{media: hdd-7200, tier: {size: 1GiB, dirty_start: 80}}", []string{"tier.dirty_start"}},
		"a liar with a tier": {"{media: hdd-7200, lies: true, tier: {size: 1GiB}}", []string{"lies"}},
		"image":              {"{media: nvme, image: tape}", []string{"image"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := Kind{}.Defaults().(*Parameters)
			if err := yaml.UnmarshalWithOptions([]byte(c.text), p, yaml.Strict()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, bad := range (Kind{}).Validate(p) {
				got = append(got, bad.Path)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("complains of %v, want %v", got, c.want)
			}
		})
	}
}

func TestTierFromYAML(t *testing.T) {
	p := Kind{}.Defaults().(*Parameters)
	if err := yaml.UnmarshalWithOptions([]byte("tier: {size: 100MiB, dirty_limit: 50, write_back: 20MB/s}"), p, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	r := p.resolve()
	s := r.spec.Tier
	if s.Size != 100<<20 || s.Block != 64<<10 || s.WriteThrough || s.Visits != 2 || s.DirtyStart != 10<<20 || s.DirtyLimit != 50<<20 || s.WriteBack != 20e6 || s.Flash.Channels != nvme().Channels {
		t.Errorf("%+v", s)
	}
	c := newClass("sim", r, storage.Env{})
	d := c.Describe()
	for _, want := range []string{"a write-back cache of 100MiB", "a drive of 7200 rpm"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q does not say %q", d.Text, want)
		}
	}
	if d.Media != "hdd-7200 behind a simulated cache on nvme" || !d.Simulated || d.MediaKind != describe.HardDisk || d.Options["tier"] == "" {
		t.Errorf("%+v", d)
	}
	if err := yaml.UnmarshalWithOptions([]byte("tier: {size: 1GiB, ways: 4}"), p, yaml.Strict()); err == nil {
		t.Error("an unknown key of a tier is taken")
	}
}

func TestTierFaults(t *testing.T) {
	plain, tiered := &Parameters{Media: "hdd-7200"}, &Parameters{Media: "hdd-7200", Tier: &Tier{Size: 1 << 30}}
	for name, c := range map[string]struct {
		p      *Parameters
		before []string
		do     string
		wrong  string // in the error; empty when there is none
	}{
		"lose":                  {tiered, nil, "lose tier", ""},
		"lose and restore":      {tiered, []string{"lose tier"}, "restore tier", ""},
		"again":                 {tiered, []string{"lose tier", "restore tier"}, "lose tier", ""},
		"power":                 {tiered, nil, "cut power", ""},
		"no tier":               {plain, nil, "lose tier", "add `tier:`"},
		"twice":                 {tiered, []string{"lose tier"}, "lose tier", "already lost"},
		"restore what is there": {tiered, nil, "restore tier", "no earlier fault"},
		"power without tier":    {tiered, []string{"lose tier"}, "cut power", "restore it before"},
		"something else":        {tiered, nil, "melt tier", "lose tier, restore tier"},
	} {
		t.Run(name, func(t *testing.T) {
			err := eventtest.Check(Kind{}.Events(c.p), c.do, c.before)
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v, want %q", err, c.wrong)
			}
		})
	}
}

// TestFileSystemThatIsThere: a machine without one program is not given up
// while another file system can be made.
func TestFileSystemThatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		asked string
		there []string
		want  string
	}{
		"all of them":              {"", []string{"xfs", "ext4", "btrfs"}, "xfs"},
		"no mkfs.xfs":              {"", []string{"ext4", "btrfs"}, "ext4"},
		"btrfs alone":              {"", []string{"btrfs"}, "btrfs"},
		"none, to be reported":     {"", nil, "xfs"},
		"the study's, there":       {"ext4", []string{"xfs", "ext4"}, "ext4"},
		"the study's, not there":   {"ext4", []string{"xfs"}, "ext4"},
		"the study's is the third": {"btrfs", []string{"xfs", "ext4", "btrfs"}, "btrfs"},
	} {
		t.Run(name, func(t *testing.T) {
			got := fileSystemFor(c.asked, func(fs fileSystem) []string {
				if slices.Contains(c.there, fs.name) {
					return nil
				}
				return []string{"mkfs." + fs.name}
			})
			if got.name != c.want {
				t.Errorf("takes %s, want %s", got.name, c.want)
			}
		})
	}
}

func TestHintsNameTheNextFasterMedium(t *testing.T) {
	for media, want := range map[string]string{"hdd-7200": "ssd-sas", "ssd-sas": "nvme", "nvme": ""} {
		hints := specification{name: media}.hints()
		switch {
		case want == "" && len(hints) == 0:
		case len(hints) != 1 || hints[0] != describe.Hint{Resource: "device", Parameter: "media", From: media, To: want}:
			t.Errorf("%s: %+v", media, hints)
		}
	}
}

// A hint at a faster medium names the parameters that the study sets.
func TestHintsNameWhatIsSet(t *testing.T) {
	rate := describe.Hint{Resource: "device", Rate: describe.Reads, Parameter: "read_rate", From: "300MB/s", To: "600MB/s"}
	channels := describe.Hint{Resource: "device", Parameter: "channels", From: "1", To: "2"}
	faster := describe.Hint{Resource: "device", Parameter: "media", From: "ssd-sas", To: "nvme"}
	for _, c := range []struct {
		p    Parameters
		want []describe.Hint
	}{
		{Parameters{Media: "ssd-sas", ReadRate: 300e6}, []describe.Hint{rate, faster}},
		{Parameters{Media: "nvme", Channels: 1}, []describe.Hint{channels}},
		{Parameters{Media: "nvme", Channels: 1, ReadRate: 300e6}, []describe.Hint{rate, channels}},
	} {
		if hints := c.p.resolve().hints(); !slices.Equal(hints, c.want) {
			t.Errorf("%+v", hints)
		}
	}
}

// Variants of one storage have the same name; their images in memory are not the
// same file, which would be two media on one image.
func TestVariantsHaveImagesOfTheirOwn(t *testing.T) {
	image := func(scratch string) string {
		return newClass("hdd", specification{image: imageMemory}, storage.Env{RunID: "run", Scratch: scratch}).image()
	}
	if one, other := image("/s/hdd-1"), image("/s/hdd-2"); one == other {
		t.Errorf("both lie in %s", one)
	}
}
