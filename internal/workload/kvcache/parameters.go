package kvcache

import (
	"cmp"
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/fileio"
)

// Parameters are what a study can set. How many users there are belongs to its ladder, and how
// long they think to its load.
type Parameters struct {
	Model         string     `yaml:"model" json:"model" jsonschema:"enum=8b,enum=70b,enum=405b,description=Whose published shape keys and values have: 128 KiB for each token; 320 KiB; 504 KiB"`
	Tokens        int        `yaml:"tokens" json:"tokens" jsonschema:"minimum=1,maximum=1048576,description=Tokens of a block"`
	BlockSize     unit.Bytes `yaml:"block_size" json:"block_size" jsonschema:"description=Size of a block in place of tokens times what the model has for each; reports then call it scaled. 0 leaves it so" bounds:"0B..64GiB" multiple:"4KiB"`
	Blocks        int        `yaml:"blocks" json:"blocks" jsonschema:"minimum=1,maximum=10000,description=Blocks that each turn adds to its conversation"`
	Turns         int        `yaml:"turns" json:"turns" jsonschema:"minimum=2,maximum=10000,description=Turns of a conversation; another begins then"`
	Conversations int        `yaml:"conversations" json:"conversations" jsonschema:"minimum=1,maximum=10000,description=Conversations that each user has at once; each turn is one of any of them"`
	Kept          int        `yaml:"kept" json:"kept" jsonschema:"minimum=1,maximum=10000,description=Conversations of each user whose blocks are kept; the one that was used least lately is evicted for another. One that returns after that is computed and stored anew"`
	Readers       int        `yaml:"readers" json:"readers" jsonschema:"minimum=1,maximum=256,description=Threads of each user; each reads or writes whole blocks"`
	IOSize        unit.Bytes `yaml:"io_size" json:"io_size" jsonschema:"description=Size of each read and write; the last one of a block may be shorter" bounds:"4KiB..64MiB" multiple:"4KiB"`
	IO            string     `yaml:"io" json:"io" jsonschema:"enum=direct,enum=buffered,description=Past the page cache or through it"`
}

// Values of io.
const (
	direct   = "direct"
	buffered = "buffered"
)

// perToken is what a token takes of each model in bytes: keys and values, of 32, 80 or 126 layers
// with 8 heads of 128 values of two bytes (Llama 3.1, config.json).
var perToken = map[string]int64{
	"8b":   2 * 32 * 8 * 128 * 2,
	"70b":  2 * 80 * 8 * 128 * 2,
	"405b": 2 * 126 * 8 * 128 * 2,
}

// A block has as many tokens as a chunk of LMCache (LMCACHE_CHUNK_SIZE); turns, conversations
// and threads are chosen here.
func defaults() *Parameters {
	return &Parameters{
		Model: "8b", Tokens: 256, Blocks: 2, Turns: 8, Conversations: 4, Kept: 6,
		Readers: 4, IOSize: 1 << 20, IO: direct,
	}
}

// longest is the most blocks of a conversation.
const longest = 1 << blockBits

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if len(wrong) == 0 && p.Turns*p.Blocks > longest {
		wrong.Add("turns", "a conversation must have at most %d blocks, but %d turns of %d have more", longest, p.Turns, p.Blocks)
	}
	return wrong
}

// published is the size of a block in bytes that follows from the model.
func (p *Parameters) published() int64 { return int64(p.Tokens) * perToken[p.Model] }

// block is the size of one in bytes.
func (p *Parameters) block() int64 { return cmp.Or(int64(p.BlockSize), p.published()) }

// space is what a user's blocks take at most, in bytes.
func (p *Parameters) space() int64 { return int64(p.Kept) * int64(p.Turns*p.Blocks) * p.block() }

// first is how many turns there have been of the nth conversation of those that are kept in the
// beginning: the newest are at different turns of theirs, and those before are over.
func (p *Parameters) first(n int) int {
	place := n + 1 + p.Conversations - p.Kept
	if place < 1 {
		return p.Turns
	}
	return place * p.Turns / (p.Conversations + 1)
}

// beginning are the conversations that each user begins with, the oldest first.
func (p *Parameters) beginning() (all []*conversation) {
	for n := range p.Kept {
		turns := p.first(n)
		all = append(all, &conversation{number: int64(n), generation: 1, turns: turns, stored: turns * p.Blocks})
	}
	return all
}

// begun is how many blocks each user begins with.
func (p *Parameters) begun() (blocks int) {
	for _, c := range p.beginning() {
		blocks += c.stored
	}
	return blocks
}

// describe describes the initial data, and says whether they are scaled.
func (p *Parameters) describe() string {
	text := fmt.Sprintf("%d blocks of conversations of each user, of %s, as %d tokens take of model %s", p.begun(), unit.Bytes(p.block()), p.Tokens, p.Model)
	if p.BlockSize == 0 {
		return text
	}
	return fmt.Sprintf("%s, scaled to %.2g %% of their %s", text, 100*float64(p.block())/float64(p.published()), unit.Bytes(p.published()))
}

// owner is for whom a volume is prepared.
func (p *Parameters) owner(instance int) fileio.Owner {
	return fileio.Owner{Workload: Name, Instance: instance, Shape: fmt.Sprintf("blocks of %s, written %s at once, %d to a turn", unit.Bytes(p.block()), p.IOSize, p.Blocks)}
}
