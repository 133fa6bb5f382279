// Package images moves images of machines between stores, as content libraries and imports
// into clusters do: each user moves item after item, over the stages of a transfer (package
// imaged). What was acknowledged must be there afterwards, whole, with its holes, once.
package images

import (
	"context"
	"fmt"

	"plimsoll/internal/app/builtin/imaged"
	"plimsoll/internal/app/builtin/transfer"
	"plimsoll/internal/app/builtin/transfer/content"
	"plimsoll/internal/describe"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/workload"
)

// Name is the workload's key in studies.
const Name = "images"

// Workload implements workload.Workload.
type Workload struct{}

var _ workload.Workload = Workload{}

// Capabilities implements workload.Workload.
func (w Workload) Capabilities() workload.Capabilities {
	return workload.Capabilities{Audit: w.Audit}
}

// Name returns the registry key.
func (Workload) Name() string { return Name }

// Parameters are what a study can set. How many items are moved at once belongs to its load.
type Parameters struct {
	Operation         string     `yaml:"operation" json:"operation" jsonschema:"enum=sync,enum=download,enum=import,enum=export,enum=deploy,description=What is done with each item: the destination fetches it from the source (sync) or downloads it from its URL there (download); a user gives it to the destination (import) or takes it from the source (export); or the source makes a copy of it in its own store (deploy)"`
	Way               string     `yaml:"way" json:"way" jsonschema:"enum=direct,enum=streamed,description=How items move: as they lie in the store and without anything being done to them (direct; a deployment shares blocks or copies in the kernel); or through the stages that the parameters below ask for (streamed)"`
	Items             int        `yaml:"items" json:"items" jsonschema:"minimum=1,maximum=10000,description=How many items there are; each is moved once"`
	Size              unit.Bytes `yaml:"size" json:"size" jsonschema:"description=Size of an item with its holes" bounds:"1B.."`
	Data              float64    `yaml:"data" json:"data" jsonschema:"minimum=0,maximum=100,description=How much of an item is data in percent; the rest is holes"`
	Entropy           float64    `yaml:"entropy" json:"entropy" jsonschema:"minimum=0,maximum=100,description=To how much of its size the data can be compressed in percent"`
	SourceFormat      string     `yaml:"source_format" json:"source_format" jsonschema:"enum=raw,enum=packed,enum=gzip,enum=zstd,description=How items lie in the source: raw with holes; as a list of extents that have data (packed); or the list compressed"`
	DestinationFormat string     `yaml:"destination_format" json:"destination_format" jsonschema:"enum=raw,enum=packed,enum=gzip,enum=zstd,description=How they lie in the destination"`
	Compression       string     `yaml:"compression" json:"compression" jsonschema:"enum=none,enum=gzip,enum=zstd,description=How they are compressed on the way; what is compressed so in a store is sent or kept as it is"`
	Checksum          string     `yaml:"checksum" json:"checksum" jsonschema:"enum=none,enum=md5,enum=sha256,description=What both ends add up of what goes over the way and compare"`
	TLS               bool       `yaml:"tls" json:"tls" jsonschema:"description=The connection is encrypted"`
	Holes             bool       `yaml:"holes" json:"holes" jsonschema:"description=Holes of raw items stay holes; else they are sent and written as zeros"`
}

// Operations.
const (
	syncing     = "sync"
	downloading = "download"
	importing   = "import"
	exporting   = "export"
	deploying   = "deploy"
)

// Ways.
const (
	direct   = "direct"
	streamed = "streamed"
)

func defaults() *Parameters {
	return &Parameters{
		Operation: syncing, Way: streamed, Items: 4, Size: 256 << 20, Data: 72, Entropy: 50,
		SourceFormat: transfer.Raw, DestinationFormat: transfer.Raw, Compression: transfer.Gzip, Checksum: transfer.MD5, TLS: true, Holes: true,
	}
}

// Defaults returns fresh parameters: items that are copied between two stores and compress
// to 36 %, as the published item does.
func (Workload) Defaults() workload.Parameters { return defaults() }

// Validate reports every impossible value. The number of items is bounded because a service lists
// all their names in one answer.
func (p *Parameters) Validate() []describe.Problem {
	wrong := describe.Bounds(p)
	if p.Way == direct && p.Operation == deploying && p.SourceFormat != transfer.Raw {
		wrong.Add("source_format", "must be %s, got %q: a direct deployment changes nothing of an item", transfer.Raw, p.SourceFormat)
	}
	if p.Operation == downloading && p.SourceFormat == transfer.Raw {
		wrong.Add("source_format", "must be %s, %s or %s, got %q: a URL gives a file as it is, without holes", transfer.Packed, transfer.Gzip, transfer.Zstd, p.SourceFormat)
	}
	return wrong
}

// none is no compression on the way.
const none = "none"

// shape is how items lie and move. Parameters that do nothing are as if they were not set.
type shape struct {
	source, destination string // formats at rest
	way                 imaged.Way
}

func (p *Parameters) shape() shape {
	s := shape{p.SourceFormat, p.DestinationFormat, imaged.Way{Format: p.Compression, Checksum: p.Checksum, TLS: p.TLS, Holes: p.Holes}}
	if p.Compression == none {
		s.way.Format = transfer.Packed
	}
	if p.Operation == importing {
		s.source = transfer.Packed // as a user makes them up
	}
	if p.Way == direct {
		s.destination = s.source
		s.way = imaged.Way{Format: transfer.OnTheWay(s.source), Checksum: transfer.NoChecksum, Holes: p.Holes}
	}
	if p.Operation == downloading {
		s.way.Format = s.source
	}
	if p.Operation == deploying { // nothing goes over a connection
		s.way.TLS, s.way.Format = false, transfer.OnTheWay(s.source)
	}
	s.way.Holes = p.Holes || p.Operation == importing || p.SourceFormat != transfer.Raw
	return s
}

// unused lists the keys that have no effect given the others, in order.
func (p *Parameters) unused() (keys []string) {
	isDirect, deploys, asItIs := p.Way == direct, p.Operation == deploying, p.Operation == downloading
	if isDirect {
		keys = append(keys, "checksum")
	}
	if isDirect || deploys || asItIs {
		keys = append(keys, "compression")
	}
	if isDirect {
		keys = append(keys, "destination_format")
	}
	if p.Operation == importing || p.SourceFormat != transfer.Raw {
		keys = append(keys, "holes")
	}
	if p.Operation == importing {
		keys = append(keys, "source_format")
	}
	if isDirect || deploys {
		keys = append(keys, "tls")
	}
	return keys
}

// item is one of those that there are.
func (p *Parameters) item(seed uint64, n int) content.Item {
	return content.Item{Seed: seed, Number: n, Size: int64(p.Size), Data: p.Data, Entropy: p.Entropy}
}

// Describe counts items, and their sizes with their holes.
func (Workload) Describe(p workload.Parameters) describe.Profile {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	profile := describe.Profile{
		Workload: Name, User: "transfer", Fixed: true, Busy: true, ReadsOnce: true,
		Unit:       describe.Unit{Name: "item", Plural: "items", Throughput: "MB/s", Seconds: 1, Bytes: true},
		Operations: []string{"item"},
		Unused:     own.unused(),
		Hints:      own.hints(),
	}
	if own.Operation != exporting {
		s := own.shape()
		profile.Growth = float64(own.Items) * float64(own.space(s.destination, s.way.Holes))
	}
	return profile
}

// lighter is the format that is decompressed faster than another.
var lighter = map[string]string{transfer.Gzip: transfer.Zstd, transfer.Zstd: transfer.Packed}

// fasterLink is the link of the next experiment if the link is the limit.
const fasterLink = "10gbit"

// hints say what leaves a stage that limits less to do.
func (p *Parameters) hints() (all []describe.Hint) {
	s, parameters := p.shape(), "workload.parameters."
	add := func(parameter, from, to string, stages ...string) {
		for _, name := range stages {
			all = append(all, describe.Hint{Resource: "stage", Role: name, Parameter: parameter, From: from, To: to})
		}
	}
	if s.way.Checksum != transfer.NoChecksum {
		add(parameters+"checksum", s.way.Checksum, transfer.NoChecksum, transfer.Checksum)
	}
	if s.way.TLS {
		add(parameters+"tls", "true", "false", transfer.Encrypt, transfer.Decrypt)
	}
	if p.Way == streamed && p.Operation == downloading && s.destination != s.source && lighter[s.source] != "" {
		add(parameters+"source_format", s.source, lighter[s.source], transfer.Decompress)
	}
	if p.Way == streamed && p.Operation != deploying && p.Operation != downloading && p.Compression != none && len(transfer.Converting(s.source, transfer.Packed)) == 0 {
		add(parameters+"compression", p.Compression, none, transfer.Compress, transfer.Decompress)
	}
	link := "engine.settings.link_rate"
	if len(p.ends()) == 2 {
		link = "stack." + sourceRole + ".settings.link_rate"
	}
	add(link, "", fasterLink, transfer.Send, transfer.Receive)
	return all
}

// space is what an item takes in a format, with or without its holes, in bytes.
func (p *Parameters) space(format string, holes bool) int64 {
	switch it := p.item(0, 0); {
	case format == transfer.Raw && !holes:
		return it.Size
	case format == transfer.Raw || format == transfer.Packed:
		return it.DataBytes()
	default:
		return int64(float64(it.DataBytes()) * min(100, p.Entropy+3) / 100)
	}
}

// Roles of an instance.
const (
	sourceRole      = "source"
	destinationRole = "destination"
)

// Roles are the services at the ends that are not a user's.
func (Workload) Roles(p workload.Parameters) []workload.Role {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		own = defaults()
	}
	var all []workload.Role
	for n, name := range own.ends() {
		all = append(all, workload.Role{Name: name, Kinds: []string{imaged.Kind}, After: own.ends()[:n], Mounts: workload.Data(), Needed: workload.Always})
	}
	return all
}

// ends are the roles of the ends that are not a user's, in the order of the way.
func (p *Parameters) ends() []string {
	switch p.Operation {
	case importing:
		return []string{destinationRole}
	case exporting, deploying:
		return []string{sourceRole}
	}
	return []string{sourceRole, destinationRole}
}

// keeper is the role whose store has the items before, or is empty for them.
func (p *Parameters) keeper() string {
	if p.Operation == importing {
		return destinationRole
	}
	return sourceRole
}

// receiver is the role whose store has what was moved; empty where a user has it.
func (p *Parameters) receiver() string {
	switch p.Operation {
	case exporting:
		return ""
	case deploying:
		return sourceRole
	}
	return destinationRole
}

// contentVersion is raised whenever the same parameters would give other items.
const contentVersion = 1

// Dataset describes the items of the source. Where users bring them it is a mark alone.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || kinds[own.keeper()] != imaged.Kind {
		return workload.Dataset{}
	}
	text := "nothing yet: users bring the items"
	all := workload.Contents{Key: Name + "-" + own.mark(seed), Space: workload.Space{Bytes: 4096}}
	if own.Operation != importing {
		text = fmt.Sprintf("%d items of %s, %s", own.Items, own.Size, own.SourceFormat)
		all.Bytes += int64(own.Items) * own.space(own.SourceFormat, true)
	}
	return workload.Loaded(own.keeper(), text, all)
}

// mark names what was prepared: sessions refuse the store of another.
func (p *Parameters) mark(seed uint64) string {
	if p.Operation == importing {
		return fmt.Sprintf("mark-v%d-empty-s%d", contentVersion, seed)
	}
	as := p.SourceFormat
	if p.publishes() {
		as += "-" + p.Checksum
	}
	return fmt.Sprintf("mark-v%d-%d-of-%d-%d-%d-%s-s%d", contentVersion, p.Items, int64(p.Size), int64(p.Data*100), int64(p.Entropy*100), as, seed)
}

// publishes reports whether the source publishes the digests of its items, as web servers
// do.
func (p *Parameters) publishes() bool {
	return p.Operation == downloading && p.shape().way.Checksum != transfer.NoChecksum
}

// named is an item of the source.
func named(n int) string { return fmt.Sprintf("item-%05d", n) }

// Prepare makes the items in an empty store, and last a mark that they are there.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	at, err := place(t, own.keeper())
	if err != nil {
		return err
	}
	if all, err := at.List(ctx); err != nil {
		return err
	} else if len(all) > 0 {
		return fmt.Errorf("the store is not empty: it has %s and %d more", all[0], len(all)-1)
	}
	for n := range own.prepared() {
		progress(float64(n) / float64(own.Items))
		if err := at.Make(ctx, named(n), own.SourceFormat, own.item(seed, n)); err != nil {
			return err
		}
		if own.publishes() {
			if err := publish(ctx, at, n, own.Checksum); err != nil {
				return err
			}
		}
	}
	progress(0.99)
	if err := at.Make(ctx, own.mark(seed), transfer.Packed, content.Item{Size: 1}); err != nil {
		return err
	}
	progress(1)
	return nil
}

// prepared is how many items are there before users begin.
func (p *Parameters) prepared() int {
	if p.Operation == importing {
		return 0
	}
	return p.Items
}

func place(t workload.Target, role string) (imaged.Place, error) {
	e := t.Endpoint(role)
	if e.Kind != imaged.Kind {
		return imaged.Place{}, fmt.Errorf("nothing of kind %s fills the role %s, but %q", imaged.Kind, role, e.Kind)
	}
	return imaged.PlaceOf(e), nil
}

// Open begins one user.
func (Workload) Open(ctx context.Context, t workload.Target, p workload.Parameters, user int, seed uint64) (workload.Session, error) {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return nil, err
	}
	return open(ctx, t, own, user, seed)
}
