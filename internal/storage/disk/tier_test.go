package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/capability"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/text/unit"
	"plimsoll/test/quick"
)

func tieredDisk(tier disk.Tier) *disk.Parameters {
	return &disk.Parameters{Media: "hdd-7200", Size: 2 << 30, Tier: &tier}
}

// settled makes a volume of a class that is up, from which on times are simulated.
func settled(t *testing.T, class storage.Class) storage.Volume {
	t.Helper()
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := class.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v
}

// write writes a file and flushes it.
func write(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// A class with a tier can do everything that any medium can, and one thing more.
func TestCapabilitiesWithATier(t *testing.T) {
	for _, p := range []disk.Parameters{{Media: "hdd-7200"}, {Media: "hdd-7200", Tier: &disk.Tier{Size: 1 << 30}}} {
		class, err := disk.Kind{}.New("one", &p, storage.Env{RunID: "r"})
		if err != nil {
			t.Fatal(err)
		}
		can := class.Capabilities()
		if can.Remount == nil || can.RemoveLimits == nil || can.Doubts == nil || (can.TierWork != nil) != (p.Tier != nil) || can.Clones != nil || can.CheckCopies != nil {
			t.Errorf("with %+v it can %q", p, capability.Of(can))
		}
	}
}

// A tier that is lost dirty takes the volume with it: users get errors. When it
// comes back, nothing that was flushed is missing.
func TestLostTierOfWriteBack(t *testing.T) {
	class, _ := up(t, "tier-back-test", tieredDisk(disk.Tier{Size: 256 << 20}))
	v := settled(t, class)
	data := bytes.Repeat([]byte("a dirty block "), 1<<16)
	if err := write(filepath.Join(v.Path, "file"), data); err != nil {
		t.Fatal(err)
	}
	work, err := class.Capabilities().TierWork(t.Context())
	if err != nil || work.Dirty < int64(len(data)) || !strings.Contains(work.String(), "MB were dirty at the end") {
		t.Errorf("%s, %v", work, err)
	}
	faulter := class.(storage.Healer)
	if err := faulter.Do(t.Context(), tierEvent(disk.LoseTier), nil); err != nil {
		t.Fatal(err)
	}
	if healthy, err := faulter.Healthy(t.Context()); healthy || err != nil {
		t.Errorf("without its tier: healthy %v, %v", healthy, err)
	}
	if err := write(filepath.Join(v.Path, "other"), data); !errors.Is(err, unix.EIO) {
		t.Errorf("a write to the failed volume: %v", err)
	}
	done, err := faulter.Repair(t.Context())
	if err != nil || len(done) != 2 {
		t.Fatalf("%v, %v", done, err)
	}
	if got, err := os.ReadFile(filepath.Join(v.Path, "file")); err != nil || !bytes.Equal(got, data) {
		t.Errorf("after the tier came back the file has %d of %d bytes, %v", len(got), len(data), err)
	}
	if healthy, err := faulter.Healthy(t.Context()); !healthy || err != nil {
		t.Errorf("with its tier: healthy %v, %v", healthy, err)
	}
	if err := write(filepath.Join(v.Path, "other"), data); err != nil {
		t.Error(err)
	}
}

// In write-through mode the volume goes on without its tier.
func TestLostTierOfWriteThrough(t *testing.T) {
	class, _ := up(t, "tier-through-test", tieredDisk(disk.Tier{Size: 256 << 20, Mode: "write-through"}))
	v := settled(t, class)
	faulter := class.(storage.Healer)
	data := bytes.Repeat([]byte("written through "), 1<<10)
	for n, do := range []string{"", disk.LoseTier, disk.RestoreTier} {
		if do != "" {
			if err := faulter.Do(t.Context(), tierEvent(do), nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(filepath.Join(v.Path, fmt.Sprint(n)), data); err != nil {
			t.Errorf("after %q: %v", do, err)
		}
		if got, err := os.ReadFile(filepath.Join(v.Path, "0")); err != nil || !bytes.Equal(got, data) {
			t.Errorf("after %q the first file has %d bytes, %v", do, len(got), err)
		}
	}
	if done, err := faulter.Repair(t.Context()); err != nil || len(done) > 0 {
		t.Errorf("repaired a healthy tier: %v, %v", done, err)
	}
}

// In a power cut the tier keeps all its data, flushed or not; the drive may lose writes
// that no flush covers.
func TestPowerCutWithTier(t *testing.T) {
	quick.Skip(t, quick.Media)
	for mode, loses := range map[string]bool{"write-back": false, "write-through": true} {
		t.Run(mode, func(t *testing.T) {
			class, _ := up(t, "tier-power-"+mode+"-test", tieredDisk(disk.Tier{Size: 256 << 20, Mode: mode}))
			lost := int64(0)
			for seed := range uint64(3) {
				loss, wrong := powerCycle(t, class, seed)
				if t.Logf("seed %d: %s", seed, loss); wrong != nil {
					t.Error(wrong)
				}
				lost += loss.Lost + loss.Torn
			}
			if (lost > 0) != loses {
				t.Errorf("%d unflushed writes were lost", lost)
			}
		})
	}
}

// Both media are devices of their own for telemetry.
func TestTierDevices(t *testing.T) {
	quick.Skip(t, quick.Media)
	class, _ := up(t, "tier-devices-test", tieredDisk(disk.Tier{Size: 256 << 20}))
	v := settled(t, class)
	devices := class.Devices()
	names := func(d describe.Device) string { return d.Role + " " + d.Media }
	if len(devices) != 3 || names(devices[1]) != "tier nvme" || names(devices[2]) != "behind the tier hdd-7200" {
		t.Fatalf("%+v", devices)
	}
	sampler := telemetry.Start(t.Context(), telemetry.Config{Interval: 100 * time.Millisecond, Start: time.Now(), Devices: devices})
	deadline := time.Now().Add(30 * time.Second)
	for n := 0; n < 20 && time.Now().Before(deadline); n++ {
		if err := write(filepath.Join(v.Path, fmt.Sprint(n)), make([]byte, 64<<10)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	written, ordered := map[string]float64{}, map[string]bool{}
	for _, s := range sampler.Stop() {
		for _, d := range devices {
			if s.Name == d.Name && s.Metric == "random_writes" {
				ordered[d.Role] = true // a series without any known value is left out
			}
			if s.Name != d.Name || s.Metric != "write_bytes" {
				continue
			}
			for _, x := range s.Values {
				if x > 0 { // not NaN either
					written[d.Role] += float64(x)
				}
			}
		}
	}
	if len(ordered) != len(devices) {
		t.Errorf("the order of writes is known of %v alone", ordered)
	}
	if written["tier"] == 0 || written["data"] == 0 {
		t.Errorf("written by role: %v", written)
	}
}

// Random reads of a working set that fits on the tier are as fast as it; of one
// eight times as large, seven of eight wait for the drive.
func TestTierAgreesWithItsModel(t *testing.T) {
	quick.Skip(t, quick.Media)
	const size = 64 << 20 // of the file of fio
	noCache, none := unit.Bytes(0), unit.Bytes(0)
	read := func(test string, tier *disk.Tier) fioResult {
		p := &disk.Parameters{Media: "hdd-7200", Size: 1 << 30, WriteCache: &noCache, ReadAhead: &none, Tier: tier}
		return fio(t, volume(t, test, p), "--rw=randread")
	}
	alone := read("tier-none", nil)
	fits := read("tier-fits", &disk.Tier{Size: 2 * size})
	partly := read("tier-partly", &disk.Tier{Size: size / 8})
	t.Logf("a read takes %.0f us on the drive, %.0f us on a tier that fits, %.0f us on one of an eighth", alone.read/1e3, fits.read/1e3, partly.read/1e3)
	predicted := fits.read/8 + alone.read*7/8
	if fits.read*3 > alone.read {
		t.Errorf("a read from the tier takes %.0f us, of the drive %.0f us", fits.read/1e3, alone.read/1e3)
	}
	if partly.read < predicted/2 || partly.read > predicted*2 {
		t.Errorf("with an eighth on the tier a read takes %.0f us, h*fast + (1-h)*slow is %.0f us", partly.read/1e3, predicted/1e3)
	}
}

// tierEvent is an event with one of the tier's verbs.
func tierEvent(verb string) event.Event { return event.Event{Text: verb, Verb: event.Verb{Name: verb}} }
