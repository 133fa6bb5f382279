package images

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/describe"
	"plimsoll/internal/workload"
)

// The names of the checks.
const (
	checkWhole    = "every item that was acknowledged is there, whole"
	checkHoles    = "every item that was acknowledged has its holes"
	checkNoOthers = "nothing is there beside what was moved"
	checkExported = "every item that was exported arrived as the store has it"
	checkSource   = "every item of the source is as it was made"
)

// Audit reads everything that was moved and compares it with how it was made, by digest and
// by holes. What a user took it takes again.
func (Workload) Audit(ctx context.Context, t workload.Target, p workload.Parameters, _ uint64, receipts workload.Receipts) (describe.Audit, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return describe.Audit{}, err
	}
	keeper, err := place(t, own.keeper())
	if err != nil {
		return describe.Audit{}, err
	}
	a := &auditor{p: own, shape: own.shape(), digests: map[int]string{}, known: map[string]bool{}, audit: describe.Audit{Instance: t.Instance}}
	if a.seed, err = prepared(ctx, keeper, own); err != nil {
		return describe.Audit{}, err
	}
	if own.Operation == exporting {
		err = a.exports(ctx, keeper, receipts)
		return a.audit, err
	}
	at, err := place(t, own.receiver())
	if err != nil {
		return describe.Audit{}, err
	}
	return a.audit, a.copies(ctx, at, receipts)
}

// auditor compares the stores' items with receipts.
type auditor struct {
	p       *Parameters
	shape   shape
	seed    uint64
	digests map[int]string  // by item
	known   map[string]bool // names that may be there
	audit   describe.Audit

	whole, holed, others, took, source tally
}

// tally counts one check.
type tally struct {
	expected, found int64
	examples        []string
}

const mostExamples = 10

func (c *tally) miss(format string, args ...any) {
	if len(c.examples) < mostExamples {
		c.examples = append(c.examples, fmt.Sprintf(format, args...))
	}
}

func (a *auditor) check(name string, c tally, passed bool) {
	a.audit.Checks = append(a.audit.Checks, describe.Check{Name: name, Passed: passed, Expected: c.expected, Found: c.found, Examples: c.examples})
}

// digest returns the digest of an item as it was made.
func (a *auditor) digest(n int) string {
	if a.digests[n] == "" {
		h := sha256.New()
		_ = a.p.item(a.seed, n).Whole(h) // a hash takes everything
		a.digests[n] = hex.EncodeToString(h.Sum(nil))
	}
	return a.digests[n]
}

// copies audits a store that has what was moved.
func (a *auditor) copies(ctx context.Context, at imaged.Place, receipts workload.Receipts) error {
	there, err := at.List(ctx)
	if err != nil {
		return err
	}
	err = receipts.Each(func(b []byte) error {
		r, err := readReceipt(b)
		if err != nil {
			return err
		}
		return a.copy(ctx, at, r, slices.Contains(there, r.Name))
	})
	if err != nil {
		return err
	}
	a.strangers(there)
	a.check(checkWhole, a.whole, len(a.whole.examples) == 0)
	if a.shape.way.Holes && a.shape.destination == transfer.Raw {
		a.check(checkHoles, a.holed, len(a.holed.examples) == 0)
	}
	a.check(checkNoOthers, a.others, len(a.others.examples) == 0)
	return nil
}

// copy audits one copy. One that an error left open may be there, and must be whole then.
func (a *auditor) copy(ctx context.Context, at imaged.Place, r receipt, there bool) error {
	a.known[r.Name] = true
	if r.Open {
		a.audit.Doubtful++
	} else {
		a.audit.Acknowledged++
		a.whole.expected++
	}
	if !there {
		if !r.Open {
			a.whole.miss("%s, a copy of %s, is not there", r.Name, named(r.Item))
		}
		return nil
	}
	sum, err := at.Sum(ctx, r.Name, a.shape.destination)
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case err != nil:
		a.whole.miss("%s, a copy of %s, cannot be read: %v", r.Name, named(r.Item), err)
		return nil
	case sum.Digest != a.digest(r.Item):
		a.whole.miss("%s is not as %s was made: %d bytes with another digest", r.Name, named(r.Item), sum.Size)
		return nil
	case r.Open:
		return nil
	}
	a.whole.found++
	a.audit.Present++
	a.holes(r, sum)
	return nil
}

// slack is by how much a file may take more than its data, as file systems have them.
const slack = 64 << 10

// holes looks whether a copy has its holes. A file system that does not show them says at
// least what the file takes.
func (a *auditor) holes(r receipt, sum transfer.Sum) {
	data := a.p.item(a.seed, r.Item).DataBytes()
	a.holed.expected++
	if sum.Holes >= sum.Size-data || sum.Allocated <= data+data/20+slack {
		a.holed.found++
		return
	}
	a.holed.miss("%s has %d bytes of holes, and %s %d", r.Name, sum.Holes, named(r.Item), sum.Size-data)
}

// strangers looks for what nobody moved.
func (a *auditor) strangers(there []string) {
	own := func(name string) bool {
		return a.known[name] || strings.HasPrefix(name, "mark-") || strings.HasPrefix(name, "item-") && a.p.receiver() == a.p.keeper()
	}
	for _, name := range there {
		if !own(name) {
			a.others.found++
			a.others.miss("%s", name)
		}
	}
}

// exports audits what users took, each item once more.
func (a *auditor) exports(ctx context.Context, at imaged.Place, receipts workload.Receipts) error {
	again := map[int]crc{}
	err := receipts.Each(func(b []byte) error {
		r, err := readReceipt(b)
		if err != nil {
			return err
		}
		if r.Open {
			a.audit.Doubtful++
			return nil
		}
		if _, ok := again[r.Item]; !ok {
			if again[r.Item], err = a.again(ctx, at, r.Item); err != nil {
				return err
			}
		}
		a.audit.Acknowledged++
		a.took.expected++
		if is := again[r.Item]; is.sum != r.CRC || is.bytes != r.Bytes {
			a.took.miss("%s arrived as %d bytes with CRC %08x, and now has %d with %08x", named(r.Item), r.Bytes, r.CRC, is.bytes, is.sum)
			return nil
		}
		a.took.found++
		a.audit.Present++
		return nil
	})
	if err != nil {
		return err
	}
	a.check(checkExported, a.took, len(a.took.examples) == 0)
	a.check(checkSource, a.source, len(a.source.examples) == 0)
	return nil
}

// again takes an item once more, and compares it with how it was made.
func (a *auditor) again(ctx context.Context, at imaged.Place, n int) (crc, error) {
	var as crc
	var sum transfer.Summer
	way, format := a.shape.way, exported(a.shape)
	way.TLS = false
	stages := append(transfer.Converting(way.Format, format), as.pass())
	stages = append(append(stages, transfer.Converting(format, transfer.Packed)...), sum.Stage())
	a.source.expected++
	_, err := at.Export(ctx, named(n), a.shape.source, way, stages)
	switch is := sum.Result(); {
	case err != nil && ctx.Err() != nil:
		return as, err
	case err != nil:
		a.source.miss("%s cannot be taken: %v", named(n), err)
	case is.Digest != a.digest(n):
		a.source.miss("%s is not as it was made: %d bytes with another digest", named(n), is.Size)
	default:
		a.source.found++
	}
	return as, nil
}
