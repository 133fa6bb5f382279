package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plimsoll/bench/stand"
	"plimsoll/internal/app/builtin/sink"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/simnet/link"
	"plimsoll/internal/result"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/driver"
	"plimsoll/internal/workload/network"
)

// stream is one way to send, in both languages.
type stream struct {
	link            link.Link
	message, buffer int64
}

func (s stream) name() string {
	return fmt.Sprintf("iperf3, %s, receive offload %s, messages of %s, socket buffers of %s", s.link.Path, s.link.ReceiveOffload, unit.Bytes(s.message), unit.Bytes(s.buffer))
}

// streams are the streams of the study receive-offload.
func streams() (all []stream) {
	for _, path := range []string{link.Remote, link.Local} {
		for _, offload := range []string{link.Off, link.On} {
			for _, size := range [][2]int64{{256, 8 << 10}, {16 << 10, 64 << 10}, {64 << 10, 256 << 10}} {
				all = append(all, stream{link.Link{Path: path, ReceiveOffload: offload}, size[0], size[1]})
			}
		}
	}
	return all
}

// runIperf3 compares streams of the network workload with iperf3's over the same kind of link.
// The CPU time covers both ends.
func runIperf3(ctx context.Context, s settings, t *table) (err error) {
	dir, remove, err := s.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove(), s.join()) }()
	for _, x := range streams() {
		if !t.wants(x.name()) {
			continue
		}
		b := linkBench{stream: x, dir: dir, length: s.time, sides: s.processors}
		if err := t.compare(ctx, comparison{name: x.name(), bound: 0.05, own: b.own, peer: b.iperf3}); err != nil {
			return err
		}
	}
	return nil
}

// linkBench has a link for each turn, made by a sink.
type linkBench struct {
	stream
	dir    string
	length time.Duration
	sides  processors
}

// sinkArgument makes the benchmark's program a sink.
const sinkArgument = "sink"

// sinkMain is the process of the sink; elsewhere it returns at once.
func sinkMain(ctx context.Context) {
	if len(os.Args) != 3 || os.Args[1] != sinkArgument {
		return
	}
	var c sink.Config
	err := json.Unmarshal([]byte(os.Args[2]), &c)
	if err == nil {
		err = sink.Main(ctx, c, io.Discard)
	}
	exit(err)
}

// linked runs a turn with a sink of its own, and returns the sink's CPU time.
func (b linkBench) linked(ctx context.Context, turn func(place sink.Place, pid int) error) (cpu time.Duration, err error) {
	place := sink.Place{Network: "unix", Address: filepath.Join(b.dir, "sink.sock")}
	described, err := json.Marshal(sink.Config{Socket: place.Address, Link: b.link})
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	c := exec.CommandContext(ctx, self, sinkArgument, string(described))
	c.Stderr = os.Stderr
	if err := b.sides.serve(c.Start); err != nil {
		return 0, err
	}
	err = answers(ctx, place)
	if err == nil {
		err = turn(place, c.Process.Pid)
	}
	err = errors.Join(err, c.Process.Signal(syscall.SIGINT), c.Wait())
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}

// answers waits for the sink.
func answers(ctx context.Context, place sink.Place) (err error) {
	for range 100 {
		if err = place.Ping(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// own runs one turn of the driver.
func (b linkBench) own(ctx context.Context) (s sample, err error) {
	p := network.Workload{}.Defaults().(*network.Parameters)
	p.Message, p.SocketBuffer = unit.Bytes(b.message), unit.Bytes(b.buffer)
	parameters, err := json.Marshal(p)
	if err != nil {
		return s, err
	}
	messages, cost := int64(0), time.Duration(0)
	cpu, err := b.linked(ctx, func(place sink.Place, _ int) error {
		job := driver.Job{
			Workload: network.Name, Parameters: parameters, Users: 1, Measure: unit.Duration(b.length),
			Targets: []workload.Target{{Endpoints: []endpoint.Endpoint{{Role: "sink", Kind: sink.Kind, Network: place.Network, Address: place.Address}}}},
		}
		cost, err = stand.Drive(ctx, job, func(r result.Record) error {
			switch {
			case r.Kind == result.KindInstance:
				return s.times(r.Instance, b.length)
			case r.Kind == result.KindOperation:
				messages += r.Count
			}
			return nil
		})
		return err
	})
	s.cpu = (cpu + cost).Seconds() / float64(messages)
	return s, err
}

// iperf3 runs one turn of iperf3 in the namespaces of a sink that has nothing to do.
func (b linkBench) iperf3(ctx context.Context) (s sample, err error) {
	_, err = b.linked(ctx, func(_ sink.Place, pid int) error {
		users, far, err := namespaces(pid)
		if err != nil {
			return err
		}
		s, err = b.runIperf3(ctx, users, far)
		return err
	})
	return s, err
}

// namespaces are the files of those that a sink has made: its users' and its own.
func namespaces(pid int) (users, far string, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return "", "", err
	}
	var found []string
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil && strings.HasPrefix(to, "net:[") {
			found = append(found, f)
		}
	}
	for _, f := range found {
		out, err := exec.Command("nsenter", "--net="+f, "ip", "-4", "-brief", "address", "show", "dev", "eth0").Output()
		if err != nil {
			return "", "", err
		}
		if strings.Contains(string(out), farAddress) {
			far = f
		} else {
			users = f
		}
	}
	if users == "" || far == "" {
		return "", "", fmt.Errorf("the sink has no two namespaces: %v", found)
	}
	return users, far, nil
}

// farAddress is the address of the sink on its link.
const farAddress = "10.198.0.2"

func (b linkBench) runIperf3(ctx context.Context, users, far string) (s sample, err error) {
	server := exec.CommandContext(ctx, "nsenter", "--net="+far, "iperf3", "--server", "--one-off", "--port", "5202")
	if err := b.sides.serve(server.Start); err != nil {
		return s, fmt.Errorf("iperf3 (apt-get install iperf3): %w", err)
	}
	time.Sleep(200 * time.Millisecond) // it says nothing when it listens
	client := exec.CommandContext(ctx, "nsenter", "--net="+users, "iperf3", "--client", farAddress, "--port", "5202", "--json",
		"--length", strconv.FormatInt(b.message, 10), "--window", strconv.FormatInt(b.buffer, 10), "--time", fmt.Sprintf("%.0f", b.length.Seconds()))
	out, err := client.Output()
	if err != nil {
		_ = server.Process.Kill() // it may have ended
	}
	if err = errors.Join(err, server.Wait()); err != nil {
		return s, fmt.Errorf("iperf3: %w: %s", err, out)
	}
	cpu := time.Duration(0)
	for _, c := range []*exec.Cmd{client, server} {
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return b.readIperf3(out, cpu)
}

// readIperf3 reads the client's report.
func (b linkBench) readIperf3(out []byte, cpu time.Duration) (s sample, err error) {
	var report struct {
		End struct {
			Received struct {
				Bytes   float64 `json:"bytes"`
				Seconds float64 `json:"seconds"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return s, fmt.Errorf("what iperf3 reports: %w", err)
	}
	r := report.End.Received
	if r.Bytes == 0 || r.Seconds == 0 {
		return s, fmt.Errorf("iperf3 reports no bytes: %s", out)
	}
	messages, none := r.Bytes/float64(b.message), math.NaN()
	return sample{throughput: messages / r.Seconds, p50: none, p95: none, p99: none, cpu: cpu.Seconds() / messages}, nil
}
