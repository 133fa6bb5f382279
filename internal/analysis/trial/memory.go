package trial

import (
	"slices"

	"plimsoll/internal/result"
)

// Directly reports whether all servers that keep data move them past the memory of their
// machines.
func Directly(t *result.Trial) bool {
	keep := dataServers(t)
	return len(keep) > 0 && !slices.ContainsFunc(keep, func(s result.Server) bool { return !s.Direct })
}

// dataServers are the servers that keep data.
func dataServers(t *result.Trial) []result.Server {
	return slices.DeleteFunc(slices.Clone(t.Servers), func(s result.Server) bool { return s.Stateless })
}

// Memory adds up what the servers of an instance that keep data may use for them, and says
// whether all of those limits were enforced.
func Memory(t *result.Trial) (bytes float64, limited bool) {
	limited = true
	for _, s := range dataServers(t) {
		bytes += float64(s.Memory) * float64(max(1, s.Count))
		limited = limited && s.Limited
	}
	return bytes, limited
}
