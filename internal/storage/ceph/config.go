package ceph

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/peers"
)

// conf is the configuration that every program of the cluster reads.
func (p *Pool) conf() string { return p.file("ceph.conf") }

// keyring has the keys of all daemons and of the administrator.
func (p *Pool) keyring() string { return p.file("keyring") }

// osdData is the directory of an OSD, counted from 1, on its disk.
func (p *Pool) osdData(n int) string {
	return filepath.Join(p.node(n).Disks[p.p.diskOf(n)].Path, "osd")
}

func (p *Pool) node(osd int) *peers.Peer { return p.machines.Peer(p.p.nodeOf(osd)) }

// osdName is as Ceph has it, which counts OSDs from 0.
func osdName(n int) string { return fmt.Sprintf("osd.%d", n-1) }

// writeFiles writes the configuration and the keys.
func (p *Pool) writeFiles() error {
	text, err := p.configuration()
	if err != nil {
		return err
	}
	if err := safefile.Write(p.conf(), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the configuration of the cluster: %w", err)
	}
	if err := safefile.Write(p.keyring(), []byte(p.keys()), 0o600); err != nil {
		return fmt.Errorf("write the keys of the cluster: %w", err)
	}
	return nil
}

// fixed are settings of every cluster. Times that the defaults stretch to spare hard disks
// with other users (recovery sleeps), and notices that are no news here, are off.
const fixed = `auth cluster required = cephx
auth service required = cephx
auth client required = cephx
log to stderr = false
err to stderr = true
pid file =
admin socket =
mon allow pool delete = true
mon allow pool size one = true
mon data avail warn = 3
mon data avail crit = 1
mon warn on insecure global id reclaim = false
mon warn on insecure global id reclaim allowed = false
mon warn on pool no redundancy = false
mon max pg per osd = 1000
osd pool default pg autoscale mode = off
osd objectstore = bluestore
osd recovery sleep = 0
osd recovery sleep hdd = 0
osd recovery sleep ssd = 0
osd heartbeat grace = 6
mon osd min down reporters = 1
mon osd reporter subtree level = osd
osd heartbeat interval = 2
osd client watch timeout = 10
mds reconnect timeout = 5
mgr stats period = 1
bluestore block create = true
bluestore block wal create = false
`

func (p *Pool) configuration() (string, error) {
	var b strings.Builder
	set := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s = %s\n", name, fmt.Sprintf(format, args...))
	}
	control := p.machines.Client().Address
	domain := map[string]int{"osd": 0, "host": 1}[p.p.apart()]
	b.WriteString("[global]\n" + fixed)
	set("fsid", "%s", p.fsid)
	set("mon host", "[v2:%[1]s:3300,v1:%[1]s:6789]", control)
	set("public addr", "%s", control)
	set("keyring", "%s", p.keyring())
	set("run dir", "%s", p.file("run"))
	set("crash dir", "%s", p.file("log"))
	set("log file", "%s", p.file("log", "$name.log"))
	set("mon cluster log file", "%s", p.file("log", "cluster.log"))
	set("mon data", "%s", p.file("mon"))
	set("mgr data", "%s", p.file("mgr"))
	set("mds data", "%s", p.file("mds"))
	set("mds cache memory limit", "%d", tablesMemory)
	set("osd crush chooseleaf type", "%d", domain)
	set("osd pool default size", "%d", p.p.Replicas)
	set("osd pool default min size", "%d", max(1, p.p.Replicas-1))
	set("osd pool default pg num", "%d", p.p.placementGroups())
	set("osd pool default pgp num", "%d", p.p.placementGroups())
	// A socket's path must be short. The metadata server's is relative to its working
	// directory.
	b.WriteString("\n[mds]\nadmin socket = $name.asok\n")
	for n, name := range p.p.gatewayNames() {
		fmt.Fprintf(&b, "\n[%s]\n", name)
		set("rgw frontends", "beast endpoint=%s:%d", control, firstPort+n)
		set("rgw data", "%s", p.file("run"))
	}
	b.WriteString("\n[osd]\nadmin socket = /run/$name.asok\n")
	set("osd memory target", "%d", p.p.Memory)
	for _, name := range slices.Sorted(maps.Keys(p.p.Options)) {
		set(strings.ReplaceAll(name, "_", " "), "%s", p.p.Options[name])
	}
	for n := 1; n <= p.p.all(); n++ {
		if err := p.configureOSD(n, &b, set); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (p *Pool) configureOSD(n int, b *strings.Builder, set func(name, format string, args ...any)) error {
	r := p.node(n)
	fmt.Fprintf(b, "\n[%s]\n", osdName(n))
	set("host", "node%d", r.Number)
	set("public addr", "%s", r.Host.Address)
	set("cluster addr", "%s", r.Host.Address)
	set("crush location", "root=default host=node%d", r.Number)
	set("osd data", "%s", p.osdData(n))
	size, err := p.blockSize(r.Disks[p.p.diskOf(n)].Path)
	if err != nil {
		return err
	}
	set("bluestore block size", "%d", size)
	if p.p.Disk != nil {
		set("bluestore block preallocate file", "true")
	}
	if p.p.metadataDisk() == nil {
		set("bluestore block db create", "false")
		return nil
	}
	at := r.Disks[p.p.OSDs].Path
	all, err := free(at)
	if err != nil {
		return err
	}
	set("bluestore block db create", "true")
	set("bluestore block db path", "%s", filepath.Join(at, osdName(n)+".db"))
	set("bluestore block db size", "%d", int64(float64(all)*share)/int64(p.p.OSDs)>>20<<20)
	return nil
}

// directorySize is the size of an OSD with its data in a file of the machine. The file
// grows as it is written; a disk that is smaller has less.
const directorySize = 32 << 30

// blockSize is how large the OSD on a disk is to be, in whole MiB.
func (p *Pool) blockSize(disk string) (int64, error) {
	all, err := free(disk)
	if err != nil {
		return 0, err
	}
	size := int64(float64(all) * share)
	if p.p.Disk == nil {
		size = min(directorySize, size/int64(p.p.all()))
	}
	return size >> 20 << 20, nil
}

func free(path string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, fmt.Errorf("look for the space of an OSD: %w", err)
	}
	return int64(st.Bavail) * st.Bsize, nil
}

// keys lists the keys of a new cluster with their capabilities.
func (p *Pool) keys() string {
	var b strings.Builder
	add := func(name string, may ...string) {
		fmt.Fprintf(&b, "[%s]\n\tkey = %s\n", name, newKey())
		for _, m := range may {
			what, how, _ := strings.Cut(m, " ")
			fmt.Fprintf(&b, "\tcaps %s = %q\n", what, how)
		}
	}
	add("mon.", "mon allow *")
	add("client.admin", "mon allow *", "mgr allow *", "osd allow *", "mds allow *")
	add("mgr.x", "mon allow profile mgr", "osd allow *", "mds allow *")
	add("mds.a", "mon allow profile mds", "mgr allow profile mds", "osd allow *", "mds allow *")
	for _, name := range p.p.gatewayNames() {
		add(name, "mon allow rw", "mgr allow rw", "osd allow rwx")
	}
	for n := 1; n <= p.p.all(); n++ {
		add(osdName(n), "mon allow profile osd", "mgr allow profile osd", "osd allow *")
	}
	return b.String()
}

// newKey is a secret as cephx has it: its type (1, AES), when it was made in seconds and
// nanoseconds, its length and 16 random bytes.
func newKey() string {
	secret := make([]byte, 28)
	binary.LittleEndian.PutUint16(secret[0:], 1)
	binary.LittleEndian.PutUint32(secret[2:], uint32(time.Now().Unix()))
	binary.LittleEndian.PutUint16(secret[10:], 16)
	_, _ = rand.Read(secret[12:]) // never fails
	return base64.StdEncoding.EncodeToString(secret)
}

// newID is a random identifier (RFC 9562, version 4).
func newID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
