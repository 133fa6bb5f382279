package storage

import "context"

// Claims is a platform whose volumes are claims of its own storage classes. It is
// safe for concurrent use.
type Claims interface {
	// ClaimClass describes one of the platform's classes; the default one when name is
	// empty. The error lists the available classes.
	ClaimClass(ctx context.Context, name string) (ClaimClass, error)
	// MakeClaim makes a claim, journalled before, and waits until it can be used: until it
	// is bound, or until its class waits for its first user. When it does not come up, the
	// error has the reason, and nothing is left of it.
	MakeClaim(ctx context.Context, c PlatformClaim) (Volume, error)
	// DeleteClaim removes a claim and waits until it is gone, and its volume too
	// where its class reclaims volumes. One that is not there is no error.
	DeleteClaim(ctx context.Context, v Volume) error
	// TryClone finds out whether a class clones: it writes to a small claim, clones it and
	// looks for the data. why is the cluster's reason when it does not. Nothing is left.
	TryClone(ctx context.Context, class string, bySnapshot bool) (ok bool, why string, err error)
}

// PlatformClaim describes a claim of a platform's own storage class.
type PlatformClaim struct {
	Claim
	Class      string
	AccessMode string // ReadWriteOnce
	// From is a volume of the same class that it is a clone of; empty for an empty
	// one. Nobody may use that meanwhile.
	From *Volume
	// BySnapshot has the clone made from a snapshot of From.
	BySnapshot bool
}

// ClaimClass is one of a platform's own storage classes.
type ClaimClass struct {
	Name        string            `json:"name"`
	Provisioner string            `json:"provisioner"`
	Parameters  map[string]string `json:"parameters,omitempty"`
	// Waits reports whether its claims are bound when the first pod uses them.
	Waits bool `json:"waits,omitempty"`
	// Retains reports whether the volume behind a claim stays when the claim is
	// deleted.
	Retains    bool `json:"retains,omitempty"`
	Expandable bool `json:"expandable,omitempty"`
	// SnapshotClass is a class of snapshots of the same provisioner, if there is one.
	SnapshotClass string `json:"snapshot_class,omitempty"`
	// Media is the medium according to the cluster's administrator, and Simulated whether
	// its times are simulated; see the annotations MediaAnnotation and SimulatedAnnotation.
	Media     string `json:"media,omitempty"`
	Simulated bool   `json:"simulated,omitempty"`
	// Capacity is how many bytes the cluster may still hand out by its own account, and
	// LargestVolume how many in one volume; nil is not known.
	Capacity      *int64 `json:"capacity,omitempty"`
	LargestVolume *int64 `json:"largest_volume,omitempty"`
}

// Annotations of a StorageClass that Plimsoll reads.
const (
	MediaAnnotation     = "plimsoll.io/media"     // hdd-7200, ssd, ...
	SimulatedAnnotation = "plimsoll.io/simulated" // true where its times are simulated
)

// ClaimKind reads parameters of classes whose volumes are claims.
type ClaimKind interface {
	// StorageClass is the class of the platform that parameters name; empty is its
	// default one.
	StorageClass(parameters any) string
	// ClaimBytes is the size that parameters give each claim; 0 has it follow from the
	// data of an instance.
	ClaimBytes(parameters any) int64
}
