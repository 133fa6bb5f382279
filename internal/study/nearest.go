package study

import "strings"

// Nearest finds the known name that was probably meant, in quotes; empty when
// none is near.
func Nearest(name string, known []string) string {
	const longest = 64 // nobody misspells that many letters
	if len(name) > longest {
		return ""
	}
	best, at := "", (len(name)+1)/3+1 // a slip in every third letter
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		best = onlyLonger(name, known)
	}
	if best == "" {
		return ""
	}
	return `"` + best + `"`
}

// onlyLonger finds the only known name that begins or ends with the one given:
// "think" for "think_time".
func onlyLonger(name string, known []string) string {
	const shortest = 3
	found := ""
	for _, k := range known {
		if len(name) < shortest || !strings.HasPrefix(k, name) && !strings.HasSuffix(k, name) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b: the optimal string alignment distance (Boytsov,
// "Indexing methods for approximate dictionary searching", 2011, section 2.2).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
