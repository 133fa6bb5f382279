package files

import (
	"plimsoll/internal/describe"
	"plimsoll/internal/host/blockcheck"
	"plimsoll/internal/text/unit"
)

// Parameters are what a study can set. How many workers there are belongs to the
// study's load.
type Parameters struct {
	Operation string     `yaml:"operation" json:"operation" jsonschema:"enum=write,enum=rewrite,enum=read,enum=reread,enum=mixed,description=What workers do: write new files; rewrite or read files that are there; reread files that they have read before and that may still be in caches; or a mix of read and rewrite"`
	FileSize  unit.Bytes `yaml:"file_size" json:"file_size" jsonschema:"description=Size of each file" bounds:"512B..16TiB"`
	BlockSize unit.Bytes `yaml:"block_size" json:"block_size" jsonschema:"description=Size of each read and write; the last one of a file may be shorter" bounds:"512B..64MiB"`
	Files     int        `yaml:"files" json:"files" jsonschema:"minimum=1,maximum=100000,description=Files of each worker"`
	IO        string     `yaml:"io" json:"io" jsonschema:"enum=buffered,enum=direct,description=Through the page cache or past it"`
	Dsync     bool       `yaml:"dsync" json:"dsync" jsonschema:"description=Every write is on the medium before it is acknowledged"`
	Flush     bool       `yaml:"flush" json:"flush" jsonschema:"description=Flush each file that was written before it is closed (fsync)"`
	Work      string     `yaml:"work" json:"work" jsonschema:"enum=timed,enum=once,description=Work until the phases end; or use each file once as IOzone does"`
	Read      float64    `yaml:"read" json:"read" jsonschema:"minimum=0,maximum=100,description=Share of the files of a mix that are read in percent"`
	Verify    bool       `yaml:"verify" json:"verify" jsonschema:"description=Stamp every block that is written and check every block that is read"`
}

func defaults() *Parameters {
	return &Parameters{
		Operation: write, FileSize: 256 << 20, BlockSize: 1 << 20, Files: 1,
		IO: buffered, Flush: true, Work: timed, Read: 50, Verify: true,
	}
}

// Values of operation, io and work.
const (
	write   = "write"
	rewrite = "rewrite"
	read    = "read"
	reread  = "reread"
	mixed   = "mixed"

	buffered = "buffered"
	direct   = "direct"

	timed = "timed"
	once  = "once"
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if p.Operation == reread && p.Work == once {
		wrong.Add("work", "must be timed with operation reread: workers read their files for the first time while the load warms up")
	}
	if len(wrong) == 0 {
		p.checkSizes(&wrong)
	}
	return wrong
}

func (p *Parameters) checkSizes(wrong *describe.Problems) {
	if p.FileSize < p.BlockSize {
		wrong.Add("file_size", "must be at least a block of %s, got %s", p.BlockSize, p.FileSize)
	}
	if p.IO != direct {
		return
	}
	if p.BlockSize%blockcheck.Sector != 0 {
		wrong.Add("block_size", "must be a multiple of %d bytes with direct I/O, got %s", blockcheck.Sector, p.BlockSize)
	}
	if p.FileSize%blockcheck.Sector != 0 {
		wrong.Add("file_size", "must be a multiple of %d bytes with direct I/O, got %s", blockcheck.Sector, p.FileSize)
	}
}

// blocks is how many there are in a file; the last one may be short.
func (p *Parameters) blocks() int64 {
	return (int64(p.FileSize) + int64(p.BlockSize) - 1) / int64(p.BlockSize)
}

// span is where a block lies in a file.
func (p *Parameters) span(block int64) (offset, length int64) {
	offset = block * int64(p.BlockSize)
	return offset, min(int64(p.BlockSize), int64(p.FileSize)-offset)
}

// writes reports whether workers write.
func (p *Parameters) writes() bool { return p.Operation != read && p.Operation != reread }

// unused lists the parameters that have no effect given the values of the others.
func (p *Parameters) unused() (keys []string) {
	if p.Operation != mixed {
		keys = append(keys, "read")
	}
	if !p.writes() {
		keys = append(keys, "dsync", "flush")
	}
	return keys
}
