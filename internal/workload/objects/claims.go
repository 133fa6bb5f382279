package objects

import (
	"regexp"
	"slices"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
	"plimsoll/internal/workload/objectio"
)

// claims is the sum of an instance's receipts.
type claims struct {
	p        *Parameters
	volume   uint64
	sessions map[space]map[int64]object // the last receipt of each key that has one
	doubted  map[string]bool            // keys with a failed change, at any time
	given    int64
}

func newKnown(p *Parameters) *claims {
	return &claims{p: p, sessions: map[space]map[int64]object{}, doubted: map[string]bool{}}
}

// add reads a receipt.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	volume, s := r.Next(), space{int64(r.Next()), r.Next()}
	number := int64(r.Next())
	o := object{given: uint32(r.Next()), acked: uint32(r.Next())}
	o.is = content{r.Next(), uint32(r.Next()), int64(r.Next())}
	o.tagged = uint32(r.Next())
	doubt := r.Next()
	o.tried = content{r.Next(), uint32(r.Next()), int64(r.Next())}
	if r.Bad() || doubt > 3 || s.user < 0 || s.epoch < firstEpoch || s.epoch > lastEpoch || number < 0 || number >= k.p.Objects ||
		o.given == 0 || o.acked > o.given || o.is.size < 0 || o.tried.size < 0 || k.given > 0 && k.volume != volume {
		return workload.ErrReceipt
	}
	o.doubt, o.retagged, o.deleted = doubt > 0, doubt == 2, doubt == 3
	k.volume = volume
	k.given++
	if k.sessions[s] == nil {
		k.sessions[s] = map[int64]object{}
	}
	if o.doubt {
		k.doubted[s.key(number, k.p.Prefixes)] = true
	}
	if o.given >= k.sessions[s][number].given {
		k.sessions[s][number] = o
	}
	return nil
}

// receipts is how many there are, and how many there should be.
func (k *claims) receipts() (given, should int64) {
	for _, objects := range k.sessions {
		for _, o := range objects {
			should += int64(o.given)
		}
	}
	return k.given, should
}

// acknowledged is how many changes of keys that are certain there were.
func (k *claims) acknowledged() (n int64) {
	for _, objects := range k.sessions {
		for _, o := range objects {
			if o.certain() {
				n += int64(o.acked)
			}
		}
	}
	return n
}

// keyIn matches a key of this workload at the end of a name.
var keyIn = regexp.MustCompile(`^(.*/)\D*(o\d{8})`)

// leftover reports whether a name was derived from a key with a failed change. Some stores
// leave such a name when they are killed, and list it.
func (k *claims) leftover(name string) bool {
	found := keyIn.FindStringSubmatch(name)
	return found != nil && k.doubted[found[1]+found[2]]
}

// withoutFront are the endpoints of the store itself.
func withoutFront(t workload.Target) []endpoint.Endpoint {
	return slices.DeleteFunc(slices.Clone(t.Endpoints), func(e endpoint.Endpoint) bool { return e.Role != objectio.StoreRole })
}
