package social

import (
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"
)

// Parameters are what a study can set.
type Parameters struct {
	People   int64      `yaml:"people" json:"people" jsonschema:"minimum=1,maximum=100000000,description=People who are registered before; there are two events to each"`
	Picture  unit.Bytes `yaml:"picture" json:"picture" jsonschema:"description=Size of the picture of a person or an event" bounds:"1B..400KiB"`
	Document unit.Bytes `yaml:"document" json:"document" jsonschema:"description=Size of the document of an event" bounds:"1B..400KiB"`
	Files    string     `yaml:"files" json:"files" jsonschema:"enum=database,enum=volume,description=Where pictures and documents lie: in the database or on a volume of the servers of pages"`
	Mix      mix.Verbs  `yaml:"mix" json:"mix" jsonschema:"description=How often each page is visited, with weights; the default is the published mix of CloudStone"`
	Attend   float64    `yaml:"attend" json:"attend" jsonschema:"minimum=0,maximum=100,description=Share of the looks at an event after which the person attends it, in per cent"`
	Comment  float64    `yaml:"comment" json:"comment" jsonschema:"minimum=0,maximum=100,description=Share of the looks at an event after which the person comments on it, in per cent"`
}

// Where files lie.
const (
	inDatabase = "database"
	onVolume   = "volume"
)

// publishedMix is CloudStone's, in per cent.
const publishedMix = "home:26.14, login:10.22, tag-search:33.37, event:24.71, person:2.65, add-person:0.86, add-event:2.04"

func defaults() *Parameters {
	published, err := mix.ParseVerbs(publishedMix)
	if err != nil {
		panic(err) // the text is a constant
	}
	return &Parameters{People: 1000, Picture: 8 << 10, Document: 16 << 10, Files: inDatabase, Mix: published, Attend: 10, Comment: 5}
}

// Validate reports every impossible value. The files of an event, which are sent together, are well
// below what web servers accept in one request (1 MiB).
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if err := p.Mix.Check(visitNames()); err != nil {
		wrong.Add("mix", "%v", err)
	}
	return wrong
}

// events is how many there are before.
func (p *Parameters) events() int64 { return 2 * p.People }

// key names all that the loaded rows depend on.
func (p *Parameters) key(seed uint64) string {
	return fmt.Sprintf("%s-people%d-picture%d-document%d-in-%s-seed%d-content%d", Name, p.People, p.Picture, p.Document, p.Files, seed, contentVersion)
}
