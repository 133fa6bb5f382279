package describe

import "strings"

// Kinds of media.
const (
	HardDisk   = "hdd"
	SolidState = "ssd"
	NVMe       = "nvme"
	Memory     = "memory"
)

// MediaKindIn finds the kind of a medium in a name from a study or a publication, or
// returns "".
func MediaKindIn(words string) string {
	words = strings.ToLower(words)
	for _, k := range []struct{ word, kind string }{
		{"nvme", NVMe}, {"solid-state", SolidState}, {"ssd", SolidState}, {"flash", SolidState}, // the fastest part, of several
		{"hard disk", HardDisk}, {"hdd", HardDisk}, {"rotating", HardDisk}, {"memory", Memory},
	} {
		if strings.Contains(words, k.word) {
			return k.kind
		}
	}
	return ""
}
