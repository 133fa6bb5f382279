package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// processors are two halves of those that this process may use: servers run on one,
// generators on the other, as on two machines. On shared ones a user and the server
// process that answers it may meet on one processor or not: chance decides, for seconds,
// and a turn that had luck has twice the throughput of another.
type processors struct{ all, servers, generators unix.CPUSet }

// divided halves the processors; with a single one both sides have it.
func divided() (p processors, err error) {
	if err := unix.SchedGetaffinity(0, &p.all); err != nil {
		return p, fmt.Errorf("read which processors may be used: %w", err)
	}
	count, seen := p.all.Count(), 0
	if count == 1 {
		p.servers, p.generators = p.all, p.all
		return p, nil
	}
	for cpu := 0; seen < count; cpu++ {
		if !p.all.IsSet(cpu) {
			continue
		}
		if seen < count/2 {
			p.servers.Set(cpu)
		} else {
			p.generators.Set(cpu)
		}
		seen++
	}
	return p, nil
}

// serve starts something on the servers' processors. Whatever is started afterwards runs on the
// generators' processors. Call join when the server is gone.
func (p *processors) serve(start func() error) error {
	if err := confine(&p.servers); err != nil {
		return err
	}
	return errors.Join(start(), confine(&p.generators))
}

// join lets programs started from now on use all processors.
func (p *processors) join() error { return confine(&p.all) }

// confine moves every thread of this process, whose affinity new threads and child
// processes inherit.
func confine(to *unix.CPUSet) error {
	moved := map[int]bool{}
	for before := -1; before < len(moved); { // a thread may have made another meanwhile
		before = len(moved)
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		for _, t := range threads {
			id, _ := strconv.Atoi(t.Name())
			if moved[id] {
				continue
			}
			if err := unix.SchedSetaffinity(id, to); err != nil && err != unix.ESRCH {
				return fmt.Errorf("move thread %d to other processors: %w", id, err)
			}
			moved[id] = true
		}
	}
	return nil
}
