package cgroup

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bound is a limit of this process's control group or of one above it, such as the group of
// its container, its service or its batch job. It applies to everything that the process
// starts.
type Bound struct {
	Of    Resource
	Group string  // its path as this process sees it; "/" is all that it sees
	Limit float64 // in the unit of the resource
	dir   string
	// usage is where the CPU of the group is counted, by controller ("" for
	// version 2); empty where nothing counts it.
	usage map[string]string
}

// Resource is the resource that a Bound limits.
type Resource string

// What control groups bound.
const (
	CPU    Resource = "cpu"    // cores
	Memory Resource = "memory" // bytes, page cache included
	Tasks  Resource = "tasks"  // processes and threads
)

// Directories are the directories from which telemetry reads the group's usage, by
// controller ("" for version 2).
func (b Bound) Directories() map[string]string { return b.usage }

// Left is the remaining allowance of the group: all of a CPU quota, since time is not used
// up; memory with the page cache that the kernel would give back.
func (b Bound) Left() float64 {
	used := 0.0
	switch b.Of {
	case Memory:
		used = max(0, least(b.dir, "memory.current", "memory.usage_in_bytes")-cached(b.dir))
	case Tasks:
		used = least(b.dir, "pids.current")
	}
	return max(0, b.Limit-used)
}

// Bounds are the limits over this process, the tightest of each resource first.
func Bounds() []Bound {
	v1, v2 := readHierarchies(boundable()...)
	return tightestFirst(append(v1.bounds(), v2.bounds()...))
}

// Tightest is the bound of a resource that leaves the least.
func Tightest(bounds []Bound, of Resource) (tightest Bound, found bool) {
	for _, b := range bounds {
		if b.Of == of && (!found || b.Left() < tightest.Left()) {
			tightest, found = b, true
		}
	}
	return tightest, found
}

// boundable are the controllers of version 1 that bound or count.
func boundable() []string { return append(wanted(), "pids") }

func (h hierarchies) bounds() (all []Bound) {
	for _, m := range h.mounts {
		for _, dir := range ancestors(m) {
			for _, of := range []Resource{CPU, Memory, Tasks} {
				if limit := limitIn(dir, of); limit > 0 {
					all = append(all, Bound{Of: of, Group: m.group(dir), Limit: limit, dir: dir, usage: h.countedAt(m, dir, of)})
				}
			}
		}
	}
	return all
}

// tightestFirst sorts the bounds and drops duplicates, which hierarchies mounted in two
// places cause.
func tightestFirst(all []Bound) []Bound {
	slices.SortStableFunc(all, func(a, b Bound) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Group, b.Group))
	})
	return slices.CompactFunc(all, func(a, b Bound) bool { return a.Of == b.Of && a.Group == b.Group && a.Limit == b.Limit })
}

// group is the path of a directory's group, as this process sees it.
func (m mount) group(dir string) string {
	return "/" + strings.TrimPrefix(strings.TrimPrefix(dir, m.root), "/")
}

// countedAt is where a bound group is counted. Version 1 counts CPU time in
// a hierarchy of its own, in which the process may be in another group.
func (h hierarchies) countedAt(m mount, dir string, of Resource) map[string]string {
	if len(m.controllers) == 0 {
		return map[string]string{"": dir}
	}
	at := map[string]string{string(of): dir}
	if of != CPU {
		return at
	}
	for _, other := range h.mounts {
		if slices.Contains(other.controllers, "cpuacct") && strings.TrimPrefix(other.own, other.root) == strings.TrimPrefix(m.own, m.root) {
			at["cpuacct"] = other.root + strings.TrimPrefix(dir, m.root)
		}
	}
	return at
}

// limitIn reads the limit of one group; 0 is none.
func limitIn(dir string, of Resource) float64 {
	switch of {
	case CPU:
		return quotaIn(dir)
	case Memory:
		// The kernel slows down who exceeds memory.high before memory.max ends it.
		limit := least(dir, "memory.max", "memory.high", "memory.limit_in_bytes")
		if above := statOf(dir, "hierarchical_memory_limit"); above > 0 { // of groups that are out of sight, too
			limit = min(limit, above)
		}
		return belowAll(limit)
	}
	return belowAll(least(dir, "pids.max"))
}

// unlimited is from where version 1 means no limit: it writes the largest
// number of whole pages.
const unlimited = 1 << 62

func belowAll(limit float64) float64 {
	if limit >= unlimited {
		return 0
	}
	return limit
}

// quotaIn is a CPU quota in cores.
func quotaIn(dir string) float64 {
	if text, err := os.ReadFile(filepath.Join(dir, "cpu.max")); err == nil {
		quota, period, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		return share(quota, period)
	}
	quota, err := os.ReadFile(filepath.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return 0
	}
	period, err := os.ReadFile(filepath.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0
	}
	return share(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

// share divides a quota by its period; without one ("max", -1) it is 0.
func share(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || q <= 0 {
		return 0
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || p <= 0 {
		return 0
	}
	return q / p
}

// least is the smallest number in some files; those that are not there, or hold
// none ("max"), do not count. 0 is none at all.
func least(dir string, names ...string) float64 {
	smallest := math.Inf(1)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil {
			smallest = min(smallest, v)
		}
	}
	if math.IsInf(smallest, 1) {
		return 0
	}
	return smallest
}

// cached is the page cache of a group and the groups below it that the kernel can
// give back. Version 1 has it as total_*.
func cached(dir string) float64 {
	if of1 := statOf(dir, "total_inactive_file", "total_active_file"); of1 > 0 {
		return of1
	}
	return statOf(dir, "inactive_file", "active_file")
}

// statOf sums some lines of a group's memory.stat; a missing line counts 0.
func statOf(dir string, keys ...string) (sum float64) {
	text, err := os.ReadFile(filepath.Join(dir, "memory.stat"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.ParseFloat(value, 64); err == nil && slices.Contains(keys, key) {
			sum += v
		}
	}
	return sum
}
