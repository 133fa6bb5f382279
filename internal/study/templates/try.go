package templates

import "cmp"

// FirstAnswer holds the data for a first answer about a directory.
type FirstAnswer struct {
	Path   string // of the directory, absolute
	Runs   string // the directory below it that may be written to
	Engine string // that is installed; empty leaves databases out
	Medium Medium // that the directory lies on
	Limit  string // a time, or an objective; empty for one that suits the medium
	// Analytics adds queries of DuckDB, which is downloaded where the cache lacks it.
	Analytics bool
}

// Medium is a kind of storage, by what an I/O of 4 KiB takes on it.
type Medium int

// The media that are told apart.
const (
	Virtual  Medium = iota // a hypervisor's disk on an unknown medium
	InMemory               // where there is no direct I/O
	Flash
	Rotating
	Remote // behind a network, or a program in user space
)

// blockLimits are what 95 % of I/Os of 4 KiB keep on a medium in order, with a few users.
var blockLimits = map[Medium]string{InMemory: "1ms", Flash: "5ms", Virtual: "10ms", Remote: "20ms", Rotating: "30ms"}

// DatabaseLimit is what 95 % of the orders of a database are to keep where nobody says.
const DatabaseLimit = "200ms"

// BlockObjective is what I/Os of 4 KiB are to keep.
func (f FirstAnswer) BlockObjective() string {
	return objective(cmp.Or(f.Limit, blockLimits[f.Medium]))
}

// Databases are the engines that a first answer can be given with, the preferred one
// first.
func Databases() []string { return []string{"postgres", "mariadb"} }

// Part is one study of a first answer.
type Part struct {
	Name  string // of the study
	Title string // while it runs
	Text  []byte
	Fetch bool // its engine may be downloaded
	// Further is a setting, PATH=VALUE, that makes more than a first answer of it.
	Further string
}

var partTitles = map[string]string{"try-blocks": "blocks", "try-stream": "large blocks", "try-files": "large files", "try-database": "small databases", analytics: "analytical queries"}

// analytics is the only study whose engine need not be installed.
const analytics = "try-analytics"

// Parts writes the studies, in the order in which they are to run.
func (f FirstAnswer) Parts() []Part {
	data := map[string]any{
		"Path": f.Path, "Runs": f.Runs, "Storage": storageName(f.Path), "BlockObjective": f.BlockObjective(), "Objective": objective(cmp.Or(f.Limit, DatabaseLimit)),
		"Engine": f.Engine, "EngineTitle": map[string]string{"postgres": "PostgreSQL", "mariadb": "MariaDB"}[f.Engine], "Mode": "direct",
	}
	if f.Medium == InMemory {
		data["Mode"] = "buffered"
	}
	names := []string{"try-blocks", "try-stream", "try-files"}
	if f.Engine != "" {
		names = append(names, "try-database")
	}
	if f.Analytics {
		names = append(names, analytics)
	}
	var all []Part
	for _, name := range names {
		all = append(all, Part{Name: name, Title: partTitles[name], Text: write(name, data), Fetch: name == analytics, Further: further(name)})
	}
	return all
}

func further(name string) string {
	if name == analytics {
		return "workload.parameters.scale_factor=1" // it ends when its queries are answered
	}
	return "phases.measure=1m"
}
