package describe

// Component is a state in which the time of a unit of work is spent. They are the metrics of
// telemetry's kinds "time" and "wait".
type Component string

// Components.
const (
	Running     Component = "running"      // on a CPU
	CPUWait     Component = "cpu_wait"     // ready, and waiting for a CPU
	QuotaWait   Component = "quota_wait"   // held back by a CPU quota
	DeviceWait  Component = "device_wait"  // for a device, or for a file system's journal
	MemoryWait  Component = "memory_wait"  // for memory to be reclaimed
	LockWait    Component = "lock_wait"    // for a lock that another session or thread holds
	NetworkWait Component = "network_wait" // for the network
	PeerWait    Component = "peer_wait"    // for a server of another role
	OtherWait   Component = "other_wait"   // for something unknown
)

// Activity is what a session of a server does at a moment. A session is at work while a client
// waits for it.
type Activity struct {
	// Component is what the session waits for; empty where the server does not say that it
	// waits.
	Component Component
	// Name is the server's name of what it waits for, such as "WAL flush"; empty if it has none.
	Name string
	// Thread is the operating system's number of the thread that works for the session, in the
	// server's namespace; 0 if unknown.
	Thread int
}

// Kinds of telemetry series: what a series is of. Those of operations, and some of drivers and
// instances, come from the records of the drivers, and all others from a sampler.
const (
	MachineKind  = "machine"
	CPUKind      = "cpu"
	PressureKind = "pressure"
	DeviceKind   = "device"
	NetworkKind  = "network"
	InstanceKind = "instance"
	DriverKind   = "driver"
	NodeKind     = "node"
	// ContainerKind is a control group that the whole run is in.
	ContainerKind = "container"
	SelfKind      = "self"
	GaugeKind     = "gauge"
	DaemonKind    = "daemon"
	// MetricKind is what an existing Prometheus measures, under a name of the study's.
	MetricKind    = "metric"
	OperationKind = "operation"
)

// Kinds of telemetry series that say where time goes. Their metrics are Components.
const (
	// TimeKind has how many threads or sessions of a server are in a state.
	TimeKind = "time"
	// WaitKind has how many of them wait for something with a name: db-000/WAL flush.
	WaitKind = "wait"
	// SessionsMetric is how many sessions of a server are at work, a metric of TimeKind. Where
	// it is known, the components are the states of these sessions, and else of threads.
	SessionsMetric = "sessions"
)
