// Package disk is the storage class of simulated media: a rotating drive, a
// flash drive or a RAID set whose times follow a model (package medium), as a
// block device with a real file system on it. It needs root, FUSE and loop
// devices. Everything measured on it is labelled as simulated.
package disk

import (
	"plimsoll/internal/storage/medium"
	"plimsoll/internal/text/unit"
)

// Parameters configure the class. Anything not given has the default of the named medium.
type Parameters struct {
	Media string `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"enum=hdd-7200,enum=ssd-sas,enum=nvme,description=The medium whose figures are the defaults of the other keys"`
	// Size is the size of the medium. Its image is sparse: only written blocks take up
	// space.
	Size         unit.Bytes `yaml:"size,omitempty" json:"size,omitempty" jsonschema:"description=Size of the medium (of all drives of a RAID set); seek times scale with it"`
	FileSystem   string     `yaml:"file_system,omitempty" json:"file_system,omitempty" jsonschema:"enum=xfs,enum=ext4,enum=btrfs,description=File system on the medium; the default is the first of these that the machine supports; clones share blocks on xfs and btrfs"`
	MountOptions string     `yaml:"mount_options,omitempty" json:"mount_options,omitempty" jsonschema:"description=Options of the file system separated by commas"`
	// KernelReadAhead is not the drive's own, ReadAhead.
	KernelReadAhead unit.Bytes `yaml:"kernel_read_ahead,omitempty" json:"kernel_read_ahead,omitempty" jsonschema:"description=How far the kernel reads ahead of sequential readers (read_ahead_kb of the block device) such as 4MiB; the default is the kernel's"`
	Image           string     `yaml:"image,omitempty" json:"image,omitempty" jsonschema:"enum=file,enum=memory,description=Where the data of the medium is stored: a sparse file below the work directory or memory"`
	Lies            bool       `yaml:"lies,omitempty" json:"lies,omitempty" jsonschema:"description=The medium acknowledges flushes without doing them"`

	WriteCache *unit.Bytes `yaml:"write_cache,omitempty" json:"write_cache,omitempty" jsonschema:"description=Size of the write cache of a drive; 0 for none"`
	Protected  *bool       `yaml:"protected,omitempty" json:"protected,omitempty" jsonschema:"description=The write cache survives a power cut so a flush need not drain it"`

	RPM       float64        `yaml:"rpm,omitempty" json:"rpm,omitempty" jsonschema:"description=Rotations a minute"`
	SeekMin   *unit.Duration `yaml:"seek_min,omitempty" json:"seek_min,omitempty" jsonschema:"description=Seek to the next track"`
	SeekMax   *unit.Duration `yaml:"seek_max,omitempty" json:"seek_max,omitempty" jsonschema:"description=Seek over the whole drive"`
	Rate      medium.Rate    `yaml:"rate,omitempty" json:"rate,omitempty" jsonschema:"description=Sustained rate at the first byte such as 180MB/s"`
	InnerRate medium.Rate    `yaml:"inner_rate,omitempty" json:"inner_rate,omitempty" jsonschema:"description=Sustained rate at the last byte; default: half of rate"`
	Interface medium.Rate    `yaml:"interface,omitempty" json:"interface,omitempty" jsonschema:"description=Rate of the link to a rotating drive"`
	Overhead  *unit.Duration `yaml:"overhead,omitempty" json:"overhead,omitempty" jsonschema:"description=Time of the electronics for each command"`
	Queue     int            `yaml:"queue,omitempty" json:"queue,omitempty" jsonschema:"description=Queue depth of a rotating drive; 1 serves requests in order"`
	ReadAhead *unit.Bytes    `yaml:"read_ahead,omitempty" json:"read_ahead,omitempty" jsonschema:"description=How much a rotating drive reads ahead"`

	Channels     int            `yaml:"channels,omitempty" json:"channels,omitempty" jsonschema:"description=Flash channels that work in parallel"`
	Page         unit.Bytes     `yaml:"page,omitempty" json:"page,omitempty" jsonschema:"description=What a channel reads or programs at once"`
	ReadLatency  *unit.Duration `yaml:"read_latency,omitempty" json:"read_latency,omitempty" jsonschema:"description=Reading a page of flash"`
	WriteLatency *unit.Duration `yaml:"write_latency,omitempty" json:"write_latency,omitempty" jsonschema:"description=Writing into the cache of a flash drive"`
	Program      *unit.Duration `yaml:"program,omitempty" json:"program,omitempty" jsonschema:"description=Programming a page of flash"`
	Flush        *unit.Duration `yaml:"flush,omitempty" json:"flush,omitempty" jsonschema:"description=A flush of a flash drive in addition to draining its cache"`
	ReadRate     medium.Rate    `yaml:"read_rate,omitempty" json:"read_rate,omitempty" jsonschema:"description=Ceiling of a flash drive's reads"`
	WriteRate    medium.Rate    `yaml:"write_rate,omitempty" json:"write_rate,omitempty" jsonschema:"description=Ceiling of a flash drive's writes"`
	FastBytes    unit.Bytes     `yaml:"fast_bytes,omitempty" json:"fast_bytes,omitempty" jsonschema:"description=Bytes that can be written before programs become slow (the write cliff); 0 is no cliff"`
	SlowProgram  *unit.Duration `yaml:"slow_program,omitempty" json:"slow_program,omitempty" jsonschema:"description=Programming a page past the write cliff"`

	// Rated is the maker's figure: of a rotating drive the model's own is the default.
	Rated medium.Rate `yaml:"rated,omitempty" json:"rated,omitempty" jsonschema:"type=string,description=What one drive does according to its maker such as 226MB/s; default for rotating drives: rate"`

	RAID *RAID `yaml:"raid,omitempty" json:"raid,omitempty" jsonschema:"description=Combine several such drives into one medium"`
	Tier *Tier `yaml:"tier,omitempty" json:"tier,omitempty" jsonschema:"description=A cache on a faster medium before all of that"`
}

// Tier configures a cache of flash before the medium.
type Tier struct {
	Media      string      `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"enum=nvme,enum=ssd-sas,description=The medium of the tier; default nvme"`
	Size       unit.Bytes  `yaml:"size" json:"size" jsonschema:"description=Size of the tier"`
	Mode       string      `yaml:"mode,omitempty" json:"mode,omitempty" jsonschema:"enum=write-back,enum=write-through,description=Whether writes are done when the tier has them (the default) or when the medium behind it does"`
	Block      unit.Bytes  `yaml:"block,omitempty" json:"block,omitempty" jsonschema:"description=In what portions the tier's space is given out: a power of two from 4KiB to 256KiB; default 64KiB"`
	Visits     int         `yaml:"visits,omitempty" json:"visits,omitempty" jsonschema:"minimum=1,maximum=2,description=How often a block is read before it is copied to the tier; default 2"`
	DirtyStart int         `yaml:"dirty_start,omitempty" json:"dirty_start,omitempty" jsonschema:"minimum=1,maximum=100,description=Percentage of the tier from which it is written back; default 10"`
	DirtyLimit int         `yaml:"dirty_limit,omitempty" json:"dirty_limit,omitempty" jsonschema:"minimum=1,maximum=100,description=Percentage of the tier that may be dirty; writes beyond it go to the medium behind; default 70"`
	WriteBack  medium.Rate `yaml:"write_back,omitempty" json:"write_back,omitempty" jsonschema:"description=The most that is written back in the background such as 20MB/s; the default is no bound"`
}

// RAID configures a set of drives.
type RAID struct {
	Level     int        `yaml:"level" json:"level" jsonschema:"enum=0,enum=5,enum=6,enum=10,description=RAID level"`
	Drives    int        `yaml:"drives" json:"drives" jsonschema:"description=Number of drives"`
	Chunk     unit.Bytes `yaml:"chunk,omitempty" json:"chunk,omitempty" jsonschema:"description=Stripe unit per drive; default 64KiB"`
	Degraded  int        `yaml:"degraded,omitempty" json:"degraded,omitempty" jsonschema:"description=Drives that have failed"`
	Cache     unit.Bytes `yaml:"cache,omitempty" json:"cache,omitempty" jsonschema:"description=Write cache of the controller"`
	Protected bool       `yaml:"protected,omitempty" json:"protected,omitempty" jsonschema:"description=The controller's cache survives a power cut"`
	Groups    int        `yaml:"groups,omitempty" json:"groups,omitempty" jsonschema:"minimum=1,description=Make a pool of so many equal RAID groups with the drives shared out among them"`
	Slice     unit.Bytes `yaml:"slice,omitempty" json:"slice,omitempty" jsonschema:"description=In what portions a pool gives its space out in turns among its groups; default 256MiB"`
}
