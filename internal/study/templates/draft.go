// Package templates writes study files for people who have none yet: a commented one from
// the answers to five questions (plimsoll study new), and those that give a first
// answer for a directory (plimsoll try). It takes answers as text, checks each, and
// gives YAML; nothing here runs.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"plimsoll/internal/text/unit"
)

//go:embed files
var files embed.FS

// functions are available in the templates.
var functions = template.FuncMap{"quote": strconv.Quote}

var templates = template.Must(template.New("").Funcs(functions).ParseFS(files, "files/*.yaml"))

func write(name string, data any) []byte {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, name+".yaml", data); err != nil {
		panic(fmt.Sprintf("draft: template %s: %v", name, err)) // the templates are constant and tested
	}
	return text.Bytes()
}

// An Application is something that a study can be drafted for.
type Application struct {
	Name string
	Text string // one line for people
	// Counted are those that a rung counts, in the plural.
	Counted string
	Most    int      // the default of how many are tried
	Limit   string   // the default limit of the response time
	With    string   // what each of those counted has of its own
	OfUsers bool     // users of one volume are counted, rather than instances
	Further []string // objectives besides the answer's
}

// Applications are all that there are.
func Applications() []Application {
	return []Application{
		{Name: "postgres", Text: "PostgreSQL databases of web shops", Counted: "databases", With: "a volume", Most: 16, Limit: "200ms"},
		{Name: "mariadb", Text: "MariaDB databases of web shops", Counted: "databases", With: "a volume", Most: 16, Limit: "200ms"},
		{Name: "shop", Text: "web shops: nginx, PHP and PostgreSQL each", Counted: "shops", With: "a volume", Most: 8, Limit: "1s"},
		{Name: "blocks", Text: "virtual machines, or whatever reads and writes blocks at random", Counted: "volumes", With: "reads and writes", Most: 16, Limit: "20ms"},
		{Name: "files", Text: "large files, written from beginning to end", Counted: "writers", Most: 16, Limit: "500ms", OfUsers: true},
		{Name: "smallfiles", Text: "many small files: created, read, listed, deleted", Counted: "workers", Most: 16, Limit: "100ms", OfUsers: true},
		{Name: "desktops", Text: "virtual desktops: sessions that boot, log in and work with documents", Counted: "sessions", Most: 64, Limit: "1s", OfUsers: true},
		{Name: "video", Text: "video streams that are recorded at a fixed rate", Counted: "streams", Most: 64, Limit: "100ms", OfUsers: true, Further: []string{"rate >= 99%"}},
	}
}

func application(name string) (Application, bool) {
	for _, a := range Applications() {
		if a.Name == name {
			return a, true
		}
	}
	return Application{}, false
}

// Study writes the study that the answers describe; they must have been checked.
func (a Answers) Study() []byte {
	app, _ := application(a.Application)
	most, _ := strconv.Atoi(a.Instances)
	name := storageName(a.Storage)
	amount, currency, _ := price(a.Price)
	return write("study", map[string]any{
		"App": app, "Name": app.Name + "-on-" + name, "Storage": name, "Path": a.Storage,
		"Most": most, "Objective": objective(a.Limit), "Limit": a.Limit,
		"Amount": amount, "Currency": currency,
	})
}

// storageName makes the name of a storage of its path.
func storageName(path string) string {
	const longest = 24
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(filepath.Base(path)))
	if name = strings.Trim(name[:min(len(name), longest)], "-"); name == "" {
		return "storage"
	}
	return name
}

// objective is a limit as a study has it: an answer that is only a time is one of p95.
func objective(limit string) string {
	var d unit.Duration
	if d.UnmarshalText([]byte(limit)) == nil {
		return "p95 <= " + limit
	}
	return limit
}
