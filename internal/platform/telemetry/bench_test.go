package telemetry

import (
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/describe"
)

// fifteen starts a group of that many processes, as many as a PostgreSQL
// server under eight users has.
func fifteen(b *testing.B) *exec.Cmd {
	b.Helper()
	p := exec.Command("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 600 & done; wait")
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		syscall.Kill(-p.Process.Pid, syscall.SIGKILL) //nolint:errcheck // our own group
		p.Wait()                                      //nolint:errcheck // killed
	})
	return p
}

// BenchmarkSample takes one sample of a machine with 32 instances of fifteen
// processes each. At one sample a second, 10 ms are 1 % of a core.
func BenchmarkSample(b *testing.B) {
	b.Run("processes", func(b *testing.B) {
		var groups []Watched
		for i := range 32 {
			groups = append(groups, watched(fmt.Sprintf("db-%03d", i), fifteen(b).Process.Pid))
		}
		sampleGroups(b, groups)
	})
	b.Run("cgroups", func(b *testing.B) {
		var groups []Watched
		for i := range 32 {
			dirs := newCgroup(b, i)
			p := fifteen(b)
			time.Sleep(100 * time.Millisecond) // until it has all its children
			all := family{files: newFiles(), roots: func() []int { return []int{p.Process.Pid} }}
			all.walk()
			for _, member := range all.members {
				join(b, member.pid, dirs)
			}
			all.close()
			groups = append(groups, Watched{Name: fmt.Sprintf("db-%03d", i), Cgroups: dirs})
		}
		sampleGroups(b, groups)
	})
}

func sampleGroups(b *testing.B, groups []Watched) {
	time.Sleep(time.Second)
	book, files := newBook(0), newFiles()
	sources := newSources(book, files, Config{Instances: these(groups...)})
	defer func() {
		for _, s := range sources {
			s.close()
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range sources {
			s.sample(1)
		}
	}
	processes := 0.0
	for _, s := range book.all() {
		if s.Metric == "processes" {
			processes += s.Values[len(s.Values)-1]
		}
	}
	b.ReportMetric(processes, "processes")
	b.ReportMetric(100*b.Elapsed().Seconds()/float64(b.N), "%core-at-1s")
}

// BenchmarkSessions lists eight sessions of each of 32 servers for a second, as a run does, and
// counts the CPU of the lists in this process. What they cost the servers is not in it.
func BenchmarkSessions(b *testing.B) {
	waiting := describe.Activity{Component: describe.LockWait, Name: "row lock", Thread: 0}
	files := newFiles()
	for b.Loop() {
		var sources []*sessionSource
		for i := range 32 {
			s := startSessions(files, fmt.Sprintf("db-%03d", i), tells("", told{all: slices.Repeat([]describe.Activity{waiting}, 8)}).Sessions)
			s.share(32)
			sources = append(sources, s)
		}
		before := processTime()
		time.Sleep(time.Second)
		used := processTime() - before
		for _, s := range sources {
			s.close()
		}
		b.ReportMetric(100*used.Seconds(), "%core")
	}
}

// processTime is the CPU that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u) //nolint:errcheck // it cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
