package result

import (
	"bytes"
	"encoding/json"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Bursts is the unit of work with bursts on and off apart, in the measured phase. A unit
// belongs to the second in which it ended. For a bursty member, a second is on when its
// users begin work; for another member, when all bursty members are on.
type Bursts struct {
	On  BurstPart `json:"on"`
	Off BurstPart `json:"off"`
}

// BurstPart is what was done in the seconds of one kind.
type BurstPart struct {
	Seconds int              `json:"seconds"` // how many there were
	Whole   OperationSummary `json:"whole"`   // the unit of work in them
}

// shed leaves out histograms; nil stays nil.
func (b *Bursts) shed() *Bursts {
	if b == nil {
		return nil
	}
	lean := *b
	lean.On.Whole, lean.Off.Whole = b.On.Whole.shed(), b.Off.Whole.shed()
	return &lean
}

// burstSeconds reads from the records of drivers which seconds of the measured phase are on
// burst: those in which all of them are; false is off.
func burstSeconds(files []string) (map[int]bool, error) {
	all, err := openStreams(files)
	if err != nil {
		return nil, err
	}
	defer all.close()
	seconds := map[int]bool{}
	err = all.each(func(s *stream) error {
		var r Record
		if !bytes.Contains(s.head.text, []byte(KindDriver)) || json.Unmarshal(s.head.text, &r) != nil || r.check() != nil {
			return nil // what cannot be read, the collector says
		}
		if r.Kind == KindDriver && r.Phase == Measure {
			on, known := seconds[r.Second]
			seconds[r.Second] = !r.Off && (on || !known)
		}
		return nil
	})
	return seconds, err
}

// burstTotal adds the unit of work up on and off burst.
type burstTotal struct {
	seconds map[int]bool
	on, off *operationTotal
}

func newBurstTotal(seconds map[int]bool) *burstTotal {
	if len(seconds) == 0 {
		return nil
	}
	return &burstTotal{seconds: seconds, on: newOperationTotal(), off: newOperationTotal()}
}

// add counts a record of the unit of work, whose histogram was read.
func (b *burstTotal) add(r Record, h *hdr.PackedHistogram) {
	on, known := b.seconds[r.Second]
	if !known || r.Phase != Measure {
		return
	}
	o := b.off
	if on {
		o = b.on
	}
	o.sum.Count += r.Count
	o.sum.RolledBack += r.RolledBack
	o.sum.Bytes += r.Bytes
	for class, n := range r.Errors {
		o.sum.Errors[class] += n
	}
	o.lost += h.MergeInto(o.whole)
}

// summary is what came of it; nil where there are no bursts.
func (b *burstTotal) summary() (*Bursts, error) {
	if b == nil {
		return nil, nil
	}
	out := &Bursts{}
	for _, on := range b.seconds {
		if on {
			out.On.Seconds++
		} else {
			out.Off.Seconds++
		}
	}
	var err error
	if out.On.Whole, err = b.on.summary(); err != nil {
		return out, err
	}
	out.Off.Whole, err = b.off.summary()
	return out, err
}
