package probe

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll/internal/text/words"
)

// judge makes findings from facts; the most important come first.
func judge(f facts) []Finding {
	var all []Finding
	for _, rule := range []func(facts) *Finding{
		durable, flushTime, backlog, kindOfMedium, fileSystem, mountOptions, reading, parallel, writing, streaming, stable,
		cacheBelow, pageCache, allocation, cliff,
	} {
		if found := rule(f); found != nil {
			all = append(all, *found)
		}
	}
	return all
}

// rotates reports whether the medium turns: by how long it takes to read at
// random (half a rotation of 15,000 a minute is 2 ms), since virtual disks call
// themselves rotating whatever they are made of; by the kernel's word where
// reads could not be measured.
func (f facts) rotates() bool {
	rotates := slices.ContainsFunc(f.devices, func(d Device) bool { return d.Rotates })
	m := f.measures[readAlone]
	if !f.direct || m.Operations == 0 {
		return rotates
	}
	return m.P50 > 2e-3 || rotates && m.P50 > 1e-3
}

// kindOfMedium names the kind of medium that the storage behaves like, in case that is a
// surprise.
func kindOfMedium(f facts) *Finding {
	m := f.measures[readAlone]
	if !f.direct || m.Operations == 0 || f.mount.InMemory() {
		return nil
	}
	rotates := slices.ContainsFunc(f.devices, func(d Device) bool { return d.Rotates })
	found := &Finding{Key: "medium", Title: "It behaves like flash.", Values: map[string]float64{"read_p50_seconds": m.P50}}
	if f.rotates() {
		found.Title = "It behaves like a rotating disk."
	}
	found.Text = fmt.Sprintf("A random read takes %s.", words.Latency(m.P50))
	if rotates != f.rotates() && len(f.devices) > 0 {
		found.Text += fmt.Sprintf(" The kernel reports %s differently, as it does for virtual disks and for disks behind a cache or a network.", f.devices[0].Name)
	}
	return found
}

// durable asks whether a flush can have reached the medium in the time that
// it took. What was written before it has to be on a turning disk by then,
// which takes the disk at least a part of a rotation.
func durable(f facts) *Finding {
	if f.mount.InMemory() {
		return &Finding{
			Key: "flush", Grade: "F", Counts: true, Title: "Nothing here survives a power cut.",
			Text: fmt.Sprintf("%s is memory: a flush does nothing. Use it for upper bounds, not for data.", f.mount.Type),
		}
	}
	flush, plain := f.measures[flushAlone], f.measures[writeAlone]
	if flush.Operations == 0 {
		return &Finding{
			Key: "flush", Title: "No flush finished in the probe's time.",
			Text: "Give it more time: --duration 2m.",
		}
	}
	cost := flush.P50 - plain.P50
	found := &Finding{Key: "flush", Counts: true, Values: map[string]float64{
		"flush_p50_seconds": flush.P50, "write_p50_seconds": plain.P50, "read_p50_seconds": f.measures[readAlone].P50,
	}}
	// A random write that reaches a disk takes as long as a random read; an eighth of a
	// rotation at 7,200 a minute is 1 ms.
	quick := max(1e-3, f.measures[readAlone].P50/4)
	switch {
	case f.rotates() && flush.P50 < quick && !f.protected:
		found.Grade = "F"
		found.Title = fmt.Sprintf("A flush takes %s on a rotating disk: it cannot have reached it.", words.Latency(flush.P50))
		found.Text = fmt.Sprintf("A random read takes %s, since the disk has to turn to the place; a random write that was flushed would need as much. "+
			"Something acknowledges flushes early. If that is a controller whose cache is protected by a battery or capacitors, check that it works "+
			"and run the probe with --protected; else a power cut loses what databases were told is safe.", words.Latency(f.measures[readAlone].P50))
	case f.rotates() && flush.P50 < quick:
		found.Grade = "A"
		found.Title = fmt.Sprintf("A flush takes %s: the protected cache that you declared answers it.", words.Latency(flush.P50))
		found.Text = "Without that protection the flush could not be durable: a rotating disk needs milliseconds. Monitor the battery or capacitor."
	case f.swallowsFlushes(plain.P50, cost):
		found.Grade = "D"
		found.Title = fmt.Sprintf("A flush adds %s to a write: it may not reach the device.", words.Latency(max(0, cost)))
		found.Text = "A flush is a command to the device of its own, which takes about as long as a small write. Look for a mount option (nobarrier), " +
			"a hypervisor's cache mode (unsafe) or a library (eatmydata) that swallows flushes."
	default:
		found.Grade = "A"
		found.Title = fmt.Sprintf("A flush takes %s, which fits what the medium takes to write.", words.Latency(flush.P50))
		found.Text = "Flushed data appears to be safe. Only cutting the power can prove it."
	}
	return found
}

// swallowsFlushes reports whether a flush costs nothing although writes are
// so fast that they can only have gone to a cache.
func (f facts) swallowsFlushes(plain, cost float64) bool {
	cached := plain < f.measures[readAlone].P50/4
	return cached && cost < plain/50 && !f.writesThrough()
}

// writesThrough reports whether the kernel sends no flushes, since the device has declared
// that it has no volatile cache.
func (f facts) writesThrough() bool {
	return len(f.devices) > 0 && f.devices[0].WriteCache == "write through"
}

// flushTime grades the least cost of a commit.
func flushTime(f facts) *Finding {
	m, dsync := f.measures[flushAlone], f.measures[dsyncAlone]
	if m.Operations == 0 || f.mount.InMemory() {
		return nil
	}
	return &Finding{
		Key: "commit", Counts: true, Grade: grade(m.P99, 2e-3, 6e-3, 15e-3, 40e-3),
		Title: fmt.Sprintf("One connection can commit about %s times a second: write and flush take %s (p99 %s).",
			count(1/m.Mean), words.Latency(m.P50), words.Latency(m.P99)),
		Text: fmt.Sprintf("Every database commit waits for this. A synchronous write (O_DSYNC), which some databases use instead, takes %s. "+
			"Several users can share a flush (group commit), so throughput can be higher.", words.Latency(dsync.P50)),
		Values: map[string]float64{"p50_seconds": m.P50, "p99_seconds": m.P99, "max_seconds": m.Max, "dsync_p50_seconds": dsync.P50},
	}
}

// backlog is the flush that has to write what others left in a cache.
func backlog(f facts) *Finding {
	writes := f.measures[writeAlone].Operations + f.measures[writeDeep].Operations
	if f.mount.InMemory() || writes == 0 {
		return nil
	}
	found := &Finding{
		Key: "backlog", Grade: grade(f.drain, 0.05, 0.25, 1, 5),
		Title:  fmt.Sprintf("After %s random writes without a flush, the next flush took %s.", count(float64(writes)), words.Latency(f.drain)),
		Text:   "Checkpoints delay commits no longer than that.",
		Values: map[string]float64{"drain_seconds": f.drain, "writes": float64(writes)},
	}
	if f.drain > 0.25 {
		found.Text = "A cache absorbed the writes and the flush had to wait for all of them: a commit during a checkpoint waits that long. Spread checkpoints out, or keep them small."
	}
	return found
}

// fileSystem grades what databases are known to run well on.
func fileSystem(f facts) *Finding {
	found := &Finding{Key: "file-system", Counts: true, Grade: "A", Title: fmt.Sprintf("The file system is %s.", f.mount.Type)}
	remote := []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs"}
	switch {
	case slices.Contains([]string{"xfs", "ext4"}, f.mount.Type):
		found.Text = "It is the file system on which databases are tested most."
	case f.mount.InMemory():
		found.Text = "It is memory; see the flush finding."
	case f.mount.Type == "overlay":
		found.Grade, found.Title = "C", "This is a container's own layer (overlay)."
		found.Text = "The first write to a file of the image copies all of it. Put data on a volume."
	case f.mount.Type == "btrfs" || f.mount.Type == "zfs":
		found.Grade = "B"
		found.Text = "It writes every change to a new place, which costs small random writes; look for its settings for databases (record size, no copy on write)."
	case slices.Contains(remote, f.mount.Type) || strings.HasPrefix(f.mount.Type, "fuse"):
		found.Grade = "B"
		found.Text = "Every request crosses a network or another process; what happens behind it cannot be seen from here. Check how it treats flushes and locks."
	default:
		found.Grade, found.Text = "C", "There is little experience with databases on it."
	}
	return found
}

// mountOptions looks for options that give up safety or speed.
func mountOptions(f facts) *Finding {
	harm := map[string]string{
		"nobarrier": "flushes are not sent to the device: a power cut can destroy the file system",
		"barrier=0": "flushes are not sent to the device: a power cut can destroy the file system",
	}
	slow := map[string]string{
		"sync":        "every write waits for the device",
		"strictatime": "every read writes a time stamp",
		"ro":          "it is read-only",
	}
	loose := map[string]string{
		"data=writeback": "after a crash, new files may hold old data",
		"async":          "", // the default of local file systems
	}
	var worstSeen, texts = "A", []string{}
	for _, class := range []struct {
		grade string
		from  map[string]string
	}{{"F", harm}, {"C", slow}, {"C", loose}} {
		for _, option := range f.mount.Options {
			if why := class.from[option]; why != "" {
				worstSeen = max(worstSeen, class.grade)
				texts = append(texts, option+": "+why)
			}
		}
	}
	if len(texts) == 0 {
		return &Finding{Key: "mount-options", Grade: "A", Counts: true, Title: "No mount option weakens durability or costs performance.", Text: strings.Join(f.mount.Options, ", ")}
	}
	return &Finding{
		Key: "mount-options", Grade: worstSeen, Counts: true,
		Title: "Some mount options weaken durability or cost performance.", Text: strings.Join(texts, "; ") + ".",
	}
}

// grade compares a value with the limits of grades A, B, C and D.
func grade(value float64, limits ...float64) string {
	for i, limit := range limits {
		if value <= limit {
			return string(rune('A' + i))
		}
	}
	return "F"
}

// count prints a number with two digits that matter.
func count(n float64) string {
	unit := 1.0
	for n >= 100*unit {
		unit *= 10
	}
	return words.Thousands(math.Floor(n/unit+0.5) * unit)
}
