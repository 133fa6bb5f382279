package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"plimsoll/bench/process"
)

// measured is one line of the table.
type measured struct {
	name string
	process.Used
}

// commands measures programs that end by themselves.
func (s settings) commands(ctx context.Context) (all []measured, err error) {
	run := s.run()
	for _, c := range []struct {
		name      string
		arguments []string
	}{
		{"show RUN TRIAL", []string{"show", run, "three/8/1"}},
		{"report", []string{"report", run}},
		{"report --format markdown", []string{"report", run, "--format", "markdown"}},
		{"report --format json", []string{"report", run, "--format", "json"}},
		{"report --format csv", []string{"report", run, "--format", "csv", "--table", "trials"}},
		{"report --format html", []string{"report", run, "--format", "html", "-o", filepath.Join(s.dir, "page.html")}},
		{"compare RUN RUN", []string{"compare", run, s.copy(), "--min-grade", "F"}},
	} {
		used, _, err := process.Run(ctx, s.plimsoll, c.arguments...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, measured{c.name, used})
	}
	return all, nil
}

// pages measures what serve answers; memory is its peak until then.
func (s settings) pages(ctx context.Context) (all []measured, err error) {
	c := exec.CommandContext(ctx, s.plimsoll, "serve", s.dir)
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait()) }() // it was told to end
	address, err := addressIn(out)
	if err != nil {
		return nil, err
	}
	for _, page := range []struct{ name, path string }{
		{"serve: a report", "runs/" + name + "/report.html"},
		{"serve: the same again", "runs/" + name + "/report.html"},
		{"serve: a comparison", "comparison.html?a=" + name + "&b=" + copied},
		{"serve: the same again", "comparison.html?a=" + name + "&b=" + copied},
	} {
		before, _, err := usedBy(c.Process.Pid)
		if err != nil {
			return nil, err
		}
		took, err := fetch(ctx, address+page.path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.name, err)
		}
		cpu, peak, err := usedBy(c.Process.Pid)
		if err != nil {
			return nil, err
		}
		all = append(all, measured{page.name, process.Used{Took: took, CPU: cpu - before, Peak: peak}})
	}
	return all, nil
}

var address = regexp.MustCompile(`http://\S+/`)

// addressIn reads the address that serve prints.
func addressIn(out io.Reader) (string, error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if found := address.FindString(lines.Text()); found != "" {
			return found, nil
		}
	}
	return "", errors.Join(errors.New("serve printed no address"), lines.Err())
}

func fetch(ctx context.Context, url string) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode != http.StatusOK {
		err = errors.Join(err, errors.New(answer.Status))
	}
	return time.Since(began), err
}

// usedBy is what a process used until now: processor time, and its largest resident set
// in bytes.
func usedBy(pid int) (cpu time.Duration, peak int64, err error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, 0, err
	}
	status, err := p.NewStatus()
	if err != nil {
		return 0, 0, err
	}
	stat, err := p.Stat()
	return time.Duration(stat.CPUTime() * float64(time.Second)), int64(status.VmHWM), err
}
