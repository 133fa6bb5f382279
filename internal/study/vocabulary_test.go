package study_test

import (
	"fmt"

	"plimsoll/internal/describe"
	"plimsoll/internal/describe/event"
	"plimsoll/internal/study"
	"plimsoll/internal/text/unit"
)

// shop and its kin stand for the workloads and classes of other packages.
type shop struct {
	Size      unit.Bytes    `yaml:"size,omitempty" json:"size,omitempty" jsonschema:"description=Size of the data"`
	Searches  int           `yaml:"n_searches,omitempty" json:"n_searches,omitempty"`
	NewShare  float64       `yaml:"pct_new" json:"pct_new"`
	Pause     unit.Duration `yaml:"pause,omitempty" json:"pause,omitempty"`
	Reviews   bool          `yaml:"reviews" json:"reviews"`
	Languages []string      `yaml:"languages,omitempty" json:"languages,omitempty"`
}

// tiers is a shop that may have a web server before its database.
type tiers struct {
	Tier string `yaml:"tier" json:"tier"`
}

func (t *tiers) roles() []study.Role {
	all := []study.Role{{Name: "db", Engines: []string{"mariadb", "postgres"}, Mounts: data}}
	if t.Tier == "web" {
		all = append(all, study.Role{Name: "site", Engines: []string{"nginx"}, Mounts: data})
	}
	return all
}

type medium struct {
	Media string      `yaml:"media" json:"media"`
	CPU   float64     `yaml:"cpu,omitempty" json:"cpu,omitempty"`
	Cache *unit.Bytes `yaml:"cache,omitempty" json:"cache,omitempty"`
	RAID  *struct {
		Level int `yaml:"level" json:"level"`
	} `yaml:"raid,omitempty" json:"raid,omitempty"`
	Options map[string]string `yaml:"options,omitempty" json:"options,omitempty"`
}

type folder struct {
	Path string `yaml:"path" json:"path"`
}

func vocabulary() study.Vocabulary {
	return study.Vocabulary{
		Engines: []string{"mariadb", "nginx", "postgres"},
		Workloads: map[string]study.VocabularyEntry{
			"shop": {
				Text:     "A shop.",
				Defaults: func() any { return &shop{Size: 10e6, Searches: 3, NewShare: 20} },
				Validate: func(p any) []describe.Problem {
					if s := p.(*shop); s.NewShare < 0 || s.NewShare > 100 {
						return []describe.Problem{{Path: "pct_new", Text: fmt.Sprintf("%v is not a percentage", s.NewShare)}}
					}
					return nil
				},
				Operations: func(any) []string { return []string{"order", "login", "purchase"} },
				Metrics:    func(any) []describe.Metric { return []describe.Metric{{Name: "awake", Operation: "login"}} },
				Roles: func(any) []study.Role {
					return []study.Role{{Name: "db", Engines: []string{"mariadb", "postgres"}, Mounts: data}}
				},
			},
			"files": {
				Defaults: func() any { return &struct{}{} },
				Roles: func(any) []study.Role {
					return []study.Role{{Name: "db", Engines: []string{"mariadb"}, Mounts: data}}
				},
			},
			"blocks": {
				Defaults: func() any { return &struct{}{} },
				Roles: func(any) []study.Role {
					return []study.Role{{Name: "volume", Volumes: []string{"device"}}}
				},
			},
			"cameras": {
				Defaults: func() any { return &camera{Frames: 10} },
				Validate: func(p any) []describe.Problem {
					if p.(*camera).Frames <= 0 {
						return []describe.Problem{{Path: "frames", Text: "must be above 0"}}
					}
					return nil
				},
				Roles:    func(any) []study.Role { return []study.Role{{Name: "volume", Volumes: []string{"directory"}}} },
				UserRate: func(p any) float64 { return p.(*camera).Frames },
			},
			"tiers": {
				Defaults: func() any { return &tiers{Tier: "database"} },
				Roles:    func(p any) []study.Role { return p.(*tiers).roles() },
			},
			"web": {
				Defaults: func() any { return &struct{}{} },
				Roles: func(any) []study.Role {
					return []study.Role{{Name: "site", Engines: []string{"nginx"}}, {Name: "db", Engines: []string{"mariadb", "postgres"}, Mounts: data}}
				},
			},
		},
		Classes: map[string]study.VocabularyEntry{
			"disk": {
				Defaults: func() any { return &medium{Media: "hdd"} },
				Validate: func(p any) []describe.Problem {
					if m := p.(*medium); m.Media != "hdd" && m.Media != "ssd" {
						return []describe.Problem{{Path: "media", Text: fmt.Sprintf("there are no media %q: hdd or ssd", m.Media)}}
					}
					return nil
				},
				Events:  peerEvents,
				Volumes: directories,
			},
			"directory": {Defaults: func() any { return &folder{Path: "disk"} }, Volumes: directories},
		},
	}
}

// data is what servers keep everything on.
var data = []describe.Mount{{Name: "data", Kinds: []string{"directory"}}}

// directories are what the classes hand out.
func directories(any) []string { return []string{"directory"} }

// camera has users with a rate of their own.
type camera struct {
	Frames float64 `yaml:"frames" json:"frames"`
}

// peerEvents are about peers: two of a hard disk, three of others.
func peerEvents(parameters any) event.Declaration {
	m, _ := parameters.(*medium)
	if m == nil {
		m = &medium{}
	}
	peer := event.Object{Form: event.Numbered, Kind: "peer", Last: map[string]int{"hdd": 2, "ssd": 3}[m.Media]}
	return event.Declaration{Of: "a disk", Verbs: []event.Verb{
		{Name: "kill", Object: peer, Breaks: true},
		{Name: "restart", Object: peer, Undoes: []string{"kill"}},
	}, Order: func(e event.Event, earlier []event.Event) error {
		killed := event.Last(earlier, e.SameObject).Verb.Name == "kill"
		if killed != e.Verb.Repairs() {
			return fmt.Errorf("%s cannot be %sed then", e.Part(), e.Verb.Name)
		}
		return nil
	}}
}

// good is a study with everything in it.
const good = `study: shop-on-disks
title: Shops
workload:
  name: shop
  parameters: {size: 1GB, languages: [en, fr]}
engine:
  name: postgres
  version: 15
  cpu: 0.5
  memory: 5Gi
  settings: {shared_buffers: 128MB, fsync: on}
storage:
  slow:
    class: disk
    media: hdd
    cpu: 4
    otherwise: {name: local, class: directory, path: disk}
  fast:
    class: disk
    media: ssd
    raid: {level: 6}
matrix:
  storage: [slow, fast]
  engine.cpu: [1, 2]
  storage.slow.cpu: [4, 16]
  exclude:
    - {storage: fast, engine.cpu: 2}
ladder: [1, 2, 8]
repetitions: 3
phases: {warmup: 2m, measure: 5m}
load: {users: 8, think_time: 10ms}
objectives: [p95 <= 200ms, errors <= 0.1%, purchase p99 <= 2s]
prices:
  currency: USD
  years: 3
  items:
    - {name: servers, kind: server, quantity: 6, price: 23735}
    - {name: drives, kind: drive, quantity: 15, price: 1536, capacity: 1.92TB, for: {storage: fast}}
telemetry: {interval: 10s}
faults:
  - {at: 60s, do: kill peer 2}
seed: 7
profiles:
  laptop:
    reduced: true
    workload: {parameters: {size: 10MB}}
    storage:
      fast: {class: directory, path: memory}
    matrix: {storage.slow.cpu: null}
    ladder: {auto: {to: 16}}
    prices: null
    faults: null
`
