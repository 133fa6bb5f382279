package pod

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/host/task"
	"plimsoll/test/quick"
)

// TestMain makes this test program act as the program inside a pod.
func TestMain(m *testing.M) {
	platformtest.TaskMain()
	if len(os.Args) > 1 && os.Args[1] == "pod" {
		if err := Main(context.Background(), os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// kept is a pod: a supervisor as a plain process.
type kept struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd
}

func start(t *testing.T) *kept {
	t.Helper()
	p := &kept{t: t, dir: t.TempDir()}
	p.cmd = p.command("task")
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		_ = p.cmd.Wait() // most have been ended before
	})
	return p
}

// command is `pod` with an argument, in the pod.
func (p *kept) command(do string, more ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), "/proc/self/exe", append([]string{"pod", do, "-dir", p.dir}, more...)...)
	cmd.Stderr = p.t.Output()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

// link opens a link, and gives what breaks it.
func (p *kept) link() (l *Link, breakIt func()) {
	p.t.Helper()
	cmd := p.command("link")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		p.t.Fatal(err)
	}
	breakIt = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	p.t.Cleanup(breakIt)
	return NewLink(in, out), breakIt
}

// Open makes it a task.Source.
func (p *kept) Open(_ context.Context, from uint64) (io.ReadCloser, error) {
	cmd := p.command("read", "-from", strconv.FormatUint(from, 10))
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	return reading{out, in, cmd}, errors.Join(inErr, outErr, cmd.Start())
}

// reading ends its process by hanging up.
type reading struct {
	io.Reader
	in  io.Closer
	cmd *exec.Cmd
}

func (r reading) Close() error {
	_ = r.in.Close()
	_ = r.cmd.Wait() // it may complain about the end
	return nil
}

func (p *kept) Done() <-chan struct{} { return nil }

type work struct {
	Records int           `json:"records"`
	Size    int           `json:"size"`
	Pause   time.Duration `json:"pause"`
	Say     string        `json:"say"`
}

// job is one of platformtest's.
func job(t *testing.T, kind string, w work) task.Job {
	t.Helper()
	j, err := task.NewJob(kind, kind, w)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (p *kept) give(l *Link, j task.Job, input io.Reader) {
	p.t.Helper()
	inputErr, err := l.Give(func(to io.Writer) error { return task.WriteJob(to, j, input) })
	if err := errors.Join(inputErr, err); err != nil {
		p.t.Fatal(err)
	}
}

// giveAgain gives a job until it has arrived: whoever gives it later takes its place, and
// that may be the connection that hangs.
func (p *kept) giveAgain(j task.Job, input func() io.ReadCloser) *Link {
	p.t.Helper()
	for {
		l, _ := p.link()
		from := input()
		inputErr, err := l.Give(func(to io.Writer) error { return task.WriteJob(to, j, from) })
		_ = from.Close() // it was only read
		switch {
		case inputErr == nil && err == nil:
			return l
		case !errors.Is(err, ErrBroken):
			p.t.Fatal(errors.Join(inputErr, err))
		}
	}
}

// heard is what a task wrote.
type heard struct {
	records, receipts int
	result            string
}

func (p *kept) hear() (heard, error) { return p.hearAnd(func() {}) }

// hearAnd does something with every frame.
func (p *kept) hearAnd(do func()) (h heard, err error) {
	err = (&task.Follower{Source: p}).Run(p.t.Context(), func(f task.Frame) error {
		do()
		switch f.Kind {
		case task.RecordFrame:
			h.records++
		case task.ReceiptsFrame:
			h.receipts++
		case task.ResultFrame:
			h.result = string(f.Payload)
		}
		return nil
	})
	return h, err
}

func (p *kept) end(l *Link) Status {
	p.t.Helper()
	s, err := l.End()
	if err != nil || !s.Ended {
		p.t.Fatalf("its end: %+v, %v", s, err)
	}
	return s
}

func TestATaskIsDoneAndItsOutputStays(t *testing.T) {
	p := start(t)
	l, _ := p.link()
	ahead, within, err := l.Offset(10)
	if err != nil || ahead.Abs() > within+time.Millisecond || within == 0 {
		t.Errorf("the clock of this machine is ahead of itself by %s ± %s, %v", ahead, within, err)
	}
	p.give(l, job(t, "count", work{Records: 1000, Size: 100, Pause: time.Millisecond}), nil)
	for range 2 {
		if h, err := p.hear(); err != nil || h.records != 1000 || h.result != "1000" {
			t.Errorf("%+v, %v", h, err)
		}
		if s := p.end(l); s.Failed || s.How != "exit status 0" || !s.Given {
			t.Errorf("status %+v", s)
		}
	}
	p.readsFrom(700)
	out, err := p.command("status").Output()
	var s Status
	if err := errors.Join(err, json.Unmarshal(out, &s)); err != nil || !s.Ended {
		t.Errorf("status says %s, %v", out, err)
	}
	if err := exec.Command(string(Place(p.dir).Program()), "-test.run", "^$").Run(); err != nil {
		t.Errorf("the program is not to be found beside the socket: %v", err)
	}
}

func (p *kept) readsFrom(number uint64) {
	p.t.Helper()
	r, err := p.Open(p.t.Context(), number)
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Close()
	frames := task.NewDecoder(r)
	for f := (task.Frame{}); f.Number < number; { // it may begin before
		if f, err = frames.Next(); err != nil || f.Number > number {
			p.t.Fatalf("frame %d, %v", f.Number, err)
		}
	}
}

// echoes is a job whose input has so many receipts of some size.
func echoes(t *testing.T, n, size int) (task.Job, func() io.ReadCloser) {
	t.Helper()
	var packed []byte
	for range n {
		packed = task.AppendReceipt(packed, make([]byte, size))
	}
	j := job(t, "echo", work{})
	j.Input = true
	open := task.ReceiptsInput(3, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil })
	return j, func() io.ReadCloser {
		r, err := open()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// However often the connection breaks while a task gets its input, it gets it once.
func TestInputThatIsCutOffIsTakenFromTheStart(t *testing.T) {
	p := start(t)
	const receipts, size = 3000, 1000
	j, input := echoes(t, receipts, size)
	for _, after := range []int64{10, 100 << 10, 2 << 20, 2900 << 10} {
		l, breakIt := p.link()
		_, err := l.Give(func(to io.Writer) error {
			from := input()
			defer from.Close()
			err := task.WriteJob(to, j, io.LimitReader(from, after))
			breakIt()
			_, _ = to.Write(make([]byte, 1<<20)) // finds out
			return err
		})
		if !errors.Is(err, ErrBroken) {
			t.Fatalf("after %d bytes: %v", after, err)
		}
	}
	l, _ := p.link()
	p.give(l, j, input())
	h, err := p.hear()
	if err != nil || h.receipts != receipts || h.result != strconv.Itoa(receipts) {
		t.Errorf("%+v, %v", h, err)
	}
}

// Whoever does not know whether a job arrived gives it again; it is done once. A
// connection that hangs is no obstacle.
func TestAJobIsDoneOnce(t *testing.T) {
	p := start(t)
	j, input := echoes(t, 100, 10)
	hanging, _ := p.link()
	stuck := make(chan struct{})
	go func() {
		defer close(stuck)
		_, _ = hanging.Give(func(to io.Writer) error {
			r, w := io.Pipe() // from which nothing comes
			defer w.Close()
			defer time.AfterFunc(time.Second, func() { w.Close() }).Stop()
			return task.WriteJob(to, j, r)
		})
	}()
	for range 3 {
		p.end(p.giveAgain(j, input))
	}
	<-stuck
	if h, err := p.hear(); err != nil || h.receipts != 100 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestInputOfWhichAPartIsMissing(t *testing.T) {
	p := start(t)
	j, input := echoes(t, 100, 100)
	l, _ := p.link()
	gone := errors.New("the receipts are gone")
	inputErr, err := l.Give(func(to io.Writer) error {
		return errors.Join(task.WriteJob(to, j, io.LimitReader(input(), 1000)), gone)
	})
	if !errors.Is(inputErr, gone) || err != nil {
		t.Errorf("%v, %v", inputErr, err)
	}
	if _, err := p.hear(); !errors.As(err, new(task.Failure)) {
		t.Errorf("the task ended with %v", err)
	}
	if s := p.end(l); !s.Failed {
		t.Errorf("status %+v", s)
	}
}

func (p *kept) stop(how ...string) {
	p.t.Helper()
	if err := p.command("stop", how...).Run(); err != nil {
		p.t.Fatal(err)
	}
}

func TestHowATaskEnded(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		stop []string
		how  string
		says string
	}{
		"by itself":  {"crash", nil, "exit status 7", "the sky is falling"},
		"in order":   {"linger", []string{}, "exit status 1", ""},
		"on request": {"linger", []string{"-now"}, "signal: killed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t)
			l, _ := p.link()
			p.give(l, job(t, c.kind, work{Records: 50, Say: "the sky is falling"}), nil)
			p.readsFrom(51)
			if c.stop != nil {
				p.stop(c.stop...)
			}
			s := p.end(l)
			if !s.Failed || s.How != c.how || !strings.Contains(s.Tail, c.says) || s.OutOfMemory {
				t.Errorf("status %+v", s)
			}
			p.readsFrom(51)
		})
	}
}

func TestATaskThatIsStoppedBeforeItHasAJob(t *testing.T) {
	p := start(t)
	l, _ := p.link()
	p.stop()
	if s := p.end(l); !s.Failed || s.Given {
		t.Errorf("status %+v", s)
	}
	p.give(l, job(t, "count", work{Records: 1}), nil) // in vain
	if s := p.end(l); s.How != "ended before it had a job" {
		t.Errorf("status %+v", s)
	}
}

// When the pod is to go, the task ends in order, and who reads gets all of it.
func TestAPodThatIsDeletedGivesWhatItsTaskWroteLast(t *testing.T) {
	p := start(t)
	l, breakIt := p.link()
	p.give(l, job(t, "linger", work{Records: 50}), nil)
	_, err := p.hearAnd(sync.OnceFunc(func() {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}))
	if !errors.As(err, new(task.Failure)) {
		t.Errorf("followed to %v, want the task's own reason", err)
	}
	breakIt()
	var exit *exec.ExitError
	if err := p.cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("the pod ended with %v", err)
	}
}

func TestAReaderEndsWithItsConnection(t *testing.T) {
	p := start(t)
	l, _ := p.link()
	p.give(l, job(t, "linger", work{Records: 1}), nil)
	r, err := p.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil { // waits for the process
		t.Error(err)
	}
}

// Input of any size goes through little memory.
func TestMemoryDoesNotGrowWithInput(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	p := start(t)
	l, _ := p.link()
	j, input := echoes(t, 2000, 60_000)
	before := peak(t, p.cmd.Process.Pid)
	p.give(l, j, input())
	p.end(l)
	if grown := peak(t, p.cmd.Process.Pid) - before; grown > 40<<10 {
		t.Errorf("the supervisor took %d KiB more for an input of 120 MB", grown)
	}
}

// peak is the most memory that a process has had, in KiB.
func peak(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the kernel does not tell")
	return 0
}

func TestMainIsToldWhatToDo(t *testing.T) {
	for _, arguments := range [][]string{nil, {"dance"}, {"read", "-from", "x"}} {
		if err := Main(t.Context(), arguments, nil, nil); err == nil {
			t.Errorf("%v is taken", arguments)
		}
	}
}

func TestTheTailOfALog(t *testing.T) {
	log := &tail{to: io.Discard}
	for n := range 1000 {
		fmt.Fprintf(log, "line %d of a log that is longer than what is kept\n", n)
	}
	lines := strings.Split(log.String(), "\n")
	if len(lines) != tailLines || !strings.HasPrefix(lines[0], "line 980 ") || !strings.HasPrefix(lines[tailLines-1], "line 999 ") {
		t.Errorf("kept %q", lines)
	}
}
