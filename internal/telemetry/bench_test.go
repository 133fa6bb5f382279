package telemetry

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSample takes one sample of a machine with 32 instances of fifteen
// processes each, as a PostgreSQL server under eight users has. At one sample
// a second, a sample of 10 ms is 1 % of a core.
func BenchmarkSample(b *testing.B) {
	var groups []Watched
	for range 32 {
		p := exec.Command("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do sleep 600 & done; wait")
		p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := p.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() {
			syscall.Kill(-p.Process.Pid, syscall.SIGKILL) //nolint:errcheck // our own group
			p.Wait()                                      //nolint:errcheck // killed
		})
		groups = append(groups, Watched{Name: "db-" + time.Now().String(), PIDs: func() []int { return []int{p.Process.Pid} }})
	}
	time.Sleep(time.Second)
	book, files := newBook(0), newFiles()
	sources := newSources(book, files, Config{Instances: these(groups...)})
	defer func() {
		for _, s := range sources {
			s.close()
		}
	}()
	for b.Loop() {
		for _, s := range sources {
			s.sample(1)
		}
	}
	n := 0
	for _, g := range sources {
		if groups, ok := g.(*groupsSource); ok {
			for _, one := range groups.groups {
				n += len(one.family.members)
			}
		}
	}
	b.ReportMetric(float64(n), "processes")
	b.ReportMetric(100*b.Elapsed().Seconds()/float64(b.N), "%core-at-1s")
}
