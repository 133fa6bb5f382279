package probe

import (
	"fmt"
	"slices"

	"plimsoll/internal/text/words"
)

// reading grades a random read without company: the wait of a query that misses every
// cache.
func reading(f facts) *Finding {
	m := f.measures[readAlone]
	if m.Operations == 0 {
		return nil
	}
	found := &Finding{
		Key: "read", Grade: grade(m.P50, 200e-6, 1e-3, 5e-3, 20e-3),
		Title:  fmt.Sprintf("A random read of 4 KiB takes %s (p99 %s): %s a second, one at a time.", words.Latency(m.P50), words.Latency(m.P99), count(m.PerSecond)),
		Text:   "A query that misses all caches waits this long at every index level.",
		Values: map[string]float64{"p50_seconds": m.P50, "p99_seconds": m.P99, "per_second": m.PerSecond},
	}
	if !f.direct {
		found.Grade, found.Text = "", "The file system has no direct I/O: the page cache answered, not the medium."
	}
	return found
}

// parallel grades how much a medium does when it is asked for much at once.
func parallel(f facts) *Finding {
	one, many := f.measures[readAlone], f.measures[readDeep]
	if one.PerSecond == 0 || !f.direct {
		return nil
	}
	gain := many.PerSecond / one.PerSecond
	text := "It serves requests in parallel: several databases can share it."
	switch {
	case f.rotates():
		text = "One arm serves all requests. A deep queue lets it shorten seeks, but each request waits longer: every added database slows the others."
	case many.limitsItself():
		text = fmt.Sprintf("The processors of this machine were the limit, not the medium: they were %.0f %% busy, the probe itself used %.1f cores. The medium can do at least this much.",
			100*many.MachineBusy, many.CPU)
	case gain < 1.5:
		text = "It serves one request at a time: every added database slows the others."
	case gain < 4:
		text = "More parallel requests help little: the medium is near its limit."
	}
	found := &Finding{
		Key: "parallel", Grade: grade(-many.PerSecond, -50e3, -10e3, -2e3, -150),
		Title:  fmt.Sprintf("With 32 random reads at once it does %s a second, %.1f times as many as with one; each then takes %s.", count(many.PerSecond), gain, words.Latency(many.P50)),
		Text:   text,
		Values: map[string]float64{"gain": gain, "per_second": many.PerSecond, "p50_seconds": many.P50, "cores": many.CPU, "machine_busy": many.MachineBusy},
	}
	if many.limitsItself() {
		found.Grade = atLeast(found.Grade)
	}
	return found
}

// atLeast is the grade of a rate that the processors limited: a good one
// stands, a bad one says nothing about the medium.
func atLeast(grade string) string {
	if grade == "A" {
		return grade
	}
	return ""
}

// writing tells what small writes do when no flush is asked for.
func writing(f facts) *Finding {
	one, many := f.measures[writeAlone], f.measures[writeDeep]
	if one.Operations == 0 || !f.direct {
		return nil
	}
	return &Finding{
		Key: "write",
		Title: fmt.Sprintf("A random write of 4 KiB takes %s without a flush; 16 at once reach %s a second.",
			words.Latency(one.P50), count(many.PerSecond)),
		Text:   "This is the rate at which checkpoints can write dirty pages back.",
		Values: map[string]float64{"p50_seconds": one.P50, "per_second": many.PerSecond},
	}
}

func streaming(f facts) *Finding {
	in, out := f.measures[readStream], f.measures[fillStream]
	if in.Operations == 0 || !f.direct {
		return nil
	}
	found := &Finding{
		Key: "stream", Grade: grade(-min(in.Rate, out.Rate), -400e6, -150e6, -80e6, -30e6),
		Title:  fmt.Sprintf("Sequential reads run at %s and sequential writes at %s.", words.Bytes(in.Rate)+"/s", words.Bytes(out.Rate)+"/s"),
		Text:   "Backups, restores, index builds and full table scans run at this pace: one-megabyte requests, eight in flight.",
		Values: map[string]float64{"read_bytes_per_second": in.Rate, "write_bytes_per_second": out.Rate},
	}
	if in.limitsItself() || out.limitsItself() {
		found.Grade = atLeast(found.Grade)
		found.Text += " The processors of this machine were the limit, not the medium."
	}
	return found
}

// stable compares the slowest hundredth with the middle.
func stable(f facts) *Finding {
	m := f.measures[readAlone]
	if m.Operations < 100 || !f.direct || m.P50 == 0 {
		return nil
	}
	ratio := m.P99 / m.P50
	found := &Finding{
		Key: "stability", Grade: grade(ratio, 3, 8, 20, 60),
		Title:  fmt.Sprintf("The slowest hundredth of the random reads takes %.1f times the median; the slowest of all %s.", ratio, words.Latency(m.Max)),
		Text:   "Latency is consistent.",
		Values: map[string]float64{"p99_over_p50": ratio, "max_seconds": m.Max},
	}
	if ratio > 8 {
		found.Text = "Something else is using the medium, or the machine is busy: the percentiles of a database will be much worse than its mean. Probe again when the machine is idle."
	}
	return found
}

// cacheBelow looks for a cache that neither the file system nor the page cache
// explains: the same places, read directly a second time, come faster.
func cacheBelow(f facts) *Finding {
	first, again := f.measures[readAlone], f.measures[readAgain]
	if !f.direct || first.Operations < 20 || again.Operations < 20 {
		return nil
	}
	if again.P50 > first.P50/2 {
		return &Finding{
			Key: "cache-below", Title: "Reading the same places again is not faster: no cache below the file system shows.",
			Text:   fmt.Sprintf("With a file of %s. A larger cache than that would not show.", words.Binary(f.size)),
			Values: map[string]float64{"first_p50_seconds": first.P50, "again_p50_seconds": again.P50},
		}
	}
	return &Finding{
		Key: "cache-below", Grade: "C",
		Title: fmt.Sprintf("Reading the same places again takes %s instead of %s: there is a cache below the file system.", words.Latency(again.P50), words.Latency(first.P50)),
		Text: "A controller, hypervisor or storage node keeps what was read. Benchmarks with less data than it holds measure that cache: " +
			"choose data sets larger than it, or expect slower answers as data grows.",
		Values: map[string]float64{"first_p50_seconds": first.P50, "again_p50_seconds": again.P50},
	}
}

// pageCache tells what fits into memory.
func pageCache(f facts) *Finding {
	direct, cached := f.measures[readAlone], f.measures[readBuffered]
	if cached.Operations < 100 || !f.direct || cached.P50 == 0 {
		return nil
	}
	return &Finding{
		Key: "page-cache",
		Title: fmt.Sprintf("What the page cache holds is read in %s, %.0f times faster than from the medium; the machine has %s of memory.",
			words.Latency(cached.P50), direct.P50/cached.P50, words.Binary(f.memory)),
		Text:   "As long as all databases together fit into memory, reads do not show what the medium does. Measure with more data than memory, or with a memory limit per database.",
		Values: map[string]float64{"cached_p50_seconds": cached.P50, "direct_p50_seconds": direct.P50, "memory_bytes": float64(f.memory)},
	}
}

// allocation compares writes to new space with overwriting, and reads of holes
// with reads of data.
func allocation(f facts) *Finding {
	fresh, over, hole, data := f.measures[writeNew], f.measures[writeAlone], f.measures[readHole], f.measures[readAlone]
	if fresh.Operations < 10 || over.P50 == 0 || !f.direct {
		return nil
	}
	ratio := fresh.P50 / over.P50
	found := &Finding{
		Key: "allocation", Grade: grade(ratio, 3, 6, 15, 50),
		Title:  fmt.Sprintf("A write to new space takes %s, %.1f times as long as overwriting.", words.Latency(fresh.P50), ratio),
		Text:   "Growing a file costs little more than overwriting it.",
		Values: map[string]float64{"new_p50_seconds": fresh.P50, "overwrite_p50_seconds": over.P50, "hole_p50_seconds": hole.P50},
	}
	if ratio > 6 {
		found.Text = "Space is allocated when it is first written (thin provisioning, copy on write, or a slow journal). Let databases allocate ahead, and warm volumes up before measuring."
	}
	if hole.P50 > 0 && hole.P50 < data.P50/10 {
		found.Text += fmt.Sprintf(" Reading what was never written takes %s: benchmarks have to write their data first, as this one did.", words.Latency(hole.P50))
	}
	return found
}

// cliff compares the end of the first long write with its beginning.
func cliff(f facts) *Finding {
	m := f.measures[fillStream]
	n := len(m.rates) - 1 // the last slice is not whole
	if n < 12 || !f.direct {
		return nil
	}
	early, late := median(m.rates[:n/4]), median(m.rates[n-n/4:n])
	values := map[string]float64{"early_bytes_per_second": early, "late_bytes_per_second": late, "written_bytes": float64(m.Operations * large)}
	if late > early*0.6 {
		return &Finding{
			Key: "cliff", Title: fmt.Sprintf("No drop in write speed within %s.", words.Binary(m.Operations*large)),
			Text:   "Writes stay as fast as they start. Drives with a larger write cache can still slow down later: write for hours before trusting a figure.",
			Values: values,
		}
	}
	return &Finding{
		Key: "cliff", Grade: grade(early/max(late, 1), 1.5, 3, 6, 20),
		Title:  fmt.Sprintf("Writing begins at %s and falls to %s within %s: a cache or fast area fills up.", words.Bytes(early)+"/s", words.Bytes(late)+"/s", words.Binary(m.Operations*large)),
		Text:   "Short benchmarks measure the cache. Size for the later figure, and warm up for longer than the cache lasts.",
		Values: values,
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
