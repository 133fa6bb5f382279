package describe

// Storage says what a storage class is, for results and reports.
type Storage struct {
	Class string `json:"class"` // disk
	Media string `json:"media"` // hdd-7200
	// MediaKind is the kind of the medium: HardDisk, ...; empty if not known.
	MediaKind  string `json:"media_kind,omitempty"`
	Simulated  bool   `json:"simulated"`  // labelled wherever its numbers show
	Protection string `json:"protection"` // none, replica 3, disperse 4+2
	FileSystem string `json:"file_system"`
	// Text is one sentence for people.
	Text string `json:"text"`
	// Durable reports whether a flush reaches the medium (false for tmpfs).
	Durable bool `json:"durable"`
	// Capacity and Free are in bytes.
	Capacity int64 `json:"capacity"`
	Free     int64 `json:"free"`
	// Drives is the number of drives, for figures per drive. It counts each member of a
	// RAID set and all drives of a pool. 0 is not known.
	Drives int `json:"drives,omitempty" within:"0..1000000"`
	// Rated is the throughput of one drive according to its maker, in bytes/s; 0 is not
	// known.
	Rated int64 `json:"rated,omitempty"`
	// Reflink reports that clones share blocks until written.
	Reflink bool              `json:"reflink"`
	Options map[string]string `json:"options,omitempty"` // settings that matter to results
	// Notes are things a reader must know.
	Notes []string `json:"notes,omitempty"`
	// Hints are what the next experiment could change.
	Hints []Hint `json:"hints,omitempty"`
}

// Roles of the parts of a device that is listed itself.
const (
	RoleTier       = "tier"
	RoleBehindTier = "behind the tier"
)

// IsPart reports whether another device has the work of this one as well.
func (d Device) IsPart() bool { return d.Role == RoleTier || d.Role == RoleBehindTier }

// Device is a block device or network interface behind a class, as telemetry
// names it.
type Device struct {
	Name  string `json:"name"`            // loop3, vda
	Role  string `json:"role"`            // data, brick, RoleTier
	Owner string `json:"owner,omitempty"` // peer that it belongs to
	// Actuators is the number of requests it serves at once, for utilisation.
	Actuators int `json:"actuators,omitempty" within:"0..1000000"`
	// Assumed gives the reason for Actuators if it is an assumption, in a clause: "the
	// kernel reports it as rotating".
	Assumed string `json:"assumed,omitempty"`
	// ReadRate and WriteRate are bytes/s that it moves at most; 0 is not known.
	ReadRate  float64 `json:"read_rate,omitempty"`
	WriteRate float64 `json:"write_rate,omitempty"`
	// Media is the device's medium if it differs from the class's.
	Media string `json:"media,omitempty"`
	// Stat is a file in the format of /sys/class/block/*/stat where the kernel
	// does not know the device.
	Stat string `json:"-"`
	// Order is a file with two counts: of reads and of writes that did not begin where an earlier
	// request had ended. It is empty where nothing sees the places of requests.
	Order string `json:"-"`
}
