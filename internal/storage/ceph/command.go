package ceph

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// commandLimit ends a command that waits for a cluster that does not answer.
const commandLimit = 2 * time.Minute

// cluster is how the programs of Ceph reach one.
type cluster struct {
	options []string // of every program, such as --conf FILE
	// patience is how long monitors may take to let us in, in whole seconds.
	patience time.Duration
	// marker is in the environment of the programs: it is how those are found that a killed run
	// left, which may wait for a cluster that is gone for as long as they like. Empty is none.
	marker string
	// command makes a program's process where the clients are.
	command func(ctx context.Context, args ...string) *exec.Cmd
}

// run runs a Ceph program on the clients' side and returns its output.
func (c *cluster) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := c.command(ctx, slices.Concat(args, c.options)...)
	cmd.Env = plainEnvironment()
	if c.marker != "" {
		cmd.Env = append(cmd.Env, c.marker)
	}
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = errNoEnd
		}
		return out.Bytes(), &commandError{called(args), strings.TrimSpace(errs.String()), err}
	}
	return out.Bytes(), nil
}

// errNoEnd is of a command that was ended because it took too long.
var errNoEnd = errors.New("it had not ended when its time was up")

// called is a command without its options.
func called(args []string) string {
	for n, word := range args {
		if strings.HasPrefix(word, "-") {
			return strings.Join(args[:n], " ")
		}
	}
	return strings.Join(args, " ")
}

// commandError is a command that failed, with its output.
type commandError struct {
	command, said string
	err           error
}

func (e *commandError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("%s: %v", e.command, e.err)
	}
	return fmt.Sprintf("%s: %s (%v)", e.command, e.said, e.err)
}
func (e *commandError) Unwrap() error { return e.err }

// ceph runs a command of the cluster's own tool; into may be nil.
func (c *cluster) ceph(ctx context.Context, into any, args ...string) error {
	out, err := c.run(ctx, slices.Concat([]string{"ceph"}, args, []string{"--format", "json", "--connect-timeout", fmt.Sprintf("%.0f", c.patience.Seconds())})...)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("ceph %s: its answer cannot be read: %w", called(args), err)
	}
	return nil
}

// rbd runs a command on images.
func (c *cluster) rbd(ctx context.Context, args ...string) error {
	_, err := c.run(ctx, append([]string{"rbd"}, args...)...)
	return err
}

// answerLimit is how long a daemon may take to answer on its socket.
const answerLimit = 30 * time.Second

// ask puts a question to an OSD, counted from 1.
func (p *Pool) ask(ctx context.Context, n int, command string, into any) error {
	r := p.node(n)
	if err := r.Dead(); err != nil {
		return err
	}
	return askAt(ctx, fmt.Sprintf("/proc/%d/root/run/%s.asok", r.PID(), osdName(n)), osdName(n), question{Prefix: command}, into)
}

// question is a command as daemons take it on their sockets.
type question struct {
	Prefix  string `json:"prefix"`
	Timeout int    `json:"timeout,omitempty"` // of commands that have one, in seconds
	Format  string `json:"format"`
}

// askAt puts a question to a daemon on the socket that it takes commands from: the command
// as JSON and a zero byte; the answer has its length before it.
func askAt(ctx context.Context, socket, name string, q question, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("ask %s: %w", name, err)
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline() // there is one
	q.Format = "json"
	text, err := json.Marshal(q)
	if err != nil {
		return err
	}
	_, writeErr := conn.Write(append(text, 0))
	if err := errors.Join(conn.SetDeadline(deadline), writeErr); err != nil {
		return fmt.Errorf("ask %s: %w", name, err)
	}
	var length uint32
	if err := binary.Read(conn, binary.BigEndian, &length); err != nil {
		return fmt.Errorf("ask %s for %s: %w", name, q.Prefix, err)
	}
	answer, err := io.ReadAll(io.LimitReader(conn, int64(length)))
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("ask %s for %s: its answer cannot be read: %w", name, q.Prefix, err)
	}
	return nil
}

// status is what of the cluster's own matters here. Parts that are not there stay nil.
type status struct {
	Health struct {
		Status string
		Checks map[string]struct {
			Severity string
			Summary  struct{ Message string }
			Muted    bool
		}
	}
	OSDMap *struct {
		OSDs int `json:"num_osds"`
		Up   int `json:"num_up_osds"`
		In   int `json:"num_in_osds"`
	}
	PGMap *struct {
		ByState []struct {
			Name  string `json:"state_name"`
			Count int
		} `json:"pgs_by_state"`
		PGs       int   `json:"num_pgs"`
		Degraded  int64 `json:"degraded_objects"`
		Misplaced int64 `json:"misplaced_objects"`
	}
	MgrMap *struct{ Available bool }
}

// errForm reports an answer that lacks the expected fields, which another version may
// cause.
var errForm = errors.New("the cluster's status has another form than in Ceph 16 to 19; plimsoll does not know how to read it")

func (c *cluster) look(ctx context.Context) (s status, err error) {
	if err := c.ceph(ctx, &s, "status"); err != nil {
		return s, err
	}
	if s.OSDMap == nil || s.PGMap == nil || s.MgrMap == nil || s.Health.Status == "" {
		return s, errForm
	}
	return s, nil
}

// status looks at the cluster, and notes what changed.
func (p *Pool) status(ctx context.Context) (status, error) {
	s, err := p.look(ctx)
	if err == nil {
		p.seen.status(s, p.p.all(), p.hasNoticed())
	}
	return s, err
}

// clean reports whether every OSD is up and in, and every object where it belongs as often
// as it should be.
func (s status) clean(osds int) bool {
	if !s.MgrMap.Available || s.OSDMap.Up != osds || s.OSDMap.In != osds || s.PGMap.Degraded+s.PGMap.Misplaced > 0 || s.PGMap.PGs == 0 {
		return false
	}
	counted := 0
	for _, g := range s.PGMap.ByState {
		if g.Name != "active+clean" && !strings.HasPrefix(g.Name, "active+clean+scrubbing") && !strings.HasPrefix(g.Name, "active+clean+snaptrim") {
			return false
		}
		counted += g.Count
	}
	return counted == s.PGMap.PGs
}

// full returns the cluster's words for taking no more writes; empty when it does.
func (s status) full() string {
	for _, name := range []string{"OSD_FULL", "POOL_FULL"} {
		if c, is := s.Health.Checks[name]; is {
			return name + ": " + c.Summary.Message
		}
	}
	return ""
}

// warnings are the cluster's own warnings that nobody has muted, in the order of their
// names.
func (s status) warnings() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Health.Checks)) {
		if c := s.Health.Checks[name]; !c.Muted {
			all = append(all, name+": "+c.Summary.Message)
		}
	}
	return all
}

// String lists the reasons why the cluster is not clean.
func (s status) String() string {
	var states []string
	for _, g := range s.PGMap.ByState {
		states = append(states, fmt.Sprintf("%d %s", g.Count, g.Name))
	}
	return fmt.Sprintf("%s, %d of %d OSDs up, placement groups: %s", s.Health.Status, s.OSDMap.Up, s.OSDMap.OSDs, strings.Join(states, ", "))
}
