package images

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	service "plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/app/builtin/imaged/imagedtest"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/app/imaged"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/workload"
	"plimsoll/test/nightly"
)

// TestMain makes this test program a service when the platform started it as one.
func TestMain(m *testing.M) { os.Exit(imagedtest.Main(m)) }

func parametersWith(change func(*Parameters)) *Parameters {
	p := defaults()
	p.Items, p.Size, p.Data = 9, 3<<20+77, 50
	change(p)
	return p
}

// ways are the tested parameters: each operation, directly and streamed.
func ways() map[string]*Parameters {
	return map[string]*Parameters{
		"sync":         parametersWith(func(*Parameters) {}),
		"sync, direct": parametersWith(func(p *Parameters) { p.Way = direct }),
		"download": parametersWith(func(p *Parameters) {
			p.Operation, p.SourceFormat, p.Checksum = downloading, transfer.Gzip, transfer.SHA256
		}),
		"download, direct": parametersWith(func(p *Parameters) { p.Operation, p.Way, p.SourceFormat = downloading, direct, transfer.Packed }),
		"import":           parametersWith(func(p *Parameters) { p.Operation = importing }),
		"export": parametersWith(func(p *Parameters) {
			p.Operation, p.Checksum, p.DestinationFormat = exporting, transfer.SHA256, transfer.Gzip
		}),
		"deploy, direct":  parametersWith(func(p *Parameters) { p.Operation, p.Way = deploying, direct }),
		"deploy":          parametersWith(func(p *Parameters) { p.Operation, p.SourceFormat = deploying, transfer.Zstd }),
		"without holes":   parametersWith(func(p *Parameters) { p.Holes, p.TLS, p.Compression = false, false, none }),
		"compressed both": parametersWith(func(p *Parameters) { p.SourceFormat, p.DestinationFormat = transfer.Gzip, transfer.Gzip }),
	}
}

func TestConformance(t *testing.T) {
	for name, p := range ways() {
		t.Run(name, func(t *testing.T) {
			if name != "sync" && name != "download" && name != "import" && name != "export" && name != "deploy, direct" {
				nightly.Only(t, "TestConformance/sync")
			}
			workloadtest.Run(t, workloadtest.Suite{
				Workload: Workload{}, Parameters: p, Environment: workloadtest.Here(imaged.Engine{}),
				Empty: empty, Falsified: falsified(p), Doubtful: doubtful, Damages: damages(p),
				Wrong: map[string]workload.Parameters{
					"operation":          parametersWith(func(p *Parameters) { p.Operation = "move" }),
					"way":                parametersWith(func(p *Parameters) { p.Way = "fast" }),
					"items":              parametersWith(func(p *Parameters) { p.Items = 0 }),
					"size":               parametersWith(func(p *Parameters) { p.Size = 0 }),
					"data":               parametersWith(func(p *Parameters) { p.Data = 101 }),
					"entropy":            parametersWith(func(p *Parameters) { p.Entropy = -1 }),
					"source_format":      parametersWith(func(p *Parameters) { p.Operation, p.Way, p.SourceFormat = deploying, direct, transfer.Gzip }),
					"destination_format": parametersWith(func(p *Parameters) { p.DestinationFormat = "ova" }),
					"compression":        parametersWith(func(p *Parameters) { p.Compression = "lz4" }),
					"checksum":           parametersWith(func(p *Parameters) { p.Checksum = "crc" }),
				},
			})
		})
	}
}

// empty removes everything from all stores, once the service has given up its current work.
func empty(t *testing.T, target workload.Target) {
	for _, e := range target.Endpoints {
		at := service.PlaceOf(e)
		for {
			all, err := at.List(t.Context())
			must(t, err)
			if len(all) == 0 {
				break
			}
			for _, name := range all {
				if !strings.HasPrefix(name, ".") {
					must(t, at.Remove(t.Context(), name))
				}
			}
		}
	}
}

// change changes the first receipt of what was acknowledged.
func change(receipts [][]byte, to func(*receipt)) [][]byte {
	out := slices.Clone(receipts)
	for n := range out {
		r, err := readReceipt(out[n])
		if err == nil && !r.Open {
			to(&r)
			out[n] = r.bytes()
			break
		}
	}
	return out
}

func falsified(p *Parameters) func([][]byte) map[string][][]byte {
	return func(all [][]byte) map[string][][]byte {
		if p.Operation == exporting {
			return map[string][][]byte{
				"another CRC":  change(all, func(r *receipt) { r.CRC ^= 1 }),
				"another size": change(all, func(r *receipt) { r.Bytes++ }),
				"another item": change(all, func(r *receipt) { r.Item = (r.Item + 1) % p.Items }),
			}
		}
		return map[string][][]byte{
			"one is missing":  all[1:],
			"one was made up": append(slices.Clone(all), receipt{Item: 1, Name: "copy-00001-0-0"}.bytes()),
			"another item":    change(all, func(r *receipt) { r.Item = (r.Item + 1) % p.Items }),
		}
	}
}

func doubtful(all [][]byte) map[string][][]byte {
	return map[string][][]byte{
		"one that may be there":     change(all, func(r *receipt) { r.Open = true }),
		"one that may not be there": append(slices.Clone(all), receipt{Item: 1, Name: "copy-00001-0-0", Open: true}.bytes()),
	}
}

// damages are done to the files of the store that has what was moved, or of the source of an
// export.
func damages(p *Parameters) (all []workloadtest.Damage) {
	var path string
	var was []byte
	damage := func(name, fails string, do func(t *testing.T)) {
		all = append(all, workloadtest.Damage{
			Name: name, Fails: fails,
			Do: func(t *testing.T, target workload.Target, receipts [][]byte) {
				path = fileOf(t, p, target, receipts)
				was = read(t, path)
				do(t)
			},
			Undo: func(t *testing.T, _ workload.Target, _ [][]byte) { restore(t, path, was, p) },
		})
	}
	whole := checkWhole
	if p.Operation == exporting {
		whole = checkSource
	}
	damage("an item is lost", whole, func(t *testing.T) { must(t, os.Remove(path)) })
	damage("a byte is changed", whole, func(t *testing.T) {
		b := bytes.Clone(was)
		b[len(b)/3] ^= 1
		must(t, os.WriteFile(path, b, 0o600))
	})
	damage("an item is cut", whole, func(t *testing.T) { must(t, os.Truncate(path, int64(len(was)/2))) })
	if p.Operation == exporting {
		return all
	}
	damage("something else is there", checkNoOthers, func(t *testing.T) {
		must(t, os.WriteFile(filepath.Join(filepath.Dir(path), "stranger"), []byte("x"), 0o644))
	})
	if p.shape().way.Holes && p.shape().destination == transfer.Raw {
		damage("holes are filled", checkHoles, func(t *testing.T) { must(t, os.Remove(path)); writeAll(t, path, was) })
	}
	return all
}

// fileOf returns the file of the first acknowledged item.
func fileOf(t *testing.T, p *Parameters, target workload.Target, receipts [][]byte) string {
	t.Helper()
	role, name := p.receiver(), ""
	for _, b := range receipts {
		if r, err := readReceipt(b); err == nil && !r.Open {
			name = r.Name
			if role == "" {
				role, name = sourceRole, named(r.Item)
			}
			break
		}
	}
	return filepath.Join(storeOf(t, target, role), name)
}

// storeOf finds the directory of a service by a mark that it is asked to make there.
func storeOf(t *testing.T, target workload.Target, role string) string {
	t.Helper()
	const mark = "where-is-it"
	at := service.PlaceOf(target.Endpoint(role))
	if err := at.Make(t.Context(), mark, transfer.Packed, defaults().item(0, 0)); err != nil {
		t.Fatal(err)
	}
	defer func() { must(t, at.Remove(context.Background(), mark)) }()
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "plimsoll-volume-*", "*", "items", mark))
	if err != nil || len(found) != 1 {
		t.Fatalf("the store of %s is in %v, %v", role, found, err)
	}
	return filepath.Dir(found[0])
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// restore puts a file back with its holes, under its owner.
func restore(t *testing.T, path string, was []byte, p *Parameters) {
	t.Helper()
	stranger := filepath.Join(filepath.Dir(path), "stranger")
	if err := os.Remove(stranger); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	writeAll(t, path, nil)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	must(t, f.Truncate(int64(len(was))))
	const block = 1 << 20
	for at := 0; at < len(was); at += block {
		b := was[at:min(at+block, len(was))]
		if !p.Holes || len(bytes.Trim(b, "\x00")) > 0 {
			_, err := f.WriteAt(b, int64(at))
			must(t, err)
		}
	}
}

// writeAll writes a file for whoever owns its directory.
func writeAll(t *testing.T, path string, b []byte) {
	t.Helper()
	must(t, os.WriteFile(path, b, 0o600))
	must(t, ownAs(path, filepath.Dir(path)))
}

func TestDamagedReceiptsAreRefused(t *testing.T) {
	for _, b := range []string{"", "x", "{}", `{"item":-1,"name":"a"}`, `{"item":1}`} {
		if r, err := readReceipt([]byte(b)); err == nil {
			t.Errorf("%q is taken for %+v", b, r)
		}
	}
}

// Parameters that do nothing are listed as such, and do nothing.
func TestUnusedParameters(t *testing.T) {
	for name, p := range ways() {
		before := p.shape()
		text, err := json.Marshal(p)
		must(t, err)
		for _, key := range p.unused() {
			values := map[string]any{}
			must(t, json.Unmarshal(text, &values))
			values[key] = map[string]any{
				"checksum": transfer.SHA256, "compression": transfer.Zstd, "destination_format": transfer.Zstd, "holes": !p.Holes, "source_format": transfer.Zstd, "tls": !p.TLS,
			}[key]
			changed, err := json.Marshal(values)
			must(t, err)
			var q Parameters
			must(t, json.Unmarshal(changed, &q))
			after := q.shape()
			if after != before {
				t.Errorf("%s: %s makes %+v of %+v", name, key, after, before)
			}
		}
	}
}
