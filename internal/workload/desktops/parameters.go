package desktops

import (
	"fmt"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"
)

// Parameters are what a study can set. How many sessions there are, how long they think and
// when they are at work belong to its load.
type Parameters struct {
	Mix       mix.Verbs     `yaml:"mix" json:"mix" jsonschema:"type=string,description=What sessions do with their weights: open; browse; edit; search; save; copy; archive; compress"`
	Documents int64         `yaml:"documents" json:"documents" jsonschema:"minimum=1,maximum=100000,description=Documents of each session"`
	Document  unit.Bytes    `yaml:"document" json:"document" jsonschema:"description=Size of each document" bounds:"4KiB..1TiB" multiple:"4KiB"`
	Changes   int64         `yaml:"changes" json:"changes" jsonschema:"minimum=1,maximum=1000,description=Blocks of 4 KiB that an edit writes one after the other; each is on the medium before the next"`
	Settings  int64         `yaml:"settings" json:"settings" jsonschema:"minimum=1,maximum=100000,description=Files of 4 KiB that a login reads; every fourth of them it writes"`
	System    unit.Bytes    `yaml:"system" json:"system" jsonschema:"description=What a boot reads in pieces of 64 KiB" bounds:"64KiB..1TiB" multiple:"64KiB"`
	Large     unit.Bytes    `yaml:"large" json:"large" jsonschema:"description=Size of the file that is copied and compressed" bounds:"4KiB..1TiB" multiple:"4KiB"`
	Start     string        `yaml:"start" json:"start" jsonschema:"enum=boot,enum=login,enum=nothing,description=What a session begins with and again after it was away: boot and login; login alone; nothing"`
	Away      unit.Duration `yaml:"away" json:"away" jsonschema:"description=A session that did nothing for so long was away: its next action is that of start. Longer than people think; shorter than the pause between two bursts of the load" bounds:">0s.."`
}

// The verbs of the three groups, in the order in which they are reported.
const (
	open   = "open"
	browse = "browse"
	edit   = "edit"
	search = "search"
	save   = "save"

	duplicate = "copy"
	pack      = "archive"
	compress  = "compress"

	boot  = "boot"
	login = "login"
)

// group is some verbs whose response times are also reported together.
type group struct {
	name  string
	verbs []string
}

var (
	interactive = group{"interactive", []string{open, browse, edit, search, save}}
	storage     = group{"storage", []string{duplicate, pack, compress}}
	starting    = group{"start", []string{boot, login}}
)

func groups() []group { return []group{interactive, storage, starting} }

// drawn are the verbs that a mix may have.
func drawn() []string { return append(slices.Clone(interactive.verbs), storage.verbs...) }

// Other values of start.
const nothing = "nothing"

func defaults() *Parameters {
	return &Parameters{
		Mix: mix.Verbs{
			{Verb: open, Weight: 30}, {Verb: browse, Weight: 20}, {Verb: edit, Weight: 20}, {Verb: search, Weight: 5}, {Verb: save, Weight: 15},
			{Verb: duplicate, Weight: 4}, {Verb: pack, Weight: 3}, {Verb: compress, Weight: 3},
		},
		Documents: 50, Document: 64 << 10, Changes: 4, Settings: 40, System: 32 << 20, Large: 8 << 20,
		Start: boot, Away: unit.Duration(30e9),
	}
}

const (
	// block is the unit of stamps and of edits, in bytes.
	block = 4096
	// bootPiece is what a boot reads at once.
	bootPiece = 64 << 10
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if err := p.Mix.Check(drawn()); err != nil {
		wrong.Add("mix", "%v", err)
	}
	return wrong
}

// starts are the verbs that a session begins with.
func (p *Parameters) starts() []string {
	switch p.Start {
	case boot:
		return []string{boot, login}
	case login:
		return []string{login}
	}
	return nil
}

// does reports whether a verb occurs.
func (p *Parameters) does(verb string) bool {
	return p.Mix.Of(verb) > 0 || slices.Contains(p.starts(), verb)
}

// operations are the unit of work, and the groups and verbs that occur.
func (p *Parameters) operations() []string {
	names := []string{"action"}
	for _, g := range groups() {
		verbs := slices.DeleteFunc(slices.Clone(g.verbs), func(verb string) bool { return !p.does(verb) })
		if len(verbs) > 0 {
			names = append(append(names, g.name), verbs...)
		}
	}
	return names
}

// numbers returns the number of each operation.
func (p *Parameters) numbers() map[string]int {
	all := map[string]int{}
	for i, name := range p.operations() {
		all[name] = i
	}
	return all
}

// unused lists the parameters that have no effect given the values of the others.
func (p *Parameters) unused() (keys []string) {
	if !p.does(edit) {
		keys = append(keys, "changes")
	}
	if !p.does(duplicate) && !p.does(compress) {
		keys = append(keys, "large")
	}
	if !p.does(boot) {
		keys = append(keys, "system")
	}
	if !p.does(login) {
		keys = append(keys, "settings", "away")
	}
	return keys
}

// shape is what a volume's files must have in common with those that sessions look for.
func (p *Parameters) shape() string {
	return fmt.Sprintf("%d documents of %s, %d settings, files of %s and %s", p.Documents, p.Document, p.Settings, p.Large, p.System)
}
