package social_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/client/httpwire"
	"plimsoll/internal/conformance/workloadtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/mix"
	"plimsoll/internal/workload/social"
	"plimsoll/internal/workload/sqldb"
	"plimsoll/test/nightly"
)

func parameters(change func(*social.Parameters)) *social.Parameters {
	p := social.Workload{}.Defaults().(*social.Parameters)
	p.People, p.Picture, p.Document, p.Attend, p.Comment = 40, 2000, 3001, 60, 60
	p.Mix = mix.Verbs{}
	for _, verb := range []string{"home", "login", "tag-search", "event", "person", "add-person", "add-event"} {
		p.Mix = append(p.Mix, mix.WeightedVerb{Verb: verb, Weight: 1})
	}
	if change != nil {
		change(p)
	}
	return p
}

func TestPostgres(t *testing.T) {
	conformance(t, postgres.Engine{}, "set_byte(content, 7, 255 - get_byte(content, 7))")
}

func TestMariaDB(t *testing.T) {
	conformance(t, mariadb.Engine{}, "insert(content, 8, 1, char(255 - ascii(substr(content, 8, 1))))")
}

// conformance tries the workload on an engine of databases; other is content with another byte.
func conformance(t *testing.T, e app.Engine, other string) {
	suite := workloadtest.Suite{
		Workload: social.Workload{}, Environment: workloadtest.Here(e, phpfpm.Engine{}, nginx.Engine{}),
		Parameters: parameters(nil),
		Wrong: map[string]workload.Parameters{
			"people":   parameters(func(p *social.Parameters) { p.People = 0 }),
			"picture":  parameters(func(p *social.Parameters) { p.Picture = 0 }),
			"document": parameters(func(p *social.Parameters) { p.Document = 1 << 20 }),
			"files":    parameters(func(p *social.Parameters) { p.Files = "cloud" }),
			"mix":      parameters(func(p *social.Parameters) { p.Mix[0].Verb = "sleep" }),
			"attend":   parameters(func(p *social.Parameters) { p.Attend = 101 }),
			"comment":  parameters(func(p *social.Parameters) { p.Comment = -1 }),
		},
		Empty: func(t *testing.T, to workload.Target) {
			execute(t, to, "drop table if exists files, people, events, attendance, comments")
		},
		Falsified: falsified,
		Doubtful:  doubtful,
		Damages:   damages("update files set content = " + other + " where file_id > 200"),
	}
	t.Run("files in the database", func(t *testing.T) { workloadtest.Run(t, suite) })
	suite.Parameters = parameters(func(p *social.Parameters) { p.Files = "volume" })
	suite.Damages = append(damages("")[:1], onVolume()...)
	t.Run("files on a volume", func(t *testing.T) {
		if e.Name() != "postgres" {
			nightly.Only(t, "TestPostgres with files on a volume, which no database sees")
		}
		workloadtest.Run(t, suite)
	})
}

// damages change what the audit protects, behind the application's back.
func damages(alterFiles string) []workloadtest.Damage {
	return []workloadtest.Damage{
		damage("a comment is lost", "every acknowledged person, event, attendance and comment is present",
			"create table kept as select * from comments where ref is not null; delete from comments where ref is not null",
			"insert into comments select * from kept; drop table kept"),
		damage("a byte of a file is another", "what was acknowledged is there as it was sent, with its files", alterFiles, alterFiles),
		damage("a loaded event is gone", "loaded people, events, attendances and comments are all there",
			"create table kept as select * from events where event_id = 3; delete from events where event_id = 3",
			"insert into events select * from kept; drop table kept"),
		damage("an attendance that nobody asked for", "what is there was neither acknowledged nor in doubt",
			"insert into attendance values (1, 1000000, 5)", "delete from attendance where ref = 5"),
	}
}

func damage(name, fails, do, undo string) workloadtest.Damage {
	return workloadtest.Damage{
		Name: name, Fails: fails,
		Do:   func(t *testing.T, to workload.Target, _ [][]byte) { execute(t, to, do) },
		Undo: func(t *testing.T, to workload.Target, _ [][]byte) { execute(t, to, undo) },
	}
}

// onVolume are damages of files on a volume: of those that users sent, which are in the
// same directory as the few that are loaded.
func onVolume() []workloadtest.Damage {
	const check = "what was acknowledged is there as it was sent, with its files"
	alter := func(t *testing.T, to workload.Target, _ [][]byte) {
		files, err := filepath.Glob(volumeOf(t, to) + "/0/2[0-9][1-9]")
		if err != nil || len(files) == 0 {
			t.Fatalf("no files: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text[7] ^= 1
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	move := func(from, into string) func(*testing.T, workload.Target, [][]byte) {
		return func(t *testing.T, to workload.Target, _ [][]byte) {
			if err := os.Rename(filepath.Join(volumeOf(t, to), from), filepath.Join(volumeOf(t, to), into)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return []workloadtest.Damage{
		{Name: "a byte of a file is another", Fails: check, Do: alter, Undo: alter},
		{Name: "files are gone", Fails: check, Do: move("0", "kept"), Undo: move("kept", "0")},
	}
}

// volumeOf is where the pages keep files, as they are told.
func volumeOf(t *testing.T, to workload.Target) string {
	t.Helper()
	told, err := os.ReadFile(filepath.Join(filepath.Dir(endpoint.PagesOf(to.Endpoint("php")).Content), "peers.php"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`'path' => '([^']+)'`).FindSubmatch(told)
	if found == nil {
		t.Fatalf("the pages have no volume: %s", told)
	}
	return string(found[1])
}

func execute(t *testing.T, to workload.Target, statements string) {
	t.Helper()
	pool, err := sqldb.Open(t.Context(), to.Endpoint("db"), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for statement := range strings.SplitSeq(statements, "; ") {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// changed returns the receipts with one byte of the first changed.
func changed(receipts [][]byte, place int) [][]byte {
	first := slices.Clone(receipts[0])
	first[place] ^= 1
	return append([][]byte{first}, receipts[1:]...)
}

// Places in a receipt: whether it is doubtful, and the last bytes of its number and of who
// wrote it.
const (
	doubtAt  = 1
	refAt    = 9
	personAt = 17
)

func falsified(receipts [][]byte) map[string][][]byte {
	invented := changed(receipts, refAt)[0]
	return map[string][][]byte{
		"one that was not acknowledged":           receipts[1:],
		"one that was acknowledged and never was": append([][]byte{invented}, receipts...),
		"one that was acknowledged twice":         append([][]byte{receipts[0]}, receipts...),
		"one by another person":                   changed(receipts, personAt),
	}
}

func doubtful(receipts [][]byte) map[string][][]byte {
	never := changed([][]byte{changed(receipts, refAt)[0]}, doubtAt)[0]
	return map[string][][]byte{
		"it is there":  changed(receipts, doubtAt),
		"it never was": append([][]byte{never}, receipts...),
	}
}

// Both engines find an event by each of its tags as soon as it is announced, and by no part
// of a tag; nobody attends an event twice.
func TestPages(t *testing.T) {
	for _, e := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} {
		t.Run(e.Name(), func(t *testing.T) {
			p := parameters(nil)
			w, here := social.Workload{}, workloadtest.Here(e, phpfpm.Engine{}, nginx.Engine{})
			i := here.Start(t, w.Roles(p), w.Dataset(p, workload.Kinds{"db": e.Kind()}, 1))
			if err := w.Prepare(t.Context(), i.Admin(), p, 1, func(float64) {}); err != nil {
				t.Fatal(err)
			}
			conn, err := httpwire.Open(t.Context(), i.Target().Endpoint("web"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			page := func(target, body string) string {
				t.Helper()
				answer, err := conn.Post([]byte("/social/"+target), []byte(body))
				if err != nil || answer.Status != 200 {
					t.Fatalf("%s: status %d, %v: %s", target, answer.Status, err, answer.Body)
				}
				return string(answer.Body)
			}
			const title, own = "Tea at the mill", `name="eventid" value="81"`
			if got := page("addevent.php?personid=1&title=Tea+at+the+mill&description=x&ref=7&tags=teatime+about&picture=2&document=1", "abc"); !strings.Contains(got, own) {
				t.Fatal(got)
			}
			for tag, want := range map[string]bool{"teatime": true, "about": true, "teat": false, "tag1": false} {
				if got := page("tag.php?tag="+tag, ""); strings.Contains(got, title) != want {
					t.Errorf("the events with tag %s: %s", tag, got)
				}
			}
			for _, want := range []string{own, `class="taken"`} {
				if got := page("attend.php?eventid=81&personid=1&ref=8", ""); !strings.Contains(got, want) {
					t.Errorf("%s is not in %s", want, got)
				}
			}
			if got := page("home.php", ""); !strings.Contains(got, title) {
				t.Errorf("the event is not among the latest: %s", got)
			}
		})
	}
}
