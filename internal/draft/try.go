package draft

// First is what a first answer for a directory is made of.
type First struct {
	Path   string // of the directory, absolute
	Runs   string // the directory below it that may be written to
	Engine string // that is installed; empty leaves databases out
	Memory bool   // the directory is in memory, where there is no direct I/O
	Limit  string // a time, or an objective
}

// Databases are the engines that a first answer can be given with, the preferred one
// first.
func Databases() []string { return []string{"postgres", "mariadb"} }

// Part is one study of a first answer.
type Part struct {
	Name  string // of the study
	Title string // while it runs
	Text  []byte
}

var partTitles = map[string]string{"try-blocks": "blocks", "try-files": "large files", "try-database": "small databases"}

// Parts writes the studies, in the order in which they are to run.
func (f First) Parts() []Part {
	data := map[string]any{
		"Path": f.Path, "Runs": f.Runs, "Storage": storageName(f.Path), "Objective": objective(f.Limit),
		"Engine": f.Engine, "EngineTitle": map[string]string{"postgres": "PostgreSQL", "mariadb": "MariaDB"}[f.Engine], "Mode": "direct",
	}
	if f.Memory {
		data["Mode"] = "buffered"
	}
	names := []string{"try-blocks", "try-files"}
	if f.Engine != "" {
		names = append(names, "try-database")
	}
	var all []Part
	for _, name := range names {
		all = append(all, Part{Name: name, Title: partTitles[name], Text: write(name, data)})
	}
	return all
}
