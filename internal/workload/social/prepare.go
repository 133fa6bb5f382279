package social

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strconv"

	"plimsoll/internal/workload"
	"plimsoll/internal/workload/sqldb"
)

// contentVersion is raised whenever the same parameters would give other rows or tables.
const contentVersion = 2

// The numbers of rows that are loaded for each event.
const (
	attendantsEach = 10
	commentsEach   = 3
)

// table is one of the database, with the rows that are loaded into it. How an engine has
// it is in engines.go.
type table struct {
	name string
	rows func(p *Parameters) int64
	row  func(f *filler, b []byte, n int64) []byte // the nth, from 1
}

// tables in the order in which they are loaded. ref is the number under which a user wrote
// a row; loaded rows have none.
var tables = []table{
	{"files", (*Parameters).files, (*filler).file},
	{"people", func(p *Parameters) int64 { return p.People }, (*filler).person},
	{"events", (*Parameters).events, (*filler).event},
	{"attendance", func(p *Parameters) int64 { return p.events() * min(attendantsEach, p.People) }, (*filler).attendance},
	{"comments", func(p *Parameters) int64 { return p.events() * commentsEach }, (*filler).comment},
}

// filler makes the rows of a table, in the text form of COPY and LOAD DATA.
type filler struct {
	*Parameters
	engine *engine
	random *rand.Rand
}

// number begins a row.
func number(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// loadedFile returns the loaded file with a number: first come the pictures of people, then
// the pictures and documents of events.
func (p *Parameters) loadedFile(n int64) []byte {
	size := int64(p.Picture)
	if n > p.People && (n-p.People)%2 == 0 {
		size = int64(p.Document)
	}
	return fileContent(nil, -n, size)
}

func (f *filler) file(b []byte, n int64) []byte {
	content := f.loadedFile(n)
	b = append(number(b, n), '\t')
	if f.Files == onVolume {
		b = append(b, "\\N\t"...)
	} else {
		b = append(hex.AppendEncode(append(b, f.engine.hex...), content), '\t')
	}
	return number(b, int64(crc32.ChecksumIEEE(content)))
}

func (f *filler) person(b []byte, n int64) []byte {
	return fmt.Appendf(b, "%d\t%s%d\t%s\tHere since the beginning\t%d\t\\N", n, loadedPrefix, n, password, n)
}

func (f *filler) event(b []byte, n int64) []byte {
	picture := f.People + 2*n - 1
	return fmt.Appendf(b, "%d\t%d\tEvent %d\tWhat there is to know of event %d\t%s %s\t2026-%02d-%02d\t%d\t%d\t\\N",
		n, 1+f.random.Int64N(f.People), n, n, tagOf(f.random), tagOf(f.random), 1+f.random.IntN(12), 1+f.random.IntN(28), picture, picture+1)
}

// attendance has the attendants of an event follow each other, so that none is twice.
func (f *filler) attendance(b []byte, n int64) []byte {
	each := min(attendantsEach, f.People)
	event := 1 + (n-1)/each
	return fmt.Appendf(b, "%d\t%d\t\\N", event, 1+(event*7+(n-1)%each)%f.People)
}

func (f *filler) comment(b []byte, n int64) []byte {
	return fmt.Appendf(b, "%d\t%d\t%d\tWas said before, %d\t\\N", n, 1+(n-1)/commentsEach, 1+f.random.Int64N(f.People), n)
}

// Dataset describes the tables and the files.
func (Workload) Dataset(p workload.Parameters, kinds workload.Kinds, seed uint64) workload.Dataset {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil || engines[kinds[db]] == nil || own.Files == onVolume && kinds[php] != fastCGI {
		return workload.Dataset{}
	}
	what := fmt.Sprintf("social events: %d people, %d events, with pictures and documents", own.People, own.events())
	in := workload.Contents{Key: own.key(seed), Database: "social", User: "web", Space: own.rowsSpace()}
	if own.Files == inDatabase {
		in.Bytes += own.filesSpace(1) * 11 / 10
		return workload.Loaded(db, what, in)
	}
	what += " on a volume of their own"
	all := workload.Loaded(db, what, in)
	all.Roles[php] = workload.Contents{Key: own.key(seed), Space: workload.Space{Bytes: own.filesSpace(block), Files: own.files() + own.files()/filesEach}}
	return all
}

// rowsSpace is the space of rows without files.
func (p *Parameters) rowsSpace() workload.Space {
	return workload.Space{Bytes: p.People*200 + p.events()*(400+200*attendantsEach+200*commentsEach)}
}

// block is what file systems give space in, and filesEach how many files lie in a directory
// (lib/site.php).
const (
	block     = 4 << 10
	filesEach = 1000
)

// files is how many are loaded.
func (p *Parameters) files() int64 { return p.People + 2*p.events() }

// filesSpace is what they take, each in whole units.
func (p *Parameters) filesSpace(unit int64) int64 {
	whole := func(size int64) int64 { return (size + unit - 1) / unit * unit }
	return (p.People+p.events())*whole(int64(p.Picture)) + p.events()*whole(int64(p.Document))
}

// Prepare makes the tables in an empty database, fills them and counts their rows.
func (Workload) Prepare(ctx context.Context, t workload.Target, p workload.Parameters, seed uint64, progress func(float64)) error {
	own, err := workload.Own[*Parameters](Name, p)
	if err != nil {
		return err
	}
	e, pool, err := connect(ctx, t.Endpoint(db))
	if err != nil {
		return err
	}
	defer pool.Close()
	c, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := perform(ctx, c, e.session); err != nil {
		return err
	}
	for i, of := range tables {
		if err := of.load(ctx, c, &filler{own, e, rand.New(rand.NewPCG(seed, uint64(len(of.name))))}); err != nil {
			return fmt.Errorf("load table %s: %w", of.name, err)
		}
		progress(own.share() * float64(i+1) / float64(len(tables)))
	}
	if own.Files == inDatabase {
		return nil
	}
	return own.sendFiles(ctx, t.Endpoint(web), func(share float64) { progress(own.share() + (1-own.share())*share) })
}

// share of the work of Prepare that tables are.
func (p *Parameters) share() float64 {
	if p.Files == onVolume {
		return 0.3
	}
	return 1
}

// perform performs statements in their order.
func perform(ctx context.Context, c *sql.Conn, statements []string) error {
	for _, statement := range statements {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (of table) load(ctx context.Context, c *sql.Conn, f *filler) error {
	want, as := of.rows(f.Parameters), f.engine.tables[of.name]
	r, w := io.Pipe()
	go func() { w.CloseWithError(of.write(w, f)) }()
	taken, err := sqldb.Load(ctx, c, of.name+as.into, "create table "+of.name+as.columns, r)
	_ = r.Close() // ends the writer where the server took not all
	if err != nil {
		return fmt.Errorf("create and load: %w; the database must be empty before", err)
	}
	if err := perform(ctx, c, as.finish); err != nil {
		return err
	}
	var found int64
	if err := c.QueryRowContext(ctx, "select count(*) from "+of.name).Scan(&found); err != nil {
		return fmt.Errorf("count the rows: %w", err)
	}
	if taken != want || found != want {
		return fmt.Errorf("of %d rows the server took %d, and %d are there", want, taken, found)
	}
	return nil
}

// write writes all rows.
func (of table) write(w io.Writer, f *filler) error {
	var b []byte
	for n := int64(1); n <= of.rows(f.Parameters); n++ {
		b = append(of.row(f, b[:0], n), '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
