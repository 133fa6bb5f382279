package timeprofile

import (
	"slices"
	"strings"

	"plimsoll/internal/analysis/resource"
	"plimsoll/internal/analysis/stats"
	"plimsoll/internal/analysis/trial"
	"plimsoll/internal/analysis/trust"
	"plimsoll/internal/describe"
	"plimsoll/internal/result"
)

// counts are mean numbers of threads, or of sessions at work, in the measured phase of a trial.
type counts struct {
	in       map[group]float64
	waits    map[wait]float64
	behind   map[string]map[describe.Component]float64 // of the storage's servers, by their names
	queues   map[string]float64                        // requests at devices, by the name of the resource
	machines map[group]string
	missing  []string // roles that were not counted, or not all of their servers
	counted  bool     // some states were
	working  float64  // units of work under way, by Little's law
}

// countsOf reads a trial; not ok where it says nothing of its units of work.
func countsOf(e *trust.Evidence, t *result.Trial) (c counts, ok bool) {
	c = counts{
		in: map[group]float64{}, waits: map[wait]float64{}, behind: map[string]map[describe.Component]float64{}, queues: map[string]float64{}, machines: map[group]string{},
		working: trial.UnitsPerSecond(t) * trial.Mean(t),
	}
	if !(c.working > 0) || !stats.Plausible(c.working) {
		return c, false
	}
	m := trial.MetricsOf(t)
	c.missing = missingRoles(t, m)
	for _, name := range m.Names(describe.TimeKind) {
		c.add(m, name, roleOf(t, m, name))
	}
	for _, name := range m.Names(describe.WaitKind) {
		c.addWait(t, m, name)
	}
	for _, r := range resource.OfTrial(e, t) {
		if r.Kind == resource.Device && !r.Contradicts() {
			c.queues[r.Name] = r.Queue
		}
	}
	c.dropCallers(t)
	c.divideStorage()
	c.boundDriver()
	return c, true
}

// roleOf is whose states a name stands for; empty where that is unknown.
func roleOf(t *result.Trial, m trial.Metrics, name string) string {
	for _, s := range t.Servers {
		if s.Runs(name) {
			return s.Role
		}
	}
	switch {
	case slices.Contains(m.Names(describe.NodeKind), name):
		return Storage
	case len(t.Drivers) == 0 && slices.Contains(m.Names(describe.DriverKind), name), slices.ContainsFunc(t.Drivers, func(d result.DriverSummary) bool { return d.Name == name }):
		return Driver
	}
	return ""
}

// missingRoles are those of servers that were not all counted: the rest would seem to wait for
// nothing.
func missingRoles(t *result.Trial, m trial.Metrics) (roles []string) {
	for _, s := range t.Servers {
		counted, all := 0, 0
		for _, name := range m.Names(describe.TimeKind) {
			if s.Runs(name) && waitsKnown(m, name) {
				counted++
			}
		}
		for _, name := range m.Names(describe.InstanceKind) {
			if s.Runs(name) {
				all++
			}
		}
		if counted == 0 || counted < all {
			roles = append(roles, s.Role)
		}
	}
	return roles
}

// waitsKnown reports whether more is known of a server than its use of CPUs: else its sessions could
// not be listed.
func waitsKnown(m trial.Metrics, name string) bool {
	return slices.ContainsFunc(components, func(c describe.Component) bool {
		_, known := m.Summary(describe.TimeKind, name, string(c))
		return known && c != describe.Running && c != describe.CPUWait && c != describe.QuotaWait
	})
}

// ofDriver are the states of a driver that are part of a response time. It waits for locks,
// devices and the network on its own account.
var ofDriver = []describe.Component{describe.Running, describe.CPUWait, describe.QuotaWait, describe.MemoryWait}

// add counts the states of one server, driver or storage server.
func (c *counts) add(m trial.Metrics, name, role string) {
	if role == "" || slices.Contains(c.missing, role) {
		return
	}
	for _, component := range components {
		s, known := m.Summary(describe.TimeKind, name, string(component))
		if !known || s.Mean < 0 || role == Driver && !slices.Contains(ofDriver, component) {
			continue
		}
		c.counted = true
		if role == Storage {
			if c.behind[name] == nil {
				c.behind[name] = map[describe.Component]float64{}
			}
			c.behind[name][component] += s.Mean
			continue
		}
		g := group{role, component}
		c.in[g] += s.Mean
		if s.Machine != result.LocalMachine {
			c.machines[g] = s.Machine
		}
	}
}

// addWait counts a wait by its name.
func (c *counts) addWait(t *result.Trial, m trial.Metrics, name string) {
	server, what, named := strings.Cut(name, "/")
	role := roleOf(t, m, server)
	if !named || role == "" || slices.Contains(c.missing, role) {
		return
	}
	for _, component := range components {
		if v, known := m.Mean(describe.WaitKind, name, string(component)); known && v > 0 {
			c.waits[wait{group{role, component}, what}] += v
		}
	}
}

// dropCallers leaves out the time that roles wait for each other, which the states of those that
// they wait for divide. Where the states of one were not counted, what the others do not explain
// of it stays.
func (c *counts) dropCallers(t *result.Trial) {
	most, callees := group{}, 0.0
	for g, n := range c.in {
		if g.component == describe.PeerWait && (n > c.in[most] || n == c.in[most] && g.role < most.role) {
			most = g
		}
	}
	waited := c.in[most]
	for _, g := range ordered(c.in) {
		if g.role != most.role && g.role != Driver && g.component != describe.PeerWait {
			callees += c.in[g]
		}
	}
	for _, s := range t.Servers {
		delete(c.in, group{s.Role, describe.PeerWait})
	}
	if rest := waited - callees; (len(c.missing) > 0 || callees == 0) && rest > 0 {
		c.in[most] = rest
	}
}

// boundDriver leaves out the threads of the driver that wait for a CPU and stand for no unit of work.
// Its runtime wakes threads that find nothing to do, and one that only watches it; a unit of work waits
// in the driver for no longer than what everything else leaves of its response time.
func (c *counts) boundDriver() {
	waiting := group{Driver, describe.CPUWait}
	others := 0.0
	for _, g := range ordered(c.in) {
		if g != waiting {
			others += c.in[g]
		}
	}
	if n, counted := c.in[waiting]; counted {
		c.in[waiting] = min(n, max(0, c.working-others))
	}
}

// divideStorage divides the time that units of work wait for the storage into what its servers do
// meanwhile and what its devices do.
//
// Of what is known to wait for the storage, fewer may be seen there: requests queue within its servers
// and on the way to them, where they are no threads, for a thread of a server. They wait for what the
// threads do, for as much of the time as a server is at work. For the rest of it nothing is known but
// that the storage is waited for.
func (c *counts) divideStorage() {
	waited, known := c.forDevices()
	own, total, blocked := c.storageServers()
	atDevices := max(blocked, c.queued())
	each := min(1, stats.Ratio(waited, total+atDevices)) // several copies are written at once
	if queued := waited - total - atDevices; known && queued > 0 {
		each += stats.Ratio(queued*c.atWork(), total+blocked)
	}
	for component, n := range own {
		c.in[group{Storage, component}] = n * each
	}
	if !known {
		if atDevices > 0 {
			c.in[group{"", describe.DeviceWait}] = atDevices * each
		}
		return
	}
	left := 1 - stats.Ratio(total*each, waited)
	for g, n := range c.in {
		if g.component == describe.DeviceWait {
			c.in[g] = n * left
		}
	}
	for w, n := range c.waits {
		if w.component == describe.DeviceWait {
			c.waits[w] = n * left
		}
	}
}

// storageServers is what the threads of the storage's servers do themselves, the sum of it, and how
// many wait for devices, or for the journal of a file system.
func (c *counts) storageServers() (own map[describe.Component]float64, total, blocked float64) {
	own = map[describe.Component]float64{}
	for _, name := range stats.SortedKeys(c.behind) {
		for _, component := range components {
			switch n, counted := c.behind[name][component]; {
			case !counted || component == describe.PeerWait:
			case component == describe.DeviceWait:
				blocked += n
			default:
				own[component] += n
				total += n
			}
		}
	}
	return own, total, blocked
}

// queued is how many requests are at the devices.
func (c *counts) queued() (n float64) {
	for _, name := range stats.SortedKeys(c.queues) {
		n += c.queues[name]
	}
	return n
}

// atWork is the share of time in which a server of the storage is at work at most: it is no more than
// the mean number of its threads that are. Servers with more at work count for more.
func (c *counts) atWork() float64 {
	sum, shares := 0.0, 0.0
	for _, name := range stats.SortedKeys(c.behind) {
		threads := 0.0
		for _, component := range components {
			threads += c.behind[name][component]
		}
		sum, shares = sum+threads, shares+threads*min(1, threads)
	}
	return stats.Ratio(shares, sum)
}

// forDevices is how many units of work wait for the storage: as the servers count it or else, where
// that is not known, as many as are under way and known to do nothing else.
func (c *counts) forDevices() (waiting float64, known bool) {
	others := 0.0
	for _, g := range ordered(c.in) {
		if g.component == describe.DeviceWait {
			waiting, known = waiting+c.in[g], true
		} else {
			others += c.in[g]
		}
	}
	if known {
		return waiting, true
	}
	return max(0, c.working-others), false
}
