package disk_test

import (
	"encoding/json"
	"os/exec"
	"testing"

	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/text/unit"
	"plimsoll/test/quick"
)

// fioResult is the part of fio's report that the test needs, in nanoseconds.
type fioResult struct {
	read, write, sync float64 // median latencies, which a busy machine hardly moves
	perSecond         float64
}

const median = "50.000000" // as fio names it

// fio runs a pattern on a volume. It is small: shapes need no long runs.
func fio(t *testing.T, v storage.Volume, arguments ...string) fioResult {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		t.Skip("fio is not installed; run: apt-get install fio")
	}
	all := append([]string{
		"--name=shape", "--directory=" + v.Path, "--filename=data", "--size=64M", "--bs=4k", "--direct=1",
		"--runtime=2", "--time_based", "--output-format=json", "--randrepeat=1",
	}, arguments...)
	out, err := exec.CommandContext(t.Context(), "fio", all...).Output()
	if err != nil {
		t.Fatalf("fio %v: %v", arguments, err)
	}
	type latency struct {
		Percentile map[string]float64 `json:"percentile"`
	}
	type side struct {
		PerSecond float64 `json:"iops"`
		Latency   latency `json:"clat_ns"`
	}
	var report struct {
		Jobs []struct {
			Read  side `json:"read"`
			Write side `json:"write"`
			Sync  struct {
				Latency latency `json:"lat_ns"`
			} `json:"sync"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(out, &report); err != nil || len(report.Jobs) != 1 {
		t.Fatalf("fio %v: %v: %s", arguments, err, out)
	}
	j := report.Jobs[0]
	return fioResult{
		read: j.Read.Latency.Percentile[median], write: j.Write.Latency.Percentile[median], sync: j.Sync.Latency.Percentile[median],
		perSecond: j.Read.PerSecond + j.Write.PerSecond,
	}
}

// volume makes a settled volume with a file on it.
func volume(t *testing.T, test string, p *disk.Parameters) storage.Volume {
	t.Helper()
	class, _ := up(t, test, p)
	v, err := class.Provision(t.Context(), storage.Claim{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	fio(t, v, "--rw=write", "--bs=1M", "--time_based=0", "--end_fsync=1")
	if _, err := class.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v
}

// The whole path, from fio through file system, loop device and FUSE, behaves like the
// medium. The factors are far below the model's, since the machine may be busy.
func TestShapes(t *testing.T) {
	quick.Skip(t, quick.Media)
	// A small medium, so that the file covers much of it, and slow.
	hdd := &disk.Parameters{Media: "hdd-7200", Size: 1 << 30, WriteCache: new(unit.Bytes)}
	v := volume(t, "shape-hdd", hdd)
	stream := fio(t, v, "--rw=read")
	random := fio(t, v, "--rw=randread")
	if random.read < 5*stream.read {
		t.Errorf("hard drive: a random read takes %.0f us, one of a stream %.0f us", random.read/1e3, stream.read/1e3)
	}
	deep := fio(t, v, "--rw=randread", "--ioengine=libaio", "--iodepth=32")
	if deep.perSecond < 1.3*random.perSecond {
		t.Errorf("hard drive: %.0f reads a second with 32 in its queue, %.0f with one", deep.perSecond, random.perSecond)
	}

	ssd := volume(t, "shape-ssd", &disk.Parameters{Media: "ssd-sas", Size: 1 << 30})
	flash := fio(t, ssd, "--rw=randread")
	if flash.read*5 > random.read {
		t.Errorf("a random read takes %.0f us on flash, %.0f us on a hard drive", flash.read/1e3, random.read/1e3)
	}
	parallel := fio(t, ssd, "--rw=randread", "--ioengine=libaio", "--iodepth=16")
	if parallel.perSecond < 2*flash.perSecond {
		t.Errorf("flash: %.0f reads a second with 16 at once, %.0f one by one", parallel.perSecond, flash.perSecond)
	}
}

// A flush takes the medium's time, unless the medium does not do it.
func TestFlushShapes(t *testing.T) {
	quick.Skip(t, quick.Media)
	sync := []string{"--rw=write", "--direct=0", "--ioengine=sync", "--fdatasync=1"}
	durable := fio(t, volume(t, "flush-durable", &disk.Parameters{Media: "hdd-7200", Size: 1 << 30}), sync...)
	lying := fio(t, volume(t, "flush-lying", &disk.Parameters{Media: "hdd-7200", Size: 1 << 30, Lies: true}), sync...)
	t.Logf("a flush takes %.0f us, of a liar %.0f us", durable.sync/1e3, lying.sync/1e3)
	if durable.sync < 3*lying.sync {
		t.Errorf("a flush takes %.0f us, of a liar %.0f us", durable.sync/1e3, lying.sync/1e3)
	}
}
