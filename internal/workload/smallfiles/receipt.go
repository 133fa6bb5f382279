package smallfiles

import (
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// A receipt says what a worker knows of a run of its files when it ends, as
// unsigned variable-length integers (encoding/binary):
//
//	volume, workers, worker, first file, number of files,
//	then for each run of equal ones: state, changes, content, appended, length
//
// That is nothing for files that nothing was done to, and about five bytes for one
// that was changed. Receipts of single operations would be as many as there are, and
// would have to be put in order.
const receiptFiles = 4096

// giveReceipts gives the receipts of the worker's files, once.
func (w *worker) giveReceipts(rec workload.Recorder) {
	if w.given {
		return
	}
	w.given = true
	all := w.all.files
	var b []byte
	for first := 0; first < len(all); first += receiptFiles {
		b = w.receipt(b[:0], first, all[first:min(first+receiptFiles, len(all))])
		rec.Receipt(b)
	}
}

func (w *worker) receipt(b []byte, first int, files []file) []byte {
	b = fileio.AppendNumbers(b, w.volume, uint64(w.tree.users), uint64(w.number), uint64(first), uint64(len(files)))
	for at := 0; at < len(files); {
		f, run := files[at], 1
		for at+run < len(files) && files[at+run] == f {
			run++
		}
		b = fileio.AppendNumbers(b, uint64(f.state), uint64(f.changes), uint64(f.content), uint64(f.appended), uint64(run))
		at += run
	}
	return b
}

// claims is the sum of an instance's receipts.
type claims struct {
	volume  uint64
	users   int64
	files   int64    // of each worker
	most    int64    // workers
	workers [][]file // by number; those that nobody accounts for have the state unaccounted
	covered int64    // files
	twice   int64    // files that more than one receipt speaks of
}

// unaccounted is no state of a worker's.
const unaccounted = 1 << 7

// add reads a receipt.
func (k *claims) add(receipt []byte) error {
	r := fileio.ReadNumbers(receipt)
	volume, users, worker, first, count := r.Next(), r.Next(), r.Next(), r.Next(), r.Next()
	if r.Bad() || worker >= users || users > uint64(k.most) || first+count > uint64(k.files) || first+count < first {
		return workload.ErrReceipt
	}
	if k.users == 0 {
		k.begin(volume, int64(users))
	}
	if k.volume != volume || k.users != int64(users) {
		return workload.ErrReceipt
	}
	return k.fill(&r, k.workers[worker][first:first+count])
}

func (k *claims) begin(volume uint64, users int64) {
	k.volume, k.users, k.workers = volume, users, make([][]file, users)
	for i := range k.workers {
		k.workers[i] = make([]file, k.files)
		for j := range k.workers[i] {
			k.workers[i][j].state = unaccounted
		}
	}
}

func (k *claims) fill(r *fileio.Numbers, files []file) error {
	for at := 0; at < len(files); {
		state, f := r.Next(), file{changes: uint32(r.Next()), content: uint32(r.Next()), appended: uint32(r.Next())}
		run := r.Next()
		if r.Bad() || run == 0 || run > uint64(len(files)-at) || state >= unaccounted {
			return workload.ErrReceipt
		}
		f.state = uint8(state)
		for range run {
			if files[at].state != unaccounted {
				k.twice++
			} else {
				k.covered++
			}
			files[at] = f
			at++
		}
	}
	return nil
}
