package weights

import (
	"cmp"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/parallelio"
)

// Parameters are what a study can set. How many pods there are belongs to its ladder.
type Parameters struct {
	Model     string     `yaml:"model" json:"model" jsonschema:"enum=8b,enum=70b,enum=405b,description=Whose published sizes the model has: 16.1 GB in 4 shards; 141 GB in 30; 812 GB in 191"`
	Size      unit.Bytes `yaml:"size" json:"size" jsonschema:"description=Size of the model in place of the published one; reports then call it scaled. 0 leaves it as published" bounds:"0B..64TiB"`
	Shards    int        `yaml:"shards" json:"shards" jsonschema:"minimum=0,maximum=10000,description=Files of the model; 0 is as published"`
	Loads     int        `yaml:"loads" json:"loads" jsonschema:"minimum=0,description=How often each pod loads the model; 0 goes on until the phases of the study are over"`
	Readers   int        `yaml:"readers" json:"readers" jsonschema:"minimum=1,maximum=256,description=Threads of each pod that read at once"`
	BlockSize unit.Bytes `yaml:"block_size" json:"block_size" jsonschema:"description=Size of each read; the last one of a shard may be shorter" bounds:"4KiB..64MiB" multiple:"4KiB"`
	IO        string     `yaml:"io" json:"io" jsonschema:"enum=direct,enum=buffered,description=Past the page cache, or through it; the model is dropped from it before each load"`
}

// Values of io.
const (
	direct   = "direct"
	buffered = "buffered"
)

// model holds the published figures of a model.
type model struct {
	parameters string
	size       unit.Bytes // of all its weights
	shards     int
}

// models are Llama 3.1, two bytes to a parameter, as its repositories have it: total_size and
// files of model.safetensors.index.json.
var models = map[string]model{
	"8b":   {"8 billion", 16_060_522_496, 4},
	"70b":  {"70 billion", 141_107_412_992, 30},
	"405b": {"405 billion", 811_706_777_600, 191},
}

// Readers and size of reads are the defaults of Run:ai Model Streamer on file systems
// (RUNAI_STREAMER_CONCURRENCY, RUNAI_STREAMER_CHUNK_BYTESIZE).
func defaults() *Parameters {
	return &Parameters{Model: "8b", Loads: 1, Readers: 16, BlockSize: 2 << 20, IO: direct}
}

// block is what direct I/O takes on every medium: shards are whole blocks.
const block = 4096

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	return describe.Bounds(p)
}

func (p *Parameters) published() model { return models[p.Model] }

// shards is how many files there are.
func (p *Parameters) shards() int { return cmp.Or(p.Shards, p.published().shards, 1) }

// shard is the size of one in bytes, in whole blocks.
func (p *Parameters) shard() int64 {
	return fileio.Share(int64(cmp.Or(p.Size, p.published().size)), p.shards(), block)
}

// whole is the size of the model in bytes.
func (p *Parameters) whole() int64 { return p.shard() * int64(p.shards()) }

// files are the shards on a volume.
func (p *Parameters) files(volume uint64) []parallelio.File {
	all := make([]parallelio.File, p.shards())
	for i := range all {
		all[i] = parallelio.File{
			Name: fmt.Sprintf("shard-%05d", i+1), Bytes: p.shard(),
			Content: fileio.Content{Volume: volume, File: uint64(i) + 1, Generation: 1},
		}
	}
	return all
}

// how is the way to read and write shards.
func (p *Parameters) how() parallelio.Options {
	return parallelio.Options{Direct: p.IO == direct, Shared: true}
}

// partBlocks is how many blocks each reader has of a part of the model: few, so that many pods
// end in the short time in which drivers measure what they do by themselves.
const partBlocks = 2

// part is what a pod loads in memory.
func (p *Parameters) part() []parallelio.File {
	one := p.files(0)[0]
	one.Bytes = min(one.Bytes, partBlocks*int64(p.Readers)*int64(p.BlockSize))
	return []parallelio.File{one}
}

// describe says what the model is, and that it is scaled where it is.
func (p *Parameters) describe() string {
	text := fmt.Sprintf("a model of %s in %d shards, as one of %s parameters", unit.Bytes(p.whole()), p.shards(), p.published().parameters)
	if p.Size == 0 {
		return text
	}
	return fmt.Sprintf("%s, scaled to %.2g %% of its %.3g GB", text, 100*float64(p.Size)/float64(p.published().size), float64(p.published().size)/1e9)
}

// owner is for whom a volume is prepared: any instance, since models are copied.
func (p *Parameters) owner() fileio.Owner {
	return fileio.Owner{Workload: Name, Shape: fmt.Sprintf("%d shards of %s, in blocks of %s", p.shards(), unit.Bytes(p.shard()), p.BlockSize)}
}
