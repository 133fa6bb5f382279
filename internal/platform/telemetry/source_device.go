package telemetry

import (
	"cmp"
	"math"
	"os"
	"path/filepath"

	"plimsoll/internal/describe"
)

// deviceMetrics are the quantities of a deviceSource.
var deviceMetrics = []Metric{
	{describe.DeviceKind, "reads", unitIOps, "read requests completed (/sys/class/block/*/stat)"},
	{describe.DeviceKind, "writes", unitIOps, "write requests completed"},
	{describe.DeviceKind, "flushes", unitIOps, "flush requests completed"},
	{describe.DeviceKind, "read_bytes", unitByteps, "bytes read"},
	{describe.DeviceKind, "write_bytes", unitByteps, "bytes written"},
	{describe.DeviceKind, "read_merges", unitIOps, "read requests that became part of others before the device: where three were merged into one, two did"},
	{describe.DeviceKind, "write_merges", unitIOps, "the same of writes"},
	{describe.DeviceKind, "random_reads", unitIOps, "read requests that did not begin where an earlier one ended, of up to 64 streams at once; only of simulated media, which see the places of requests"},
	{describe.DeviceKind, "random_writes", unitIOps, "the same of writes"},
	{describe.DeviceKind, "read_await", unitSeconds, "mean time of a read, waiting included; unknown without reads"},
	{describe.DeviceKind, "write_await", unitSeconds, "mean time of a write"},
	{describe.DeviceKind, "flush_await", unitSeconds, "mean time of a flush"},
	{describe.DeviceKind, "queue", unitShare, "mean number of requests waiting or in service"},
	{describe.DeviceKind, "utilisation", unitShare, "share of time with at least one request under way"},
}

// Columns of /sys/class/block/*/stat (kernel documentation, block/stat).
const (
	statReads       = 0
	statReadMerges  = 1
	statReadUnits   = 2 // of 512 bytes
	statReadTime    = 3 // ms, as all times
	statWrites      = 4
	statWriteMerges = 5
	statWriteUnits  = 6
	statWriteTime   = 7
	statBusyTime    = 9
	statQueueTime   = 10 // each request's time, summed
	statFlushes     = 15
	statFlushTime   = 16
	statColumns     = 17
)

// deviceSource samples one block device.
type deviceSource struct {
	file *file
	last [statColumns]counter
	// order counts requests that are out of order; nil where nothing sees their places.
	order *orderSource

	reads, writes, flushes            *column
	readBytes, writeBytes             *column
	readMerges, writeMerges           *column // nil where the device is not the kernel's
	readAwait, writeAwait, flushAwait *column
	queue, utilisation                *column
}

// newDeviceSources watches the given devices and the machine's physical ones.
func newDeviceSources(b *book, f *files, devices []describe.Device) []source {
	all := physicalDisks()
	for _, d := range devices {
		d.Name = filepath.Base(d.Name)
		all = append(all, d)
	}
	var sources []source
	seen := map[string]bool{}
	for _, d := range all {
		path := cmp.Or(d.Stat, filepath.Join("/sys/class/block", d.Name, "stat"))
		if seen[d.Name] || !readable(path) {
			continue
		}
		seen[d.Name] = true
		sources = append(sources, newDeviceSource(b, f, path, d))
	}
	return sources
}

// physicalDisks lists block devices with hardware (or a hypervisor) behind
// them, which leaves out loop devices, RAM disks and their like.
func physicalDisks() []describe.Device {
	links, err := filepath.Glob("/sys/block/*/device")
	if err != nil {
		return nil
	}
	var all []describe.Device
	for _, l := range links {
		all = append(all, describe.Device{Name: filepath.Base(filepath.Dir(l))})
	}
	return all
}

func readable(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func newDeviceSource(b *book, f *files, path string, d describe.Device) source {
	c := func(metric string) *column { return b.column(describe.DeviceKind, d.Name, metric) }
	s := &deviceSource{
		file:  f.file(path),
		reads: c("reads"), writes: c("writes"), flushes: c("flushes"),
		readBytes: c("read_bytes"), writeBytes: c("write_bytes"),
		readAwait: c("read_await"), writeAwait: c("write_await"), flushAwait: c("flush_await"),
		queue: c("queue"), utilisation: c("utilisation"),
	}
	if d.Stat == "" {
		s.readMerges, s.writeMerges = c("read_merges"), c("write_merges")
	}
	if d.Order != "" {
		s.order = &orderSource{file: f.file(d.Order), reads: c("random_reads"), writes: c("random_writes")}
	}
	return s
}

func (s *deviceSource) close() {
	s.file.close()
	if s.order != nil {
		s.order.file.close()
	}
}

func (s *deviceSource) sample(elapsed float64) {
	var now [statColumns]uint64
	known := numbers(s.file.read(), now[:])
	var d [statColumns]float64 // the increase since the previous sample
	for i := range d {
		d[i] = math.NaN()
		if i < known {
			d[i] = s.last[i].since(float64(now[i]))
		}
	}
	s.reads.add(d[statReads] / elapsed)
	s.writes.add(d[statWrites] / elapsed)
	s.flushes.add(d[statFlushes] / elapsed)
	s.readBytes.add(d[statReadUnits] * 512 / elapsed)
	s.writeBytes.add(d[statWriteUnits] * 512 / elapsed)
	if s.readMerges != nil {
		s.readMerges.add(d[statReadMerges] / elapsed)
		s.writeMerges.add(d[statWriteMerges] / elapsed)
	}
	if s.order != nil {
		s.order.sample(elapsed)
	}
	s.readAwait.add(d[statReadTime] / 1e3 / d[statReads]) // 0/0 is NaN: not known
	s.writeAwait.add(d[statWriteTime] / 1e3 / d[statWrites])
	s.flushAwait.add(d[statFlushTime] / 1e3 / d[statFlushes])
	s.queue.add(d[statQueueTime] / 1e3 / elapsed)
	s.utilisation.add(min(d[statBusyTime]/1e3/elapsed, 1))
}

// orderSource reads how many requests of a device did not begin where an earlier one had ended
// (describe.Device.Order).
type orderSource struct {
	file *file
	last [2]counter

	reads, writes *column
}

func (s *orderSource) sample(elapsed float64) {
	var now [2]uint64
	known := numbers(s.file.read(), now[:])
	for i, c := range []*column{s.reads, s.writes} {
		v := math.NaN()
		if i < known {
			v = s.last[i].since(float64(now[i])) / elapsed
		}
		c.add(v)
	}
}
