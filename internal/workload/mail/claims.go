package mail

import (
	"fmt"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// session is one user from its opening to its end.
type session struct {
	user  int64
	epoch uint64
}

// sentMessage is a message that was accepted, or may have been.
type sentMessage struct {
	to     int64
	doubt  bool
	digest digest
}

// mailboxEntry is a message in a mailbox that its user has removed or moved.
type mailboxEntry struct {
	user int64 // whose mailbox it was in
	id   id
}

// fate is what happened to such a message.
type fate struct {
	removed []arrival // copies that are gone for certain, by how they had come
	maybe   bool      // one more may be gone
	moved   bool      // it may have been moved
}

// claims is the sum of an instance's receipts.
type claims struct {
	volume  uint64
	sent    map[id]sentMessage
	fates   map[mailboxEntry]*fate
	serials map[session]uint64 // the highest
	given   int64
	lost    bool // some connection was
}

func newKnown() *claims {
	return &claims{sent: map[id]sentMessage{}, fates: map[mailboxEntry]*fate{}, serials: map[session]uint64{}}
}

// add reads a receipt.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	kind, volume := r.Next(), r.Next()
	s := session{int64(r.Next()), r.Next()}
	serial := r.Next()
	if r.Bad() || s.user < 0 || s.epoch < firstEpoch || s.epoch > lastEpoch || serial == 0 || k.given > 0 && volume != k.volume {
		return workload.ErrReceipt
	}
	switch kind {
	case receiptSent:
		number := int64(r.Next())
		k.sent[id{s.user, s.epoch, number}] = sentMessage{to: int64(r.Next()), doubt: r.Next() > 0, digest: digestOf(r.Next)}
	case receiptRemoved, receiptMoved:
		f := k.fateOf(mailboxEntry{s.user, id{int64(r.Next()), r.Next(), int64(r.Next())}})
		switch doubt := r.Next() > 0; {
		case kind == receiptMoved:
			f.moved = true
		case doubt:
			f.maybe = true
		default:
			f.removed = append(f.removed, arrival(r.Next()))
		}
	case receiptLost:
		k.lost = true
	default:
		return fmt.Errorf("%w: of kind %d", workload.ErrReceipt, kind)
	}
	if r.Bad() {
		return workload.ErrReceipt
	}
	k.volume = volume
	k.given++
	k.serials[s] = max(k.serials[s], serial)
	return nil
}

// fateOf returns the fate of a message so far.
func (k *claims) fateOf(p mailboxEntry) *fate {
	if k.fates[p] == nil {
		k.fates[p] = &fate{}
	}
	return k.fates[p]
}

// should is how many receipts there should be.
func (k *claims) should() (n int64) {
	for _, serial := range k.serials {
		n += int64(serial)
	}
	return n
}

// copies is how many of a message may be in a mailbox.
type copies struct {
	least, most int64
	digest      digest
	loaded      bool
	removed     []arrival // those that must be gone
}

// expected lists what must and may be in a mailbox, by the names of messages.
func (k *claims) expected(p *Parameters, user int64) map[id]copies {
	all := map[id]copies{}
	for number := range p.Messages {
		m := p.loaded(k.volume, user, number)
		all[m.id] = copies{least: 1, most: 1, digest: m.digest, loaded: true}
	}
	for i, s := range k.sent {
		if s.to == user || i.user == user {
			c := copies{least: 1, most: 1, digest: s.digest}
			if s.doubt {
				c.least = 0
			}
			all[i] = c
		}
	}
	for at, f := range k.fates {
		c, ok := all[at.id]
		if at.user != user || !ok {
			continue
		}
		switch {
		case len(f.removed) > 0:
			c.least, c.most, c.removed = 0, 0, f.removed
		case f.maybe:
			c.least = 0
		case f.moved: // it is in one folder, or in both
			c.most = 2
		}
		all[at.id] = c
	}
	return all
}
