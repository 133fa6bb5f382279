package trial

import (
	"context"
	"strings"
	"time"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/describe/errorclass"
	"plimsoll/internal/result"
	"plimsoll/internal/text/words"
)

// knownReason is what some errors come down to.
type knownReason struct {
	reason string
	// helps is what to do about it; empty where the error itself says so, or fullSpots does.
	helps string
	// phrases are what the C library, servers and classes of errors call it.
	phrases []string
}

// reasons lists the known errors. One that explains others comes before them.
func reasons() []knownReason {
	return []knownReason{
		{"a disk quota is used up", "raise the quota, or use a smaller data set", []string{"disk quota exceeded"}},
		{noSpace, "", spacePhrases()},
		{"a file system is read-only", "look at the kernel's log for why, then mount it read-write", []string{"read-only file system"}},
		{"the limit of open files is reached", "raise it with `ulimit -n`, or a service's LimitNOFILE", []string{"too many open files", errorclass.NoFiles}},
		{"a server has no connection slots left", "raise its max_connections, or use fewer users", []string{"too many clients already", "remaining connection slots", "too many connections", errorclass.NoConnections}},
		{"memory ran out", "give more, or use fewer instances or smaller caches", []string{"cannot allocate memory", "out of memory", errorclass.OutOfMemory}},
		{"no more processes can be started", "raise the limit of processes with `ulimit -u`, or pids.max of the control group", []string{"fork: resource temporarily unavailable", "could not fork", "can't create a new thread", "pthread_create failed"}},
		{"a device reported an I/O error", "look at the kernel's log for which one, and replace it", []string{"input/output error", errorclass.InputOutput}},
	}
}

// noSpace is the reason that fullSpots says more of.
const noSpace = "no space is left on a file system"

// nearlyFull is how little room a file system has that writers find full, in bytes:
// they ask for more than a block at a time, and give a little back when they end.
const nearlyFull = 16 << 20

func spacePhrases() []string {
	return []string{"no space left on device", "disk full", "disk is full", errorclass.OutOfSpace}
}

// spaceLimit is how long a file system may take to say how much room it has: one whose
// server is gone never does.
const spaceLimit = 10 * time.Second

// lookForSpace finds out which file systems are full when an error says that one is.
func (t *trial) lookForSpace(ctx context.Context, err error) {
	if err == nil || !containsAny(strings.ToLower(err.Error()), spacePhrases()) {
		return
	}
	found := make(chan []string, 1)
	go func() { found <- t.fullSpots(ctx) }()
	select {
	case t.full = <-found:
	case <-time.After(spaceLimit):
	}
}

// fullSpots are the directories of a trial whose file systems have no room now: its
// volumes', the run's work and results.
func (t *trial) fullSpots(ctx context.Context) (full []string) {
	look := func(what, directory string) {
		if directory == "" {
			return
		}
		space, err := t.Parts.Platform.Space(ctx, directory)
		if err != nil || space.Bytes < 0 || space.Bytes >= nearlyFull && space.Files != 0 {
			return
		}
		if space.Bytes >= nearlyFull {
			what += "; it has no inodes left"
		}
		full = append(full, directory+" ("+what+")")
	}
	look("volumes of `"+t.variant.StorageName+"`", t.Plan.FactsOf(t.variant).Storages[t.variant.StorageName].Place)
	for _, i := range t.instances {
		for _, v := range i.Volumes() {
			if len(full) == 0 && v.Endpoint().Kind == endpoint.Directory {
				look("a volume of `"+t.variant.StorageName+"`", v.Path)
			}
		}
	}
	look("work of the run", t.Scratch)
	look("results of the run", t.Dir)
	return full
}

// located says which file system is full, and what helps.
func located(reason string, full []string) string {
	if reason != noSpace || len(full) == 0 {
		return reason
	}
	return "no space is left on the file system of " + words.Join(full) + ": free some there, use a smaller data set, or have it elsewhere"
}

// explain sets the reason of a failure and puts it first in the cause, with the line
// that says so, where that is not there already: it may be one of many lines of a log.
func explain(f *result.Failure, full []string) {
	lines := strings.Split(f.Cause, "\n")
	for _, r := range reasons() {
		for n, line := range lines {
			if !containsAny(strings.ToLower(line), r.phrases) {
				continue
			}
			what := located(r.reason, full)
			if n > 0 || what != r.reason {
				f.Cause = what + " (" + shortened(strings.TrimSpace(line)) + "): " + f.Cause
			}
			if f.Reason = what; r.helps != "" {
				f.Reason += ": " + r.helps
			}
			return
		}
	}
}

func containsAny(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// longestLine is how much of a line of a log stands before a cause, in bytes.
const longestLine = 240

func shortened(line string) string {
	if len(line) <= longestLine {
		return line
	}
	return strings.ToValidUTF8(line[:longestLine], "") + "..."
}
