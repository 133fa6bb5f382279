package blockio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/workload"
)

// onLoop is a bench on a loop device of so many bytes.
func onLoop(t *testing.T, size int64, change func(*Parameters)) (b *bench, image string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	image = filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, size); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", image).CombinedOutput()
	if err != nil {
		t.Skipf("no loop device: %v: %s", err, out)
	}
	path := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", path).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	e := endpoint.OfDevice(volumeRole, path, size)
	return &bench{t, small(change), workload.Target{Users: 2, Endpoints: []endpoint.Endpoint{e}}}, image
}

func (b *bench) prepare() error {
	return Workload{}.Prepare(b.t.Context(), b.target, b.p, 1, func(float64) {})
}

func TestRawDevices(t *testing.T) {
	for name, change := range map[string]func(*Parameters){
		"a part":   nil,
		"all":      func(p *Parameters) { p.Size = 0 },
		"occupied": func(p *Parameters) { p.Occupied = 80 },
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := onLoop(t, 4<<20, change)
			if err := b.prepare(); err != nil {
				t.Fatal(err)
			}
			all, errs := b.play(1000, nil)
			if len(errs) > 0 || !b.audit(receiptsOf(all)).Passed() {
				t.Errorf("%v", errs)
			}
			if name == "occupied" {
				f, block := open(t, endpoint.PathOf(b.target.Endpoints[0])), make([]byte, 4096)
				get(t, f, block, 3<<20)
				if _, valid := blockcheck.Read(block); !valid {
					t.Error("nothing was written behind the space of the I/Os")
				}
			}
		})
	}
}

func TestDeviceThatIsTooSmall(t *testing.T) {
	b, _ := onLoop(t, 1<<20, func(p *Parameters) { p.Size = 2 << 20 })
	if err := b.prepare(); err == nil || !strings.Contains(err.Error(), "too small: it has 1MiB") {
		t.Errorf("%v", err)
	}
}

// A medium that loses its second half gives input/output errors there, and
// right answers in the first; when it comes back so do the workers.
func TestErrorsOfTheMedium(t *testing.T) {
	b, image := onLoop(t, 1<<20, func(p *Parameters) { p.Read = 100 })
	if err := b.prepare(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	w, err := openWorker(b.target, b.p, 1, 1) // of the second half
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := os.Truncate(image, 512<<10); err != nil {
		t.Fatal(err)
	}
	c, n := &counter{t: t}, some(200)
	w.Pace(&n)
	failed := 0
	for {
		err := w.Do(t.Context(), c)
		if errors.Is(err, workload.ErrFinished) {
			break
		}
		if err == nil {
			continue
		}
		failed++
		if !errors.Is(err, unix.EIO) || !strings.Contains(err.Error(), "at offset") {
			t.Fatalf("%v, want an input/output error with its offset", err)
		}
		if failed == 20 {
			if err := os.WriteFile(image, whole, 0o600); err != nil { // the same file, as long as before
				t.Fatal(err)
			}
		}
	}
	if failed < 20 || c.counts[0] == 0 || c.failed != failed {
		t.Errorf("%d I/Os failed (%d reported), %d did not", failed, c.failed, c.counts[0])
	}
}
