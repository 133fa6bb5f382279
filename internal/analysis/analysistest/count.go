package analysistest

import "sync"

// Sets is how many made-up runs a rate is counted over.
const Sets = 500

// Share counts in which share of so many sets something happens. happens is
// called with the seeds 0 to sets-1, from several goroutines.
func Share(sets int, happens func(seed uint64) bool) float64 {
	var group sync.WaitGroup
	hits := make([]bool, sets)
	const workers = 4
	for w := range workers {
		group.Go(func() {
			for seed := w; seed < sets; seed += workers {
				hits[seed] = happens(uint64(seed))
			}
		})
	}
	group.Wait()
	n := 0
	for _, hit := range hits {
		if hit {
			n++
		}
	}
	return float64(n) / float64(sets)
}
