package video

import (
	"math"
	"time"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
)

// Parameters are what a study can set. How many streams there are belongs to its ladder.
type Parameters struct {
	Rate       unit.Bytes    `yaml:"rate" json:"rate" jsonschema:"description=What each stream records in a second; frames are whole blocks of 4 KiB so that it is kept to within 2 KiB for each of them"`
	Operations float64       `yaml:"operations" json:"operations" jsonschema:"minimum=0.01,maximum=1000,description=Operations of each stream in a second; reads included"`
	Reads      float64       `yaml:"reads" json:"reads" jsonschema:"minimum=0,maximum=90,description=Share of the operations that are reads of what was recorded before in percent"`
	ReadSize   unit.Bytes    `yaml:"read_size" json:"read_size" jsonschema:"description=Size of a read; a multiple of 4 KiB and at most a frame"`
	History    unit.Bytes    `yaml:"history" json:"history" jsonschema:"description=What each stream has recorded before the trial begins" bounds:"0B..1TiB"`
	Segment    unit.Duration `yaml:"segment" json:"segment" jsonschema:"description=How long a stream records into one file" bounds:">0s..24h"`
	IO         string        `yaml:"io" json:"io" jsonschema:"enum=direct,enum=buffered,description=Past the page cache or through it"`
	Flush      bool          `yaml:"flush" json:"flush" jsonschema:"description=Flush each file that is full before it is closed (fsync)"`
}

func defaults() *Parameters {
	return &Parameters{
		Rate: 4_600_000, Operations: 10, Reads: 10, ReadSize: 64 << 10, History: 128 << 20,
		Segment: unit.Duration(time.Minute), IO: direct, Flush: true,
	}
}

// Values of io.
const (
	direct   = "direct"
	buffered = "buffered"
)

const (
	// block is what direct I/O takes on every medium, and what says where it belongs:
	// a read may begin at any.
	block        = 4096
	largestFrame = 64 << 20
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if len(wrong) == 0 {
		p.checkSizes(&wrong)
	}
	return wrong
}

func (p *Parameters) checkSizes(wrong *describe.Problems) {
	if p.Rate <= 0 || p.frame() > largestFrame {
		wrong.Add("rate", "frames must be up to %s: a second of %s in %v writes makes larger ones, or none", unit.Bytes(largestFrame), p.Rate, p.Operations*p.frameShare())
		return
	}
	if p.Reads == 0 {
		return
	}
	if p.History <= 0 {
		wrong.Add("history", "must be above 0: reads go to what was recorded before")
	}
	if p.ReadSize < block || p.ReadSize%block != 0 || int64(p.ReadSize) > p.frame() {
		wrong.Add("read_size", "must be a multiple of %s, at most a frame of %s, got %s", unit.Bytes(block), unit.Bytes(p.frame()), p.ReadSize)
	}
}

// frameShare is the share of the operations that record a frame.
func (p *Parameters) frameShare() float64 { return 1 - p.Reads/100 }

// frame is the size of one in bytes, in whole blocks.
func (p *Parameters) frame() int64 {
	exact := float64(p.Rate) / (p.Operations * p.frameShare())
	return max(1, int64(math.Round(exact/block))) * block
}

// segmentFrames is how many frames a file holds.
func (p *Parameters) segmentFrames() int64 {
	return max(1, int64(math.Round(p.Segment.D().Seconds()*p.Operations*p.frameShare())))
}

// historyFrames is how many frames of a stream are there before it goes on.
func (p *Parameters) historyFrames() int64 {
	return (int64(p.History) + p.frame() - 1) / p.frame()
}

// reading reports whether an operation of a stream reads, by its number: a
// share of them, evenly spaced, so that frames come at a fixed rate.
func (p *Parameters) reading(number int64) bool {
	share := p.Reads / 100
	return math.Floor(float64(number+1)*share) > math.Floor(float64(number)*share)
}
