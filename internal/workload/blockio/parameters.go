package blockio

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/distribution"
	"plimsoll/internal/workload/mix"
)

// Parameters are what a study can set. How many workers there are, and a rate,
// belong to the study's load.
type Parameters struct {
	Size         unit.Bytes `yaml:"size" json:"size" jsonschema:"description=Space that the I/Os of an instance go to; on a device 0 is all of it"`
	Occupied     float64    `yaml:"occupied" json:"occupied" jsonschema:"minimum=0,maximum=100,description=Share of the volume's space that holds data in percent; what size leaves is filled with random data; 0 fills nothing more"`
	Read         float64    `yaml:"read" json:"read" jsonschema:"minimum=0,maximum=100,description=Share of I/Os that are reads in percent"`
	Block        mix.Sizes  `yaml:"block" json:"block" jsonschema:"type=string,description=Size of an I/O (4KiB) or a mix of sizes with weights (4KiB:80 and 64KiB:20 separated by a comma)"`
	Alignment    unit.Bytes `yaml:"alignment" json:"alignment" jsonschema:"description=I/Os begin at multiples of this; 0 is the size of the I/O itself" bounds:"0B..16MiB" multiple:"512B"`
	Outstanding  int        `yaml:"outstanding" json:"outstanding" jsonschema:"minimum=1,maximum=1024,description=I/Os that each worker keeps under way"`
	Access       string     `yaml:"access" json:"access" jsonschema:"enum=random,enum=sequential,description=Where I/Os go"`
	Distribution string     `yaml:"distribution" json:"distribution" jsonschema:"description=How random I/Os spread: uniform; zipfian:0.99 (the exponent); pareto:0.2 (that share of the space gets the rest of the I/Os); hotspot:90/10 (percent of I/Os on percent of the space)"`
	Mode         string     `yaml:"mode" json:"mode" jsonschema:"enum=direct,enum=buffered,description=Past the page cache or through it"`
	Dsync        bool       `yaml:"dsync" json:"dsync" jsonschema:"description=Every write is on the medium before it is acknowledged"`
	Verify       bool       `yaml:"verify" json:"verify" jsonschema:"description=Stamp every block that is written and check every block that is read"`
}

func defaults() *Parameters {
	return &Parameters{
		Size: 1 << 30, Read: 70, Block: mix.Sizes{{Bytes: 4096, Weight: 1}}, Outstanding: 8,
		Access: accessRandom, Distribution: "uniform", Mode: modeDirect, Verify: true,
	}
}

// Values of access and mode.
const (
	accessRandom     = "random"
	accessSequential = "sequential"
	modeDirect       = "direct"
	modeBuffered     = "buffered"
)

const (
	largestIO = 16 << 20
	mostSizes = 8
	// mostBuffers bounds the memory that the I/Os of a worker take.
	mostBuffers = 1 << 30
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	p.checkSizes(&wrong)
	if _, err := p.distribution(); err != nil {
		wrong.Add("distribution", "%v", err)
	}
	return wrong
}

func (p *Parameters) checkSizes(wrong *describe.Problems) {
	if len(p.Block) == 0 || len(p.Block) > mostSizes {
		wrong.Add("block", "must be 1 to %d sizes, got %d", mostSizes, len(p.Block))
		return
	}
	for i, w := range p.Block {
		if w.Bytes < blockcheck.Sector || w.Bytes > largestIO || w.Bytes%blockcheck.Sector != 0 {
			wrong.Add("block", "a size must be a multiple of %d bytes, at most %s, got %s", blockcheck.Sector, unit.Bytes(largestIO), unit.Bytes(w.Bytes))
			return
		}
		for _, before := range p.Block[:i] {
			if before.Bytes == w.Bytes {
				wrong.Add("block", "%s is in the mix twice", unit.Bytes(w.Bytes))
			}
		}
	}
	if p.Size != 0 && int64(p.Size) < p.Block.Largest() {
		wrong.Add("size", "must have room for a block of %s, got %s", unit.Bytes(p.Block.Largest()), p.Size)
	}
	if buffers := p.Block.Largest() * int64(p.Outstanding); buffers > mostBuffers {
		wrong.Add("outstanding", "%d I/Os of up to %s take %s of memory for each worker, more than %s",
			p.Outstanding, unit.Bytes(p.Block.Largest()), unit.Bytes(buffers).Rough(), unit.Bytes(mostBuffers))
	}
}

// unit is the size of a stamped block: what every I/O begins and ends at a
// multiple of.
func (p *Parameters) unit() int64 {
	unit := int64(p.Alignment)
	for _, w := range p.Block {
		unit = commonDivisor(unit, w.Bytes)
	}
	return unit
}

func commonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// align is what I/Os of a size begin at multiples of.
func (p *Parameters) align(bytes int64) int64 {
	if p.Alignment > 0 {
		return int64(p.Alignment)
	}
	return bytes
}

// distribution makes the generator of ranks.
func (p *Parameters) distribution() (func(n int64) distribution.Ranks, error) {
	name, argument, _ := strings.Cut(p.Distribution, ":")
	switch name {
	case "uniform":
		if argument == "" {
			return func(n int64) distribution.Ranks { return distribution.Uniform{N: n} }, nil
		}
	case "zipfian":
		if x, err := strconv.ParseFloat(argument, 64); err == nil {
			return func(n int64) distribution.Ranks { return distribution.NewZipf(n, x) }, distribution.CheckZipf(x)
		}
	case "pareto":
		if x, err := strconv.ParseFloat(argument, 64); err == nil {
			return func(n int64) distribution.Ranks { return distribution.NewPareto(n, x) }, distribution.CheckPareto(x)
		}
	case "hotspot":
		if share, part, err := parseHotSpot(argument); err == nil {
			return func(n int64) distribution.Ranks { return distribution.NewHotSpot(n, share, part) }, nil
		}
	}
	return nil, fmt.Errorf("must be uniform, zipfian:0.99, pareto:0.2 or hotspot:90/10 (percent of the I/Os on percent of the space), got %q", p.Distribution)
}

// parseHotSpot reads "90/10" as shares of 1.
func parseHotSpot(text string) (share, part float64, err error) {
	left, right, _ := strings.Cut(text, "/")
	share, err = strconv.ParseFloat(left, 64)
	if err == nil {
		part, err = strconv.ParseFloat(right, 64)
	}
	if err == nil && !(share >= 0 && share <= 100 && part > 0 && part <= 100) {
		err = fmt.Errorf("percent are 0 to 100")
	}
	return share / 100, part / 100, err
}
