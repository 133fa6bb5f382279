package trino

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Stats are what a coordinator counted of a statement, over all servers.
type Stats struct {
	Elapsed  time.Duration // from when it came until its last row
	Queued   time.Duration // before it began
	Planning time.Duration // analysis included
	// CPU is processor time, and Scheduled the time that its threads had to themselves,
	// waits for the store included.
	CPU, Scheduled time.Duration
	// Reading is how long threads waited for the store.
	Reading time.Duration
	// Blocked is the time that its parts waited for others, added up. Only Details has it.
	Blocked time.Duration
	// InputBytes and WrittenBytes went between workers and the store; NetworkBytes went
	// between servers.
	InputBytes, WrittenBytes, NetworkBytes int64
	// SpilledBytes went to disks because memory was short.
	SpilledBytes int64
	// PeakBytes is the most memory that it had at once.
	PeakBytes int64
	Rows      int64 // that were read
	Splits    int64 // pieces of work
	Nodes     int64 // servers that took part
}

// wireStats are the statistics in the protocol's form.
type wireStats struct {
	ElapsedMillis   int64 `json:"elapsedTimeMillis"`
	QueuedMillis    int64 `json:"queuedTimeMillis"`
	PlanningMillis  int64 `json:"planningTimeMillis"`
	CPUMillis       int64 `json:"cpuTimeMillis"`
	ScheduledMillis int64 `json:"wallTimeMillis"`
	ReadingMillis   int64 `json:"physicalInputTimeMillis"`
	InputBytes      int64 `json:"physicalInputBytes"`
	WrittenBytes    int64 `json:"physicalWrittenBytes"`
	NetworkBytes    int64 `json:"internalNetworkInputBytes"`
	SpilledBytes    int64 `json:"spilledBytes"`
	PeakBytes       int64 `json:"peakMemoryBytes"`
	Rows            int64 `json:"processedRows"`
	Splits          int64 `json:"totalSplits"`
	Nodes           int64 `json:"nodes"`
}

func (c wireStats) stats() Stats {
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	return Stats{
		Elapsed: ms(c.ElapsedMillis), Queued: ms(c.QueuedMillis), Planning: ms(c.PlanningMillis),
		CPU: ms(c.CPUMillis), Scheduled: ms(c.ScheduledMillis), Reading: ms(c.ReadingMillis),
		InputBytes: c.InputBytes, WrittenBytes: c.WrittenBytes, NetworkBytes: c.NetworkBytes,
		SpilledBytes: c.SpilledBytes, PeakBytes: c.PeakBytes, Rows: c.Rows, Splits: c.Splits, Nodes: c.Nodes,
	}
}

// Blocked asks how long the parts of a finished statement waited for others. The
// coordinator remembers only the most recent statements.
func (c *Client) Blocked(ctx context.Context, id string) (time.Duration, error) {
	var about struct {
		Stats struct {
			Blocked string `json:"totalBlockedTime"`
		} `json:"queryStats"`
	}
	if err := c.once(ctx, http.MethodGet, c.at("/v1/query/"+id)+"?pruned=true", nil, Query{}, &about); err != nil {
		return 0, fmt.Errorf("ask about statement %s: %w", id, err)
	}
	return duration(about.Stats.Blocked)
}

// units of durations as the coordinator writes them: 1.59m.
var units = []struct {
	name string
	is   time.Duration
}{
	{"ns", time.Nanosecond}, {"us", time.Microsecond}, {"ms", time.Millisecond},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

func duration(text string) (time.Duration, error) {
	for _, u := range units {
		digits, ok := cutUnit(text, u.name)
		if !ok {
			continue
		}
		if n, err := strconv.ParseFloat(digits, 64); err == nil {
			return time.Duration(n * float64(u.is)), nil
		}
	}
	return 0, fmt.Errorf("%q is not a duration such as 1.59m", text)
}

// cutUnit takes a unit from behind a number.
func cutUnit(text, unit string) (digits string, ok bool) {
	n := len(text) - len(unit)
	if n <= 0 || text[n:] != unit || text[n-1] < '0' || text[n-1] > '9' {
		return "", false
	}
	return text[:n], true
}

// Node is a server of a cluster.
type Node struct {
	ID          string
	Coordinator bool
	Active      bool
}

// Nodes lists the servers that the coordinator knows.
func (c *Client) Nodes(ctx context.Context) (all []Node, err error) {
	rows, err := c.All(ctx, Query{SQL: "SELECT node_id, coordinator, state FROM system.runtime.nodes"})
	for _, r := range rows {
		if len(r) == 3 {
			all = append(all, Node{ID: fmt.Sprint(r[0]), Coordinator: r[1] == true, Active: r[2] == "active"})
		}
	}
	return all, err
}

// Await waits until as many workers are active in addition to the coordinator, which may
// still be starting. If ctx ends first, the error says how many were active, or why the
// coordinator does not answer.
func (c *Client) Await(ctx context.Context, workers int) error {
	for {
		all, err := c.Nodes(ctx)
		if refused, ok := errors.AsType[*statusError](err); ok && !refused.passing() {
			return err
		}
		active := 0
		for _, n := range all {
			if n.Active && !n.Coordinator {
				active++
			}
		}
		if active >= workers {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d workers are with the coordinator: %w", active, workers, firstOf(err, ctx.Err()))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func firstOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// Info is what a server says of itself to everybody.
type Info struct {
	Version     string
	Coordinator bool
	Starting    bool
}

// Info asks a server, coordinator or worker, how far it has come.
func (c *Client) Info(ctx context.Context) (Info, error) {
	var said struct {
		Version struct {
			Version string `json:"version"`
		} `json:"nodeVersion"`
		Coordinator bool            `json:"coordinator"`
		Starting    json.RawMessage `json:"starting"`
	}
	err := c.once(ctx, http.MethodGet, c.at("/v1/info"), nil, Query{}, &said)
	return Info{said.Version.Version, said.Coordinator, string(said.Starting) != "false"}, err
}
