package checkpoint

import (
	"cmp"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// Parameters are what a study can set. How many jobs there are belongs to its ladder.
type Parameters struct {
	Model        string        `yaml:"model" json:"model" jsonschema:"enum=8b,enum=70b,enum=405b,enum=1t,description=Whose published sizes the checkpoint has: 105 GB from 8 ranks; 912 GB from 64; 5.29 TB from 512; 18 TB from 1024"`
	Size         unit.Bytes    `yaml:"size" json:"size" jsonschema:"description=Size of a checkpoint in place of the published one; reports then call it scaled. 0 leaves it as published" bounds:"0B..64TiB"`
	Ranks        int           `yaml:"ranks" json:"ranks" jsonschema:"minimum=0,maximum=1024,description=How many ranks write a shard each; 0 is as published"`
	Rounds       int           `yaml:"rounds" json:"rounds" jsonschema:"minimum=0,description=How many checkpoints each job saves and restores; 0 goes on until the phases of the study are over"`
	Keep         int           `yaml:"keep" json:"keep" jsonschema:"minimum=1,maximum=100,description=How many checkpoints are kept; older ones are removed"`
	WriteSize    unit.Bytes    `yaml:"write_size" json:"write_size" jsonschema:"description=Size of each write and read" bounds:"4KiB..64MiB" multiple:"4KiB"`
	IO           string        `yaml:"io" json:"io" jsonschema:"enum=buffered,enum=direct,description=Through the page cache, from which a checkpoint is dropped before it is restored, or past it"`
	Interval     unit.Duration `yaml:"interval" json:"interval" jsonschema:"description=How long the job is assumed to compute between two checkpoints, for the share of its time that is lost. Nothing waits for it" bounds:">0s.."`
	FailureEvery unit.Duration `yaml:"failure_every" json:"failure_every" jsonschema:"description=Mean time between failures that is assumed for the same" bounds:">0s.."`
}

// Values of io.
const (
	buffered = "buffered"
	direct   = "direct"
)

// model holds the published figures of a model.
type model struct {
	parameters string
	size       unit.Bytes // of a checkpoint
	ranks      int
}

// models lists the models of MLPerf Storage Submission Guidelines v2.0, table 2. ranks is
// its number of processes.
var models = map[string]model{
	"8b":   {"8 billion", 105e9, 8},
	"70b":  {"70 billion", 912e9, 64},
	"405b": {"405 billion", 5.29e12, 512},
	"1t":   {"1 trillion", 18e12, 1024},
}

func defaults() *Parameters {
	return &Parameters{
		Model: "8b", Rounds: 10, Keep: 2, WriteSize: 1 << 20, IO: buffered,
		Interval: unit.Duration(30 * time.Minute), FailureEvery: unit.Duration(24 * time.Hour),
	}
}

// block is what direct I/O takes on every medium.
const block = 4096

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	return describe.Bounds(p)
}

func (p *Parameters) published() model { return models[p.Model] }

// how is the way to write and read shards.
func (p *Parameters) how() parallelio.Options {
	return parallelio.Options{Direct: p.IO == direct, Flush: true}
}

// ranks is how many write a shard each.
func (p *Parameters) ranks() int { return cmp.Or(p.Ranks, p.published().ranks, 1) }

// shard is the size of one in bytes, in whole blocks.
func (p *Parameters) shard() int64 {
	return fileio.Share(int64(cmp.Or(p.Size, p.published().size)), p.ranks(), block)
}

// whole is the size of a checkpoint in bytes.
func (p *Parameters) whole() int64 { return p.shard() * int64(p.ranks()) }

// space is what a job takes at most, in bytes: a new checkpoint is there before an old one is
// removed.
func (p *Parameters) space() int64 {
	return int64(p.Keep+1) * (p.whole() + block) // and a block for the mark
}
