package smallfiles

import (
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"
)

// Parameters are what a study can set. How many workers there are, and a rate,
// belong to the study's load.
type Parameters struct {
	Operation  string     `yaml:"operation" json:"operation" jsonschema:"enum=create,enum=read,enum=append,enum=stat,enum=rename,enum=list,enum=delete,enum=mixed,description=What is done to each file (list: to each directory)"`
	FileSize   unit.Bytes `yaml:"file_size" json:"file_size" jsonschema:"description=Size of a file" bounds:"0B..1GiB"`
	Files      int64      `yaml:"files" json:"files" jsonschema:"minimum=1,maximum=67108864,description=Files of each worker"`
	FanOut     int64      `yaml:"fan_out" json:"fan_out" jsonschema:"minimum=1,maximum=1048576,description=Most files in a directory"`
	Depth      int        `yaml:"depth" json:"depth" jsonschema:"minimum=1,maximum=8,description=Levels of directories above the files"`
	Shared     bool       `yaml:"shared" json:"shared" jsonschema:"description=All workers work in the same directories; else each has a tree of its own"`
	AppendSize unit.Bytes `yaml:"append_size" json:"append_size" jsonschema:"description=Bytes that an append adds to a file" bounds:"1B..1GiB"`
	Mix        mix.Verbs  `yaml:"mix" json:"mix" jsonschema:"type=string,description=Operations of mixed with their weights"`
	Flush      bool       `yaml:"flush" json:"flush" jsonschema:"description=Flush each file before it is closed (fsync), and its directory after a rename or a deletion; the time counts"`
	Work       string     `yaml:"work" json:"work" jsonschema:"enum=once,enum=timed,description=Each file once, or again and again until the phases of the study are over"`
	Verify     bool       `yaml:"verify" json:"verify" jsonschema:"description=Stamp what is written and check what is read"`
}

// Values of operation and work. The first seven are the verbs.
const (
	create = "create"
	read   = "read"
	extend = "append"
	stat   = "stat"
	rename = "rename"
	list   = "list"
	remove = "delete"
	mixed  = "mixed"

	once  = "once"
	timed = "timed"
)

// verbs are in the order in which they are reported.
func verbs() []string { return []string{create, read, extend, stat, rename, list, remove} }

func defaults() *Parameters {
	return &Parameters{
		Operation: create, FileSize: 32 << 10, Files: 1000, FanOut: 100, Depth: 2, AppendSize: 4 << 10,
		Mix:  mix.Verbs{{Verb: read, Weight: 40}, {Verb: stat, Weight: 25}, {Verb: create, Weight: 10}, {Verb: remove, Weight: 10}, {Verb: extend, Weight: 8}, {Verb: rename, Weight: 5}, {Verb: list, Weight: 2}},
		Work: once, Verify: true,
	}
}

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if err := p.Mix.Check(verbs()); err != nil {
		wrong.Add("mix", "%v", err)
	}
	return wrong
}

// does reports whether a verb is among what workers do.
func (p *Parameters) does(verb string) bool {
	if p.Operation == mixed {
		return p.Mix.Of(verb) > 0 || p.restores(verb)
	}
	return p.Operation == verb || p.restores(verb)
}

// restores reports whether a verb brings files back to a state in which the
// operation can be done once more: creations and deletions need each other.
func (p *Parameters) restores(verb string) bool {
	opposite := map[string]string{create: remove, remove: create}[verb]
	if p.Operation == mixed {
		return p.Mix.Of(opposite) > 0
	}
	return p.Work == timed && p.Operation == opposite
}

// grows reports whether files may have an appended part.
func (p *Parameters) grows() bool { return p.does(extend) }

// bytes is the size of a file with or without an appended part.
func (p *Parameters) bytes(appended bool) int64 {
	if appended {
		return int64(p.FileSize + p.AppendSize)
	}
	return int64(p.FileSize)
}

// unused lists the keys that have no effect given the operation.
func (p *Parameters) unused() (keys []string) {
	if p.Operation != mixed {
		keys = append(keys, "mix")
	}
	if !p.grows() {
		keys = append(keys, "append_size")
	}
	if !p.changes() {
		keys = append(keys, "flush")
	}
	return keys
}

// changes reports whether some verb changes files or directories.
func (p *Parameters) changes() bool {
	return p.does(create) || p.does(extend) || p.does(rename) || p.does(remove)
}

// shape is what must be the same for workers to find what Prepare has made.
func (p *Parameters) shape(users int64) string {
	return fmt.Sprintf("%d workers to %s %d files each of %s, %d in a directory, depth %d, shared %t",
		users, p.Operation, p.Files, p.FileSize, p.FanOut, p.Depth, p.Shared)
}
