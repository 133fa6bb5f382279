package mail

import (
	"testing"

	"plimsoll/internal/workload/fileio"
)

// A message that was deleted is in its mailbox again: if an interrupted server delivered it a
// second time, it has come by another delivery; if the deletion was lost, by the one that the
// user deleted.
func TestADeletedMessageComesBack(t *testing.T) {
	const volume, epoch, first, second = 7, firstEpoch, 100, 200
	m := id{0, epoch, 1}
	for name, is := range map[string]struct {
		lost        bool
		there       []arrival
		gone, again int64
	}{
		"gone":                             {lost: true, gone: 1},
		"delivered again":                  {lost: true, there: []arrival{second}, gone: 1, again: 1},
		"its deletion is lost":             {lost: true, there: []arrival{first}},
		"both":                             {lost: true, there: []arrival{first, second}, again: 1},
		"delivered again without a reason": {there: []arrival{second}},
	} {
		t.Run(name, func(t *testing.T) {
			a := audit{p: defaults(), known: newKnown(), copies: map[mailboxEntry]int64{}}
			serial := uint64(0)
			add := func(kind uint64, more ...uint64) {
				serial++
				receipt := fileio.AppendNumbers(nil, kind, volume, 0, epoch, serial)
				if err := a.known.add(fileio.AppendNumbers(receipt, more...)); err != nil {
					t.Fatal(err)
				}
			}
			add(receiptSent, append([]uint64{1, 1, 0}, digest{}.numbers()...)...)
			add(receiptRemoved, 0, epoch, 1, 0, first)
			if is.lost {
				add(receiptLost)
			}
			have := &presence{copies: int64(len(is.there)), arrivals: map[arrival]bool{}}
			for _, by := range is.there {
				have.arrivals[by] = true
			}
			a.count(0, map[id]copies{m: a.known.expected(a.p, 0)[m]}, map[id]*presence{m: have})
			if f := a.found; f.removed != 1 || f.gone != is.gone || f.again != is.again {
				t.Errorf("%d of %d gone, %d delivered again", f.gone, f.removed, f.again)
			}
		})
	}
}
