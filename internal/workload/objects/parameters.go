package objects

import (
	"fmt"
	"slices"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload/mix"
)

// Parameters are the settings of a study. The number of users and the rate belong to the
// study's load.
type Parameters struct {
	Mix      mix.Verbs  `yaml:"mix" json:"mix" jsonschema:"type=string,description=Operations with their weights: put; multipart (a PUT in parts); get; range (a GET of a part); head; list; copy (by the store itself); tag; delete"`
	Sizes    Sizes      `yaml:"sizes" json:"sizes" jsonschema:"type=string,description=Size of an object (4KiB)\\, sizes with weights (4KiB:70 and 1MiB:30 separated by a comma) or a distribution (lognormal median=64KiB p99=4MiB min=4KiB max=64MiB; sigma in place of p99)"`
	Objects  int64      `yaml:"objects" json:"objects" jsonschema:"minimum=1,maximum=1073741824,description=Objects of each user that are there before the load; each user writes and deletes among as many of its own"`
	Prefixes int64      `yaml:"prefixes" json:"prefixes" jsonschema:"minimum=1,maximum=10000,description=Prefixes (as of directories) that a user's objects are spread over; list asks for those below one"`
	Page     int        `yaml:"page" json:"page" jsonschema:"minimum=1,maximum=1000,description=Most keys in a page of a list"`
	Part     unit.Bytes `yaml:"part" json:"part" jsonschema:"description=Size of a part of a multipart PUT; stores want 5MiB or more of all but the last" bounds:"5MiB..5GiB"`
	Range    unit.Bytes `yaml:"range" json:"range" jsonschema:"description=Bytes that a range GET asks for; the whole object where it is smaller" bounds:"1B.."`
	Balanced bool       `yaml:"balanced" json:"balanced" jsonschema:"description=Users reach the store through a role of its own in front of it (balancer)"`
	Verify   bool       `yaml:"verify" json:"verify" jsonschema:"description=Stamp what is written and check what is read"`
}

// The verbs, in the order in which they are reported.
const (
	put       = "put"
	multipart = "multipart"
	get       = "get"
	part      = "range"
	head      = "head"
	list      = "list"
	duplicate = "copy"
	tag       = "tag"
	remove    = "delete"
)

func verbs() []string {
	return []string{put, multipart, get, part, head, list, duplicate, tag, remove}
}

func defaults() *Parameters {
	return &Parameters{
		Mix: mix.Verbs{
			{Verb: get, Weight: 60}, {Verb: put, Weight: 25}, {Verb: head, Weight: 5}, {Verb: list, Weight: 2}, {Verb: remove, Weight: 8},
		},
		Sizes:   Sizes{Mix: mix.Sizes{{Bytes: 4 << 10, Weight: 60}, {Bytes: 64 << 10, Weight: 30}, {Bytes: 1 << 20, Weight: 10}}},
		Objects: 200, Prefixes: 4, Page: 1000, Part: 8 << 20, Range: 64 << 10, Verify: true,
	}
}

const (
	largestObject = 5 << 40 // of the S3 protocol
	largestPut    = 5 << 30 // in one request
	mostParts     = 10_000  // of one object
)

// Validate reports every impossible value.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if err := p.Mix.Check(verbs()); err != nil {
		wrong.Add("mix", "%v", err)
	}
	if err := p.checkSizes(); err != nil {
		wrong.Add("sizes", "%v", err)
	}
	return wrong
}

func (p *Parameters) checkSizes() error {
	if err := p.Sizes.check(); err != nil {
		return err
	}
	least, most := p.Sizes.bounds()
	switch {
	case least < 1:
		return fmt.Errorf("must be 1 byte to %s, got %s", unit.Bytes(largestObject), unit.Bytes(least))
	case most > largestObject:
		return fmt.Errorf("must be 1 byte to %s, got %s", unit.Bytes(largestObject), unit.Bytes(most))
	case most > largestPut && p.does(put):
		return fmt.Errorf("%s is more than one PUT takes (%s): have multipart in the mix instead of put", unit.Bytes(most), unit.Bytes(largestPut))
	case most/mostParts > int64(p.Part):
		return fmt.Errorf("%s is more than %d parts of %s: set a larger part", unit.Bytes(most), mostParts, p.Part)
	}
	return nil
}

// does reports whether a verb occurs. Keys must exist before they are deleted, tagged or
// copied, so a mix without a verb that writes also puts objects.
func (p *Parameters) does(verb string) bool {
	return p.Mix.Of(verb) > 0 || verb == p.writes() && (p.Mix.Of(remove) > 0 || p.Mix.Of(tag) > 0)
}

// writes is the verb that makes an object where another needs one.
func (p *Parameters) writes() string {
	if p.Mix.Of(put) == 0 && p.Mix.Of(multipart) > 0 {
		return multipart
	}
	return put
}

// changes reports whether anything is written or deleted.
func (p *Parameters) changes() bool {
	return p.does(put) || p.does(multipart) || p.does(duplicate)
}

// unused lists the keys that have no effect given the mix.
func (p *Parameters) unused() (keys []string) {
	for key, used := range map[string]bool{"part": p.does(multipart), "range": p.does(part), "page": p.does(list)} {
		if !used {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// shape identifies the properties of the data set that users depend on.
func (p *Parameters) shape(users int64) string {
	return fmt.Sprintf("%d users, %d objects each of %s, %d prefixes, verified %t", users, p.Objects, p.Sizes, p.Prefixes, p.Verify)
}
