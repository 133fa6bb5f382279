package apptest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
)

// mark is in every row of the table that is damaged.
const mark = "Plimsoll was a coal merchant"

// checks damages the file of a table while its server is down: the server
// starts all the same, and only its own check tells.
func (b bench) checks(t *testing.T) {
	engine, ok := b.Engine.(app.Checker)
	if !ok {
		t.Skip("this engine has no check of its own")
	}
	p, c := b.platform(t), b.config("checks")
	v := b.initialised(t, p, c)
	first := b.start(t, p, c, v)
	db := b.open(t, first)
	execute(t, db, "CREATE TABLE orders (id int PRIMARY KEY, name varchar(50))")
	for i := range 300 {
		execute(t, db, fmt.Sprintf("INSERT INTO orders VALUES (%d, '%s')", i, mark))
	}
	found, err := engine.Check(t.Context(), c.AsAdmin(first.Endpoint()))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("sound: %+v", found)
	if !passed(found) {
		t.Error("a sound server does not pass its own check")
	}
	if err := errors.Join(db.Close(), first.Stop(t.Context())); err != nil {
		t.Fatal(err)
	}
	damage(t, v.Path)
	found, err = engine.Check(t.Context(), c.AsAdmin(b.start(t, p, c, v).Endpoint()))
	t.Logf("damaged: %+v, %v", found, err)
	if passed(found) && err == nil {
		t.Error("the check passes although every page of a table is damaged")
	}
}

func passed(all []describe.Check) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(c describe.Check) bool { return !c.Passed })
}

// damage changes a letter of the mark wherever it is below a directory.
func damage(t *testing.T, dir string) {
	t.Helper()
	places := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(mark)) {
			return err
		}
		places += bytes.Count(text, []byte(mark))
		changed := bytes.ReplaceAll(text, []byte(mark), []byte("B"+mark[1:]))
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteAt(changed, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if places == 0 {
		t.Fatal("no file holds what was written")
	}
}
