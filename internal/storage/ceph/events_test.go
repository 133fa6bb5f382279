package ceph

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/internal/describe/event/eventtest"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/s3"
)

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Parameters)
		field  string // that is refused; empty for none
	}{
		"the defaults":               {func(*Parameters) {}, ""},
		"an erasure code":            {func(p *Parameters) { p.OSDs, p.Erasure = 2, "4+2" }, ""},
		"more copies than OSDs":      {func(p *Parameters) { p.Replicas = 4 }, "replicas"},
		"more chunks than OSDs":      {func(p *Parameters) { p.Erasure = "4+2" }, "erasure"},
		"no erasure code":            {func(p *Parameters) { p.Erasure = "4" }, "erasure"},
		"too little memory":          {func(p *Parameters) { p.Memory = 1 << 20 }, "memory"},
		"a small disk":               {func(p *Parameters) { p.Disk = &disk.Parameters{Media: "ssd-sas", Size: 1 << 30} }, "disk.size"},
		"metadata without data":      {func(p *Parameters) { p.MetadataDisk = small() }, "metadata_disk"},
		"an option":                  {func(p *Parameters) { p.Options = map[string]string{"osd_max_backfills": "8"} }, ""},
		"a file of the machine":      {func(p *Parameters) { p.Options = map[string]string{"log_file": "x"} }, "options"},
		"a path of the machine":      {func(p *Parameters) { p.Options = map[string]string{"chdir": "/etc"} }, "options"},
		"a section in an option":     {func(p *Parameters) { p.Options = map[string]string{"osd_max_backfills": "8\n[global]"} }, "options"},
		"a link without a rate":      {func(p *Parameters) { p.Link = "fast" }, "link"},
		"an existing cluster":        {func(p *Parameters) { p.Existing = theirs() }, ""},
		"buckets without gateways":   {func(p *Parameters) { p.Existing, p.Access = theirs(), accessRGW }, "existing.store"},
		"buckets of an existing one": {func(p *Parameters) { p.Existing, p.Access = theirs("http://theirs:7480"), accessRGW }, ""},
		"a gateway that is none":     {func(p *Parameters) { p.Existing, p.Access = theirs("theirs"), accessRGW }, "existing.store.urls"},
		"half the keys of a store": {func(p *Parameters) {
			p.Existing, p.Access = theirs("http://theirs:7480"), accessRGW
			p.Existing.Store.AccessKeyEnv = "KEY"
		}, "existing.store.keys_file"},
		"gateways of images":   {func(p *Parameters) { p.Existing = theirs("http://theirs:7480") }, "existing.store"},
		"files without a name": {func(p *Parameters) { p.Existing, p.Access = theirs(), accessCephFS }, "existing.fs"},
		"files of an existing cluster": {func(p *Parameters) {
			p.Existing, p.Access = theirs(), accessCephFS
			p.Existing.FS, p.Existing.Pool = "files", ""
		}, ""},
		"files and a pool":           {func(p *Parameters) { p.Existing, p.Access = theirs(), accessCephFS; p.Existing.FS = "files" }, "existing.pool"},
		"images in a file system":    {func(p *Parameters) { p.Existing = theirs(); p.Existing.FS = "files" }, "existing.fs"},
		"OSDs of an existing one":    {func(p *Parameters) { p.Existing, p.OSDs = theirs(), 2 }, "existing"},
		"disks of an existing one":   {func(p *Parameters) { p.Existing, p.Disk = theirs(), small() }, "existing"},
		"a keyring by its name":      {func(p *Parameters) { p.Existing = theirs(); p.Existing.Keyring = "keyring" }, "existing.keyring"},
		"no pool":                    {func(p *Parameters) { p.Existing = theirs(); p.Existing.Pool = "" }, "existing.pool"},
		"an option for a pool":       {func(p *Parameters) { p.Existing = theirs(); p.Existing.Pool = "--all" }, "existing.pool"},
		"a client for a user":        {func(p *Parameters) { p.Existing = theirs(); p.Existing.User = "client.x" }, "existing.user"},
		"a sentence for a check":     {func(p *Parameters) { p.Existing = theirs(); p.Existing.Accept = []string{"all is well"} }, "existing.accept"},
		"an access that there isn't": {func(p *Parameters) { p.Access = "tape" }, "access"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Kind{}.Defaults().(*Parameters)
			c.change(p)
			bad := Kind{}.Validate(p)
			if c.field == "" && len(bad) > 0 || c.field != "" && (len(bad) == 0 || bad[0].Path != c.field) {
				t.Errorf("%+v", bad)
			}
		})
	}
}

// theirs is an existing cluster that is nowhere.
func theirs(gateways ...string) *ExistingCluster {
	e := &ExistingCluster{Conf: "/srv/theirs/ceph.conf", Keyring: "/srv/theirs/keyring", Pool: "theirs"}
	if len(gateways) > 0 {
		e.Store = &s3.Parameters{URLs: gateways}
	}
	return e
}

func TestOrderOfEvents(t *testing.T) {
	p := Kind{}.Defaults().(*Parameters)
	p.Disk = small()
	for _, c := range []struct {
		before, action string
		ok             bool
	}{
		{"", "kill peer 3", true},
		{"", "kill peer 4", false},
		{"", "restart osd 1", false},
		{"", "cut power", true},
		{"", "out osd 2", true},
		{"", "in osd 2", false},
		{"out osd 2", "in osd 2", true},
		{"out osd 2, cut power", "in osd 2", true},
		{"kill osd 2", "kill osd 2", false},
		{"kill osd 2", "restart osd 2", true},
		{"kill osd 2, cut power", "restart osd 2", false},
		{"kill peer 2", "kill osd 2", false},
		{"kill peer 2", "restart osd 2", false},
		{"kill peer 2", "restart peer 2", true},
		{"kill osd 2, kill peer 2, restart peer 2", "restart osd 2", false},
		{"cut power peer 1", "restart peer 1", true},
		{"cut link 1", "restore link 1", true},
		{"", "degrade link 1 100mbit", true},
		{"", "stop brick 1", false},
	} {
		var before []string
		if c.before != "" {
			before = strings.Split(c.before, ", ")
		}
		if err := eventtest.Check(Kind{}.Events(p), c.action, before); (err == nil) != c.ok {
			t.Errorf("%s after %q: %v", c.action, c.before, err)
		}
	}
	p.Disk, p.Existing = nil, theirs()
	if eventtest.Check(Kind{}.Events(p), "kill osd 1", nil) == nil {
		t.Error("an OSD of an existing cluster can be killed")
	}
	p.Existing = nil
	if eventtest.Check(Kind{}.Events(p), "cut power", nil) == nil {
		t.Error("the power of directories can be cut")
	}
}

// Each kind of disk is relieved by a faster medium of its own; for OSDs, more memory or a
// separate medium for metadata helps too.
func TestHintsOfDisks(t *testing.T) {
	hints := func(metadata *disk.Parameters) string {
		var all []string
		p := &Pool{clients: &clients{p: &Parameters{Memory: 1 << 30, MetadataDisk: metadata}}}
		for _, h := range p.diskHints(disk.Faster("hdd-7200")) {
			all = append(all, fmt.Sprintf("%s %s %s %s %t", h.Role, h.Parameter, h.From, h.To, h.Beside))
		}
		return strings.Join(all, "; ")
	}
	none := "osd disk.media hdd-7200 ssd-sas false; osd memory 1GiB 2GiB true; osd metadata_disk.media none ssd-sas true"
	for want, metadata := range map[string]*disk.Parameters{
		none: {Media: "none"},
		"osd disk.media hdd-7200 ssd-sas false; osd memory 1GiB 2GiB true; metadata metadata_disk.media ssd-sas nvme false": {Media: "ssd-sas"},
	} {
		if got := hints(metadata); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := hints(nil); got != none {
		t.Errorf("without a metadata disk: %s", got)
	}
}
