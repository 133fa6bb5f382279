package plan

import (
	"fmt"
	"strconv"

	"plimsoll/internal/study"
	"plimsoll/internal/text/words"
)

// What the processes of a trial have open, and how many they are, besides what each
// user adds.
const (
	driverFiles = 10 // of a driver: its streams, its clock, its record
	driverTasks = 24 // of a driver: the threads of its runtime
	serverTasks = 16 // processes that a server starts by itself
	ownTasks    = 64 // Plimsoll and its helpers
)

// openFilesLimit compares the users of a driver with the files that a process may
// have open: each has at least one, its connection or its file.
func (p *Plan) openFilesLimit(m Machine) limit {
	return limit{
		has:   func(study.Variant) *int64 { return m.OpenFiles },
		need:  func(v study.Variant, rung int) int64 { return p.tile(v, rung).openFiles() },
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, has int64) string {
			return fmt.Sprintf("rung %d of %s needs about %d open files in a driver (%s); %s allows %d (ulimit -Hn)",
				rung, v.Name, need, words.Count(int(need-driverFiles), "user"), m.Place(), has)
		},
		remedy: func(v study.Variant) string {
			need := p.tile(v, p.largestRung()).openFiles()
			return fmt.Sprintf("raise the limit of open files (ulimit -n %d as root, LimitNOFILE= of a service, docker run --ulimit nofile=%d) or lower load.users or load.instances_per_driver", need, need)
		},
	}
}

// tasksLimit compares the processes and threads of a trial with what can be
// started. Servers have one of them for each user.
func (p *Plan) tasksLimit(m Machine) limit {
	return limit{
		has:   func(study.Variant) *int64 { return m.Tasks },
		need:  func(v study.Variant, rung int) int64 { return p.tile(v, rung).tasks() },
		group: func(study.Variant) string { return "" },
		what: func(v study.Variant, rung int, need, has int64) string {
			return fmt.Sprintf("rung %d of %s needs about %d processes and threads; %s lets %d more be started", rung, v.Name, need, m.Place(), has)
		},
		remedy: func(study.Variant) string {
			return "raise the limit of processes (docker run --pids-limit, TasksMax= of a service, ulimit -u) or lower load.users"
		},
	}
}

// openFiles is what the driver with the most users has open.
func (e estimator) openFiles() int64 {
	return sum(driverFiles, times(played(e.variant.Load, e.rung), int64(e.variant.Load.Users)))
}

// tasks returns how many processes and threads the servers and drivers have at once. It
// assumes a thread for each user, although some drivers run their users in few threads.
func (e estimator) tasks() int64 {
	need := times(drivers(e.variant.Load, e.rung), int64(driverTasks))
	if e.facts.InstanceMemory > 0 { // it has servers of ours
		need = sum(need, times(e.rung, sum(serverTasks, int64(e.variant.Load.Users))))
	}
	return need
}

// outOfReach notes the servers whose CPU limit exceeds the machine's cores. The machine is
// then the limit that is measured.
func (p *Plan) outOfReach(m Machine) {
	p.Notes = append(p.Notes, m.Notes...)
	if m.Cores <= 0 || m.Placed {
		return
	}
	for _, v := range p.Applications() {
		most := float64(v.Engine.CPU)
		for _, e := range v.Stack {
			most = max(most, float64(e.CPU))
		}
		if most > m.Cores {
			p.Notes = append(p.Notes, fmt.Sprintf("a server of %s may use %s CPU, and %s has %s: the smaller one is the limit",
				v.Title(), words.Exact(most), m.Place(), coresText(m.Cores)))
		}
	}
}

// coresText writes "0.6 cores".
func coresText(cores float64) string {
	if cores == float64(int(cores)) {
		return words.Count(int(cores), "core")
	}
	return strconv.FormatFloat(cores, 'g', 3, 64) + " cores"
}
