package training

import (
	"cmp"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
)

// Parameters are what a study can set. How many accelerators there are belongs to its ladder.
type Parameters struct {
	Set        string        `yaml:"set" json:"set" jsonschema:"enum=3d-unet-like,enum=resnet-50-like,enum=cosmoflow-like,description=Published figures that those below take the place of: sizes of samples; samples in a file and in a batch; computing time of an H100; readers"`
	Samples    int           `yaml:"samples" json:"samples" jsonschema:"minimum=1,maximum=2147483648,description=Samples of the data set; an epoch reads each once"`
	SampleSize unit.Bytes    `yaml:"sample_size" json:"sample_size" jsonschema:"description=Mean size of a sample; sizes deviate in proportion as those of the set do; 0 is the set's"`
	PerFile    int           `yaml:"per_file" json:"per_file" jsonschema:"minimum=0,maximum=2147483648,description=Samples in a file; 1 is a file for each sample and 0 the set's"`
	Batch      int           `yaml:"batch" json:"batch" jsonschema:"minimum=0,maximum=1048576,description=Samples of a batch; 0 is the set's"`
	Compute    unit.Duration `yaml:"compute" json:"compute" jsonschema:"description=How long an accelerator computes on a batch; 0 is the set's" bounds:"0s..1h"`
	Readers    int           `yaml:"readers" json:"readers" jsonschema:"minimum=0,maximum=256,description=Readers of each accelerator; each loads whole batches; 0 is the set's"`
	Prefetch   int           `yaml:"prefetch" json:"prefetch" jsonschema:"minimum=1,maximum=256,description=Batches that each reader loads ahead"`
	BlockSize  unit.Bytes    `yaml:"block_size" json:"block_size" jsonschema:"description=Size of each read; the last one of a sample may be shorter" bounds:"4KiB..64MiB" multiple:"4KiB"`
	IO         string        `yaml:"io" json:"io" jsonschema:"enum=direct,enum=buffered,description=Past the page cache or through it; of a volume"`
	Source     string        `yaml:"source" json:"source" jsonschema:"enum=volume,enum=bucket,description=Where samples are: files of a volume or objects of a bucket"`
	Format     string        `yaml:"format" json:"format" jsonschema:"enum=plain,enum=tar,description=What a file or object is: one sample after the other\\, or a tar file of them (a shard)"`
	Ranges     bool          `yaml:"ranges" json:"ranges" jsonschema:"description=Objects are asked for in ranges of block_size\\, one after the other\\, in place of as a whole"`
	Barrier    bool          `yaml:"barrier" json:"barrier" jsonschema:"description=Accelerators wait for each other after each batch (all-reduce)"`
}

func defaults() *Parameters {
	return &Parameters{Set: unet, Samples: 168, Prefetch: 2, BlockSize: 1 << 20, IO: direct, Source: onVolume, Format: plainFormat}
}

// Values of set, io, source and format.
const (
	unet      = "3d-unet-like"
	resnet    = "resnet-50-like"
	cosmoflow = "cosmoflow-like"

	direct   = "direct"
	buffered = "buffered"

	onVolume = "volume"
	inBucket = "bucket"

	plainFormat = "plain"
	tarFormat   = "tar"
)

// figures are the published figures of a training workload.
type figures struct {
	size, deviation float64 // of a sample, bytes
	perFile, batch  int
	compute         time.Duration
	readers         int
}

// published is from the configurations of MLPerf Storage 2.0 for H100 accelerators
// (github.com/mlcommons/storage, storage-conf/workload).
var published = map[string]figures{
	unet:      {146_600_628, 68_341_808, 1, 7, 323 * time.Millisecond, 4},
	resnet:    {114_660.07, 0, 1251, 400, 224 * time.Millisecond, 8},
	cosmoflow: {2_828_486, 71_311, 1, 1, 3500 * time.Microsecond, 4},
}

const (
	// block is what direct I/O takes on every medium: samples are whole blocks.
	block         = 4096
	largestSample = 1 << 40
	mostBytes     = 1 << 50
	largestPut    = 5 << 30 // of an object in one request
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if p.SampleSize != 0 && (p.SampleSize < block || p.SampleSize > largestSample) {
		wrong.Add("sample_size", "must be 0 (the set's) or %s to %s, got %s", unit.Bytes(block), unit.Bytes(largestSample), p.SampleSize)
	}
	if len(wrong) == 0 && p.data().mean > mostBytes/int64(p.Samples) {
		wrong.Add("samples", "all must take at most %s, but %d of %s take more", unit.Bytes(mostBytes), p.Samples, unit.Bytes(p.data().mean))
	}
	if d := p.data(); len(wrong) == 0 && p.Source == inBucket && d.mean+farthest*d.deviation > largestPut/d.perFile {
		wrong.Add("per_file", "an object has at most %s, but %d samples of %s may take more", unit.Bytes(largestPut), d.perFile, unit.Bytes(d.mean))
	}
	return wrong
}

// unused lists the keys that have no effect given the others.
func (p *Parameters) unused() []string {
	if p.Source == inBucket {
		return []string{"io"}
	}
	return []string{"ranges"}
}

// figures returns the figures of the set with the study's settings applied.
func (p *Parameters) figures() figures {
	f := published[p.Set]
	if p.SampleSize > 0 {
		f.deviation *= float64(p.SampleSize) / f.size
		f.size = float64(p.SampleSize)
	}
	f.perFile, f.batch = cmp.Or(p.PerFile, f.perFile), cmp.Or(p.Batch, f.batch)
	f.compute, f.readers = cmp.Or(p.Compute.D(), f.compute), cmp.Or(p.Readers, f.readers)
	return f
}
