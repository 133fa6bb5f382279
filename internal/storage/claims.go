package storage

import "context"

// Claims is a platform whose volumes are claims of its own storage classes.
type Claims interface {
	// ClaimClass says what is known of one of its classes; the default one when
	// name is empty. The error lists those that there are.
	ClaimClass(ctx context.Context, name string) (ClaimClass, error)
	// MakeClaim makes a claim, journalled before, and waits until it can be used: until
	// it is bound, or until its class waits for the first who uses it. When it does
	// not come up, the error says why, and nothing is left of it.
	MakeClaim(ctx context.Context, c Claim) (Volume, error)
	// DeleteClaim removes a claim and waits until it has gone, with what is behind it
	// where its class reclaims that. One that is not there is no error.
	DeleteClaim(ctx context.Context, v Volume) error
}

// Claim is what a volume is to be like.
type Claim struct {
	Name       string // of the volume, unique in the run
	Class      string
	Bytes      int64
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
	// Waits says that its claims are bound when the first pod uses them.
	Waits bool `json:"waits,omitempty"`
	// Retains says that what is behind a claim stays when the claim is deleted.
	Retains    bool `json:"retains,omitempty"`
	Expandable bool `json:"expandable,omitempty"`
	// SnapshotClass is a class of snapshots of the same provisioner, if there is one.
	SnapshotClass string `json:"snapshot_class,omitempty"`
}

// ByClaim is a Kind whose classes need Env.Claims, and whose volumes are claims.
type ByClaim interface{ ByClaim() }

// OwnGolden is a class that can only clone volumes of its own: a data set is
// prepared on one of them. The source of Import is then that volume's name.
type OwnGolden interface {
	// Clones says whether it can, and why not, for the result.
	Clones(ctx context.Context) (ok bool, why string, err error)
}
