package ceph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/journal"
	"plimsoll/internal/regular"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/unit"
)

// Existing is a cluster that is there already: a run makes images of its own in a pool of it.
type Existing struct {
	Conf    string `yaml:"conf" json:"conf" jsonschema:"description=ceph.conf of the cluster\\, of which only the addresses of its monitors (mon host) are used"`
	Keyring string `yaml:"keyring" json:"keyring" jsonschema:"description=File of mode 0600 with the key of user"`
	User    string `yaml:"user,omitempty" json:"user,omitempty" jsonschema:"description=Whose key it is\\, without client.; default admin"`
	Pool    string `yaml:"pool" json:"pool" jsonschema:"description=Pool that images are made in"`
	// Accept are health checks of the cluster that a run may begin in spite of.
	Accept []string `yaml:"accept,omitempty" json:"accept,omitempty" jsonschema:"description=Health checks that may warn when a run begins such as POOL_NEARFULL; results name them"`
	Media  string   `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"description=What the pool lies on: nvme; hdd; what the cluster calls its devices when empty"`
	Text   string   `yaml:"text,omitempty" json:"text,omitempty" jsonschema:"description=What the cluster is in one sentence for people"`
}

var (
	userName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	poolName  = regexp.MustCompile(`^[A-Za-z0-9.][A-Za-z0-9._-]*$`)
	checkName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	addresses = regexp.MustCompile(`^[A-Za-z0-9.:,\[\]/ _-]+$`)
)

// user is whose key the keyring has.
func (e *Existing) user() string { return cmp.Or(e.User, "admin") }

// validateExisting refuses what only a cluster of our own can be told.
func (p *Parameters) validateExisting() (all []storage.FieldError) {
	bad := func(field, format string, args ...any) {
		all = append(all, storage.FieldError{Field: field, Reason: fmt.Sprintf(format, args...)})
	}
	e, own := p.Existing, Kind{}.Defaults().(*Parameters)
	for _, file := range []struct{ name, path string }{{"conf", e.Conf}, {"keyring", e.Keyring}} {
		if !filepath.IsAbs(file.path) {
			bad("existing."+file.name, "it must be the absolute path of a file, got %q", file.path)
		}
	}
	if !userName.MatchString(e.user()) || strings.HasPrefix(e.user(), "client.") {
		bad("existing.user", "%q is not a user as keyrings have them after \"client.\"", e.User)
	}
	if !poolName.MatchString(e.Pool) {
		bad("existing.pool", "%q is not the name of a pool", e.Pool)
	}
	for _, check := range e.Accept {
		if !checkName.MatchString(check) {
			bad("existing.accept", "%q is not a health check as `ceph health` has them, such as POOL_NEARFULL", check)
		}
	}
	if p.Access != accessRBD && p.Access != accessDevice {
		bad("access", "in an existing cluster volumes are images: write %s or %s; buckets of one are those of class s3", accessRBD, accessDevice)
	}
	// What was written by MarshalJSON has zeros for defaults.
	changed := cmp.Or(p.Nodes, own.Nodes) != own.Nodes || cmp.Or(p.OSDs, own.OSDs) != own.OSDs ||
		cmp.Or(p.Memory, own.Memory) != own.Memory || cmp.Or(p.Replicas, own.Replicas) != own.Replicas
	if changed || p.CPU != 0 || p.Erasure != "" || p.Disk != nil || p.MetadataDisk != nil || p.Link != "" || p.Gateways != 0 || len(p.Options) > 0 {
		bad("existing", "beside it, only access, filesystem and image_size can be set: the cluster is what it is")
	}
	p.validateImages(bad)
	return all
}

// MarshalJSON leaves out of an existing cluster what only one of our own is told: results
// would say it of another.
func (p *Parameters) MarshalJSON() ([]byte, error) {
	type plain Parameters
	if p.Existing == nil {
		return json.Marshal((*plain)(p))
	}
	return json.Marshal(struct {
		Existing   *Existing  `json:"existing"`
		Access     string     `json:"access"`
		FileSystem string     `json:"filesystem,omitempty"`
		ImageSize  unit.Bytes `json:"image_size,omitempty"`
	}{p.Existing, p.Access, p.FileSystem, p.ImageSize})
}

// usableExisting says why no run can begin on the cluster.
func (p *Parameters) usableExisting() error {
	if p.Access == accessRBD {
		if err := disk.FileSystemFor(p.FileSystem).Usable(); err != nil {
			return err
		}
	}
	c, err := p.Existing.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	_, err = p.Existing.inspect(ctx, c)
	return err
}

// reach finds the way to the cluster. Of its configuration only the monitors are used: the
// rest may name files and programs of this machine.
func (e *Existing) reach() (cluster, error) {
	text, err := regular.Filled(e.Conf)
	if err != nil {
		return cluster{}, fmt.Errorf("existing.conf: %w; copy the cluster's ceph.conf here, or name another", err)
	}
	monitors := monitorsIn(text)
	if !addresses.MatchString(monitors) {
		return cluster{}, fmt.Errorf("existing.conf: %s has no `mon host` with the addresses of monitors in its section [global]; `ceph config generate-minimal-conf` on a node of the cluster writes one", e.Conf)
	}
	keys, err := regular.Secret(e.Keyring)
	if err != nil {
		return cluster{}, fmt.Errorf("existing.keyring: %w", err)
	}
	if !strings.Contains(keys, "[client."+e.user()+"]") {
		return cluster{}, fmt.Errorf("existing.keyring: %s has no key of client.%s; `ceph auth get client.%s` on a node of the cluster prints it", e.Keyring, e.user(), e.user())
	}
	return cluster{
		options: []string{
			"--conf", "/dev/null", "--mon-host", monitors, "--id", e.user(), "--keyring", e.Keyring,
			"--log-file", "/dev/null", "--admin-socket", "", "--pid-file", "", "--run-dir", "/nonexistent",
		},
		command: here, patience: 10 * time.Second,
	}, nil
}

// here makes a program's process on this machine, in its own network.
func here(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, args[0], args[1:]...)
}

// monitorsIn is `mon host` of the global section of a ceph.conf, empty where it has none.
// Names of options have spaces, underscores or hyphens between their words.
func monitorsIn(conf string) (monitors string) {
	section := ""
	for line := range strings.Lines(conf) {
		if at := strings.IndexAny(line, "#;"); at >= 0 {
			line = line[:at]
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, "=") {
			section = strings.Trim(line, "[] \t")
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" \t_-", r) })
		if section == "global" && slices.Equal(words, []string{"mon", "host"}) {
			monitors = strings.TrimSpace(value)
		}
	}
	return monitors
}

// Lent implements storage.Lender.
func (Kind) Lent(parameters any, o journal.Object) bool {
	p, ok := parameters.(*Parameters)
	return ok && p.Existing != nil && o.Kind == journal.Image && o.Path == p.Existing.Conf && strings.HasPrefix(o.Name, p.Existing.Pool+"/")
}

// GiveBack implements storage.Lender: an image that a run made is removed.
func (Kind) GiveBack(ctx context.Context, parameters any, run string, o journal.Object) (found bool, err error) {
	e := parameters.(*Parameters).Existing
	if !strings.HasPrefix(o.Name, e.Pool+"/"+journal.Name(run)+".") {
		return false, fmt.Errorf("remove image %s: %w: it does not carry the run's name", o.Name, errNotOurs)
	}
	c, err := e.reach()
	if err != nil {
		return false, err
	}
	if _, err := c.look(ctx); err != nil { // so that a cluster that is not reached is none without the image
		return false, e.explained(err)
	}
	found, err = c.removeMarked(ctx, o.Name, run)
	return found, e.explained(err)
}

// explained adds to what a program of Ceph said what can be done about it.
func (e *Existing) explained(err error) error {
	failed, ok := errors.AsType[*commandError](err)
	if !ok {
		return err
	}
	for _, c := range []struct{ says, advice string }{
		{"ermission denied", fmt.Sprintf("the cluster does not accept the key of client.%[1]s in existing.keyring, or that user may not do this: on a node of the cluster, `ceph auth get client.%[1]s` prints the key, and `ceph auth caps client.%[1]s mon 'profile rbd' osd 'profile rbd pool=%[2]s'` gives it what a run needs", e.user(), e.Pool)},
		{"peration not permitted", fmt.Sprintf("client.%[1]s may not do this: `ceph auth caps client.%[1]s mon 'profile rbd' osd 'profile rbd pool=%[2]s'` on a node of the cluster gives it what a run needs", e.user(), e.Pool)},
		{"imed out", fmt.Sprintf("no monitor of existing.conf (%s) answers: see whether this machine reaches them, and `ceph quorum_status` on a node of the cluster", e.Conf)},
		{"onnecting to the cluster", fmt.Sprintf("the monitors of existing.conf (%s) do not let us in", e.Conf)},
		{"uota exceeded", e.full()},
		{"o space left", e.full()},
	} {
		if strings.Contains(failed.said, c.says) {
			return fmt.Errorf("%s: %w", c.advice, err)
		}
	}
	return err
}

// full is what to do about a pool that takes no more.
func (e *Existing) full() string {
	return fmt.Sprintf("pool %[1]s is full, and writes to it wait until it is not: free some space (`ceph df detail` and `ceph health detail` say what is short), raise its quota (`ceph osd pool set-quota %[1]s max_bytes N`), or name another pool", e.Pool)
}
