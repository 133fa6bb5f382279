package disk

import (
	"maps"
	"slices"
	"time"

	"plimsoll/internal/storage/medium"
)

// namedMedium is a medium that studies can name.
type namedMedium struct {
	size int64
	spec medium.Spec
}

// media returns the media by name.
func media() map[string]namedMedium {
	return map[string]namedMedium{
		"hdd-7200": {size: 256 << 30, spec: medium.Spec{Rotational: hdd7200()}},
		"ssd-sas":  {size: 256 << 30, spec: medium.Spec{Flash: ssdSAS()}},
		"nvme":     {size: 256 << 30, spec: medium.Spec{Flash: nvme()}},
	}
}

func mediaNames() []string { return slices.Sorted(maps.Keys(media())) }

// hdd7200 is a nearline drive: about 12 ms for a random read (8.2 ms mean
// seek, 4.2 ms half a rotation), 80 of them a second.
func hdd7200() *medium.Rotational {
	return &medium.Rotational{
		RPM: 7200, SeekMin: 500 * time.Microsecond, SeekMax: 15 * time.Millisecond,
		OuterRate: 180e6, InnerRate: 90e6, Interface: 550e6, Overhead: 50 * time.Microsecond,
		Queue: 32, ReadAhead: 1 << 20,
		Cache: medium.Cache{Bytes: 64 << 20},
	}
}

// ssdSAS follows the data sheet figures that the DVD Store experiment quotes
// (seed 003, HGST Ultrastar SS200): 1.8 GB/s read, 1.0 GB/s write, 250,000
// random reads and 37,000 random writes a second, 100 us access. With 25
// channels a read of 100 us gives 250,000 a second and a program of 675 us
// gives 37,000; its cache is protected by capacitors.
func ssdSAS() *medium.Flash {
	return &medium.Flash{
		Channels: 25, Page: 32 << 10,
		ReadLatency: 100 * time.Microsecond, WriteLatency: 30 * time.Microsecond,
		Program: 675 * time.Microsecond, Flush: 20 * time.Microsecond,
		ReadRate: 1.8e9, WriteRate: 1.0e9,
		Cache: medium.Cache{Bytes: 32 << 20, Protected: true},
	}
}

// nvme is a data-centre drive on PCIe 4: 7 GB/s read, 4 GB/s write, 1,000,000
// random reads and 180,000 random writes a second. No simulation in user space
// reaches its rates, so they serve as ceilings.
func nvme() *medium.Flash {
	return &medium.Flash{
		Channels: 80, Page: 32 << 10,
		ReadLatency: 80 * time.Microsecond, WriteLatency: 15 * time.Microsecond,
		Program: 440 * time.Microsecond, Flush: 10 * time.Microsecond,
		ReadRate: 7e9, WriteRate: 4e9,
		Cache: medium.Cache{Bytes: 64 << 20, Protected: true},
	}
}
