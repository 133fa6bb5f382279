package trial

import (
	"strconv"

	"plimsoll/internal/result"
)

// Repetitions groups the measured trials that passed by variant and rung.
func Repetitions(all []*result.Trial) map[string][]*result.Trial {
	groups := map[string][]*result.Trial{}
	for _, t := range all {
		if t.Status == result.Passed && !Published(t) {
			key := t.Variant.Name + "\x00" + strconv.Itoa(t.Rung)
			groups[key] = append(groups[key], t)
		}
	}
	return groups
}
