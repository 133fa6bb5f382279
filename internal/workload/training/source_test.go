package training

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/conformance/buckettest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// place is where samples can be, and the directory of their files.
type place struct {
	workload.Target
	files string
}

func ofVolume(t *testing.T) place {
	dir := t.TempDir()
	return place{workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}, filepath.Join(dir, top)}
}

// ofBucket is a place on a real gateway, which keeps objects as files.
func ofBucket(t *testing.T) place {
	g := buckettest.Start(t, "samples")
	e := g.Endpoint
	e.Role = objectio.StoreRole
	return place{workload.Target{Users: 1, Endpoints: []endpoint.Endpoint{e}}, filepath.Join(g.Directory, "objects", top)}
}

// setting is a source of samples, and how it is asked for.
type setting struct {
	start  func(t *testing.T) place
	change func(p *Parameters)
}

func places() map[string]setting {
	return map[string]setting{
		"files":              {ofVolume, func(*Parameters) {}},
		"tar files":          {ofVolume, func(p *Parameters) { p.Format = tarFormat }},
		"objects":            {ofBucket, func(p *Parameters) { p.Source = inBucket }},
		"tar objects":        {ofBucket, func(p *Parameters) { p.Source, p.Format = inBucket, tarFormat }},
		"objects, in ranges": {ofBucket, func(p *Parameters) { p.Source, p.Format, p.Ranges = inBucket, tarFormat, true }},
	}
}

// Every source gives all samples of an epoch, says which are not as they were written, goes on
// with the others, and is refused where nothing was prepared.
func TestSources(t *testing.T) {
	for name, of := range places() {
		t.Run(name, func(t *testing.T) {
			p := small(func(p *Parameters) { p.PerFile, p.Samples, p.Batch, p.Readers = 2, 16, 2, 1; of.change(p) })
			at := of.start(t)
			if s, err := (Workload{}).Open(t.Context(), at.Target, p, 0, 1); err == nil {
				t.Error("opened where nothing was prepared", s.Close())
			}
			if err := (Workload{}).Prepare(t.Context(), at.Target, p, 1, func(float64) {}); err != nil {
				t.Fatal(err)
			}
			all := int64(0)
			for sample := range p.data().samples {
				all += p.data().sizeOf(sample)
			}
			if failed, done, bytes := play(t, at.Target, p, 8); done != 8 || bytes != all {
				t.Fatalf("%d batches of %d bytes, want 8 of %d; %v", done, bytes, all, failed)
			}
			at.damages(t, p)
		})
	}
}

// damages changes the file of the first samples, in several ways.
func (at place) damages(t *testing.T, p *Parameters) {
	path := filepath.Join(at.files, "0")
	was, other := content(t, path), content(t, filepath.Join(at.files, "1"))
	if int64(len(was)) != p.data().bytesOf(0) {
		t.Errorf("a file of %d bytes, want %d", len(was), p.data().bytesOf(0))
	}
	flipped := func(at int) []byte {
		b := bytes.Clone(was)
		b[at] ^= 1
		return b
	}
	for name, c := range map[string]struct {
		content []byte   // nil is none
		classes []string // nil is any
	}{
		"a byte":             {flipped(5000), []string{blockcheck.Corrupt}},
		"the first":          {flipped(0), []string{blockcheck.Corrupt, blockcheck.Torn}},
		"another":            {other, []string{blockcheck.Misplaced}},
		"cut":                {was[:6000], []string{fileio.ShortIO, objectio.Truncated}},
		"cut before the 2nd": {was[:len(was)/2/block*block], nil},
		"gone":               {nil, []string{fileio.Missing, objectio.Missing}},
	} {
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if c.content == nil {
			if err := os.Rename(path, path+".gone"); err != nil {
				t.Fatal(err)
			}
		}
		failed, done, _ := play(t, at.Target, p, 16)
		if len(failed) == 0 || done == 0 {
			t.Errorf("%s: %d batches failed, %d did not", name, len(failed), done)
		} else if class := driver.Classify(failed[0]); c.classes != nil && !slices.Contains(c.classes, class) {
			t.Errorf("%s: %s: %v", name, class, failed[0])
		}
		if c.content == nil {
			if err := os.Rename(path+".gone", path); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, was, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A shard is what tar takes for one.
func TestShardsAreTarFiles(t *testing.T) {
	p := small(func(p *Parameters) { p.Format = tarFormat })
	at := ofVolume(t)
	if err := (Workload{}).Prepare(t.Context(), at.Target, p, 1, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	list, err := exec.CommandContext(t.Context(), "tar", "-tf", filepath.Join(at.files, "1")).CombinedOutput()
	if want := "0000000007.sample\n"; err != nil || !strings.HasPrefix(string(list), want) || strings.Count(string(list), "\n") != p.PerFile {
		t.Errorf("%v: %s", err, list)
	}
}

// Any part of a file is what the whole has there.
func TestParts(t *testing.T) {
	p := small(func(p *Parameters) { p.Format = tarFormat })
	d, buffer := p.data(), make([]byte, p.BlockSize)
	part := func(from, to int64) []byte {
		var b bytes.Buffer
		if err := d.write(&b, 3, 2, from, to, buffer); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := part(0, d.bytesOf(2))
	for _, c := range [][2]int64{{0, 1}, {0, 512}, {511, 4097}, {4096, 8192}, {9000, d.bytesOf(2) - 1}, {d.bytesOf(2) - 2000, d.bytesOf(2)}} {
		if got := part(c[0], c[1]); int64(len(got)) != c[1]-c[0] || !bytes.Equal(got, whole[c[0]:c[1]]) {
			t.Errorf("%v has %d bytes", c, len(got))
		}
	}
}
