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

	"plimsoll/internal/describe"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/untrusted"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/s3"
	"plimsoll/internal/text/unit"
)

// ExistingCluster is a cluster that is there already: a run makes images of its own in a pool of it,
// subvolumes in a file system of it, or buckets through its gateways.
type ExistingCluster struct {
	Conf    string `yaml:"conf" json:"conf" jsonschema:"description=ceph.conf of the cluster\\, of which only the addresses of its monitors (mon host) are used"`
	Keyring string `yaml:"keyring" json:"keyring" jsonschema:"description=File of mode 0600 with the key of user"`
	User    string `yaml:"user,omitempty" json:"user,omitempty" jsonschema:"description=Whose key it is\\, without client.; default admin"`
	Pool    string `yaml:"pool,omitempty" json:"pool,omitempty" jsonschema:"description=Pool that images are made in; with access: rgw the one that objects lie in\\, whose space is looked at"`
	FS      string `yaml:"fs,omitempty" json:"fs,omitempty" jsonschema:"description=CephFS that subvolumes are made in\\, as ceph fs ls has it; with access: cephfs"`
	// Store is of access rgw. Without keys, the run makes a user of its own.
	Store *s3.Parameters `yaml:"store,omitempty" json:"store,omitempty" jsonschema:"description=How the cluster's gateways are reached\\, with access: rgw; without keys the run makes a user of its own and removes it"`
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
func (e *ExistingCluster) user() string { return cmp.Or(e.User, "admin") }

// validateExisting refuses parameters that apply only to a cluster of our own.
func (p *Parameters) validateExisting() (all describe.Problems) {
	bad := all.Add
	e, own := p.Existing, Kind{}.Defaults().(*Parameters)
	for _, file := range []struct{ name, path string }{{"conf", e.Conf}, {"keyring", e.Keyring}} {
		if !filepath.IsAbs(file.path) {
			bad("existing."+file.name, "it must be the absolute path of a file, got %q", file.path)
		}
	}
	if !userName.MatchString(e.user()) || strings.HasPrefix(e.user(), "client.") {
		bad("existing.user", "%q is not a user as keyrings have them after \"client.\"", e.User)
	}
	for _, check := range e.Accept {
		if !checkName.MatchString(check) {
			bad("existing.accept", "%q is not a health check as `ceph health` has them, such as POOL_NEARFULL", check)
		}
	}
	p.validateAccess(bad)
	e.validatePlace(p.Access, bad)
	// What was written by MarshalJSON has zeros for defaults.
	changed := cmp.Or(p.Nodes, own.Nodes) != own.Nodes || cmp.Or(p.OSDs, own.OSDs) != own.OSDs ||
		cmp.Or(p.Memory, own.Memory) != own.Memory || cmp.Or(p.Replicas, own.Replicas) != own.Replicas
	if changed || p.CPU != 0 || p.Erasure != "" || p.Disk != nil || p.MetadataDisk != nil || p.Link != "" || p.Gateways != 0 || len(p.Options) > 0 {
		bad("existing", "with it, only access, filesystem and image_size can be set: the cluster determines the rest")
	}
	p.validateImages(bad)
	return all
}

// validatePlace refuses an unsuitable place for volumes of the given access.
func (e *ExistingCluster) validatePlace(access string, bad func(field, format string, args ...any)) {
	switch {
	case access != accessCephFS && !poolName.MatchString(e.Pool):
		bad("existing.pool", "%q is not the name of a pool", e.Pool)
	case access == accessCephFS && !poolName.MatchString(e.FS):
		bad("existing.fs", "%q is not the name of a CephFS as `ceph fs ls` has them", e.FS)
	case access == accessCephFS && e.Pool != "":
		bad("existing.pool", "a CephFS has pools of its own: leave it out")
	case access != accessCephFS && e.FS != "":
		bad("existing.fs", "only access: %s has one", accessCephFS)
	case (access == accessRGW) != (e.Store != nil):
		bad("existing.store", "the URLs of gateways belong to access: %s, and to no other", accessRGW)
	case e.Store != nil && e.Store.Media+e.Store.Protection+e.Store.Text != "":
		bad("existing.store", "set media and text next to it; the pool determines the protection")
	case e.Store != nil:
		for _, f := range (s3.Kind{}).Validate(e.Store.With(noKeys)) {
			bad("existing.store."+f.Path, "%s", f.Text)
		}
	}
}

// noKeys stands for the keys of a user that is made later.
func noKeys() (access, secret string, err error) { return "", "", errors.New("there are no keys yet") }

// ownUser reports whether the run makes the user whose buckets volumes are.
func (e *ExistingCluster) ownUser() bool { return e.Store != nil && !e.Store.KeysGiven() }

// MarshalJSON leaves out parameters that apply only to a cluster of our own, since in
// results they would describe the existing one.
func (p *Parameters) MarshalJSON() ([]byte, error) {
	type plain Parameters
	if p.Existing == nil {
		return json.Marshal((*plain)(p))
	}
	return json.Marshal(struct {
		Existing   *ExistingCluster `json:"existing"`
		Access     string           `json:"access"`
		FileSystem string           `json:"filesystem,omitempty"`
		ImageSize  unit.Bytes       `json:"image_size,omitempty"`
	}{p.Existing, p.Access, p.FileSystem, p.ImageSize})
}

// Asks names the servers of an existing cluster.
func (Kind) Asks(parameters any) string {
	p, ok := parameters.(*Parameters)
	if !ok || p.Existing == nil {
		return ""
	}
	text := "the cluster of " + p.Existing.Conf + " with the key from the file " + p.Existing.Keyring
	if p.Existing.Store != nil {
		text += ", " + s3.Kind{}.Asks(p.Existing.Store)
	}
	return text
}

// usableExisting returns the reason why no run can begin on the cluster.
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
	if _, err = p.Existing.inspect(ctx, c); err != nil || p.Access != accessRGW || p.Existing.ownUser() {
		return err
	}
	return s3.Kind{}.Usable(p.Existing.Store)
}

// reach finds the way to the cluster. Of its configuration only the monitors are used: the
// rest may name files and programs of this machine.
func (e *ExistingCluster) reach() (cluster, error) {
	text, err := untrusted.Filled(e.Conf)
	if err != nil {
		return cluster{}, fmt.Errorf("existing.conf: %w; copy the cluster's ceph.conf here, or name another", err)
	}
	monitors := monitorsIn(text)
	if !addresses.MatchString(monitors) {
		return cluster{}, fmt.Errorf("existing.conf: %s has no `mon host` with the addresses of monitors in its section [global]; `ceph config generate-minimal-conf` on a node of the cluster writes one", e.Conf)
	}
	keys, err := untrusted.Secret(e.Keyring)
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
		command: here, patience: 30 * time.Second,
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

// Lends implements storage.Lender. Buckets are of the class of object stores.
func (Kind) Lends() []journal.Kind { return []journal.Kind{imageKind, subvolumeKind, userKind} }

// ByHand implements storage.Lender.
func (Kind) ByHand(o journal.Object) string { return "on a node of the cluster, `" + removal(o) + "`" }

// Lent implements storage.Lender.
func (Kind) Lent(parameters any, o journal.Object) bool {
	p, ok := parameters.(*Parameters)
	if !ok || p.Existing == nil {
		return false
	}
	e := p.Existing
	switch o.Kind {
	case imageKind:
		return p.onImages() && o.Path == e.Conf && strings.HasPrefix(o.Name, e.Pool+"/")
	case subvolumeKind:
		return p.Access == accessCephFS && o.Path == e.Conf && strings.HasPrefix(o.Name, e.FS+"/")
	case userKind:
		return e.ownUser() && o.Path == e.Conf
	case s3.BucketKind:
		return p.Access == accessRGW && s3.Kind{}.Lent(e.Store, o)
	}
	return false
}

// GiveBack implements storage.Lender: a run's objects in the cluster are removed.
func (Kind) GiveBack(ctx context.Context, parameters any, run string, o journal.Object) (found bool, err error) {
	e := parameters.(*Parameters).Existing
	if o.Kind == s3.BucketKind && !e.ownUser() {
		return s3.Kind{}.GiveBack(ctx, e.Store, run, o)
	}
	_, name, inside := strings.Cut(o.Name, "/")
	if !inside {
		name = o.Name
	}
	if o.Kind != s3.BucketKind && !strings.HasPrefix(name, journal.Name(run)+".") {
		return false, fmt.Errorf("remove %s: %w: it does not carry the run's name", o, errNotOurs)
	}
	c, err := e.reach()
	if err != nil {
		return false, err
	}
	if _, err := c.look(ctx); err != nil { // so that a cluster that is not reached is none without the volume
		return false, e.explained(err)
	}
	if o.Kind == s3.BucketKind {
		return e.giveBackBucket(ctx, c, run, o)
	}
	found, err = c.removeLent(ctx, o, run)
	return found, e.explained(err)
}

// explained adds the remedy to the message of a Ceph program.
func (e *ExistingCluster) explained(err error) error {
	failed, ok := errors.AsType[*commandError](err)
	if !ok {
		return err
	}
	notPermitted := fmt.Sprintf("client.%[1]s may not do this: `ceph auth caps client.%[1]s %[2]s` on a node of the cluster gives it what a run needs", e.user(), e.needs())
	for _, c := range []struct{ says, advice string }{
		{"ermission denied", fmt.Sprintf("the cluster does not accept the key of client.%[1]s in existing.keyring, or that user may not do this: on a node of the cluster, `ceph auth get client.%[1]s` prints the key, and `ceph auth caps client.%[1]s %[2]s` gives it what a run needs", e.user(), e.needs())},
		{"ccess denied", notPermitted},
		{"peration not permitted", notPermitted},
		{"imed out", fmt.Sprintf("no monitor of existing.conf (%s) answers: see whether this machine reaches them, and `ceph quorum_status` on a node of the cluster", e.Conf)},
		{"onnecting to the cluster", fmt.Sprintf("the monitors of existing.conf (%s) do not let us in", e.Conf)},
		{"uota exceeded", e.full()},
		{"o space left", e.full()},
		{"no valid command", "the cluster does not know this command: subvolumes, whose metadata have the mark of their run, need Ceph 16.2.8 or later (`ceph versions` on a node of the cluster)"},
	} {
		if strings.Contains(failed.said, c.says) {
			return fmt.Errorf("%s: %w", c.advice, err)
		}
	}
	if errors.Is(err, errNoEnd) {
		return fmt.Errorf("the cluster did not do what it was asked for: `ceph health detail` on a node of the cluster says what keeps it; try again afterwards: %w", err)
	}
	return err
}

// full is what to do where no more can be written.
func (e *ExistingCluster) full() string {
	if e.FS == "" {
		return full(e.Pool)
	}
	return fmt.Sprintf("file system %s takes no more: free some space (`ceph df detail` and `ceph health detail` on a node of the cluster say what is short), or name another file system", e.FS)
}

// needs are the user's required capabilities, in the form of `ceph auth caps`.
func (e *ExistingCluster) needs() string {
	switch {
	case e.FS != "":
		return fmt.Sprintf("mon 'allow r' mgr 'allow module volumes rw' mds 'allow rw fsname=%[1]s' osd 'allow rw tag cephfs data=%[1]s'", e.FS)
	case e.ownUser():
		return "mon 'allow r' osd 'allow rwx tag rgw *=*'"
	case e.Store != nil:
		return "mon 'allow r'"
	}
	return fmt.Sprintf("mon 'profile rbd' osd 'profile rbd pool=%s'", e.Pool)
}

// full is what to do about a pool that takes no more.
func full(pool string) string {
	return fmt.Sprintf("pool %[1]s is full, and writes to it wait until it is not: free some space (`ceph df detail` and `ceph health detail` say what is short), raise its quota (`ceph osd pool set-quota %[1]s max_bytes N`), or name another pool", pool)
}
