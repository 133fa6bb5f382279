package prometheus

import (
	"embed"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/result"
)

// Parameters say which Prometheus to ask and for what.
type Parameters struct {
	URL       string `yaml:"url" json:"url" jsonschema:"description=Where it answers: http://prometheus.monitoring:9090"`
	TokenFile string `yaml:"token_file,omitempty" json:"token_file,omitempty" jsonschema:"description=File with a bearer token for it"`
	// Exporters name lists of series that come with Plimsoll.
	Exporters []string `yaml:"exporters,omitempty" json:"exporters,omitempty" jsonschema:"description=Built-in lists of series by exporter: node for node-exporter; docs/telemetry.md lists them all"`
	Series    []Series `yaml:"series,omitempty" json:"series,omitempty" jsonschema:"description=Further series"`
	// Machines are patterns of names; the platform's own machines are taken always.
	Machines []string `yaml:"machines,omitempty" json:"machines,omitempty" jsonschema:"description=Patterns of the names of the machines to take, such as ceph-*; without it all"`
	Role     string   `yaml:"role,omitempty" json:"role,omitempty" jsonschema:"description=What machines are there for that are none of the platform's own (default storage),enum=application,enum=storage,enum=driver"`
	Step     Seconds  `yaml:"step,omitempty" json:"step,omitempty" jsonschema:"description=Seconds between two values (default 15)"`
	Window   Seconds  `yaml:"window,omitempty" json:"window,omitempty" jsonschema:"description=Seconds that a rate is taken over (default 60); queries write it as $window. At least twice the interval at which Prometheus scrapes"`
}

// Seconds is a time.
type Seconds float64

// duration gives the time, or the usual one where there is none.
func (s Seconds) duration(usual time.Duration) time.Duration {
	if s == 0 {
		return usual
	}
	return time.Duration(float64(s) * float64(time.Second))
}

// Series describes one query and the values that it gives.
type Series struct {
	Name  string `yaml:"name" json:"name" jsonschema:"description=What it is called in reports"`
	Query string `yaml:"query" json:"query" jsonschema:"description=In PromQL"`
	Unit  string `yaml:"unit,omitempty" json:"unit,omitempty" jsonschema:"description=Of the values: 1; s; B; B/s; IO/s; 1/s; cores"`
	// Capacity makes it a resource that can be the bottleneck.
	Capacity float64 `yaml:"capacity,omitempty" json:"capacity,omitempty" jsonschema:"description=Value at which it is used up: it can then be the bottleneck"`
	Machine  string  `yaml:"machine,omitempty" json:"machine,omitempty" jsonschema:"description=Label that names the machine (default instance)"`
	Item     string  `yaml:"item,omitempty" json:"item,omitempty" jsonschema:"description=Label that tells several of one machine apart: device"`
	Role     string  `yaml:"role,omitempty" json:"role,omitempty" jsonschema:"description=What its machines are there for,enum=application,enum=storage,enum=driver"`
	// As makes it one of the quantities that Plimsoll samples itself.
	As string `yaml:"as,omitempty" json:"as,omitempty" jsonschema:"description=Kind and metric of Plimsoll's own telemetry that it stands for: device/utilisation"`
}

// Kinds of quantities that only tell how large a machine is.
const (
	coresOfMachine  = "host/cores"
	memoryOfMachine = "host/memory"
)

//go:embed exporters
var exporters embed.FS

// Exporters lists the built-in lists of series.
func Exporters() []string {
	entries, err := exporters.ReadDir("exporters")
	if err != nil {
		panic(err) // it is part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// ofExporter reads a built-in list.
func ofExporter(name string) ([]Series, error) {
	text, err := exporters.ReadFile(path.Join("exporters", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("there is no list of series for the exporter %q; there are %s", name, strings.Join(Exporters(), ", "))
	}
	var list []Series
	if err := yaml.UnmarshalWithOptions(text, &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read the series of the exporter %s: %w", name, err)
	}
	return list, nil
}

// series are all that are asked for.
func (p Parameters) series() (all []Series) {
	for _, name := range p.Exporters {
		list, _ := ofExporter(name) // Problems has reported the error
		all = append(all, list...)
	}
	return append(all, p.Series...)
}

// Problems lists the faults of parameters.
func (p Parameters) Problems() (all describe.Problems) {
	add := all.Add
	u, err := url.Parse(p.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		add("url", "it must be an address such as http://prometheus.monitoring:9090")
	case u.User != nil:
		add("url", "it holds credentials, which would be in the results: put a token into a file, and name that as token_file")
	case p.TokenFile != "" && u.Scheme == "http" && !endpoint.OnLoopback(u.Hostname()):
		add("url", "a token is sent as it is, which anybody in between could read: use https, or forward the port to this machine")
	}
	for _, name := range p.Exporters {
		if _, err := ofExporter(name); err != nil {
			add("exporters", "%v", err)
		}
	}
	for _, pattern := range p.Machines {
		if _, err := path.Match(pattern, ""); err != nil {
			add("machines", "%q is no pattern", pattern)
		}
	}
	if p.Step < 0 || p.Step > 0 && p.Step < 1 || p.Step > 3600 {
		add("step", "it must be from 1 to 3600 seconds")
	}
	if p.Window < 0 || p.Window > 0 && p.Window < 1 || p.Window > 86400 {
		add("window", "it must be from 1 to 86400 seconds")
	}
	role := func(field, role string) {
		if !slices.Contains([]string{"", result.ApplicationRole, result.StorageRole, result.DriverRole}, role) {
			add(field, "%q is no role; use application, storage or driver", role)
		}
	}
	role("role", p.Role)
	for i, s := range p.Series {
		field := fmt.Sprintf("series[%d]", i)
		role(field+".role", s.Role)
		for _, problem := range s.problems() {
			add(field+"."+problem.Path, "%s", problem.Text)
		}
	}
	if len(p.Exporters)+len(p.Series) == 0 {
		add("series", "nothing is asked for: list series or exporters (%s)", strings.Join(Exporters(), ", "))
	}
	return all
}

func (s Series) problems() (all describe.Problems) {
	if s.Query == "" {
		all.Add("query", "it is empty")
	}
	if s.Name == "" && s.As == "" {
		all.Add("name", "it is empty")
	}
	if s.Capacity < 0 {
		all.Add("capacity", "it must not be negative")
	}
	if s.As != "" && s.As != coresOfMachine && s.As != memoryOfMachine && !known(s.As) {
		all.Add("as", "%q is nothing that Plimsoll samples; docs/telemetry.md lists what it does", s.As)
	}
	return all
}

// known reports whether a kind and metric are in the table of telemetry.
func known(as string) bool {
	kind, metric, _ := strings.Cut(as, "/")
	return telemetry.Listed(kind, metric)
}
