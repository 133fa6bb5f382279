package result

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Stamp changes when a file changes that an analysis reads, by their names, sizes and
// times; it reads none. It is empty where nothing vouches for that: a link may lead to
// a directory that is not looked into.
func Stamp(run fs.FS) string {
	sum := sha256.New()
	err := fs.WalkDir(run, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && strings.Count(name, "/") == 4: // logs and evidence of trials/v/1/1
			return fs.SkipDir
		case e.IsDir() || e.Type()&fs.ModeSymlink == 0 && !slices.Contains(analysed, path.Base(name)):
			return nil
		}
		info, err := fs.Stat(run, name)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return fs.ErrInvalid
		}
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// analysed are the files of a run that an analysis reads.
var analysed = []string{PlanFile, MachineFile, JournalFile, StudyFile, TrialFile, TelemetryFile}
