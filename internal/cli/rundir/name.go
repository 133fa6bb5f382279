package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
)

// nameForm is what may name a run or pools: it becomes part of paths.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// CheckName refuses what cannot be the name of a run or of pools.
func CheckName(name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return command.Usage(fmt.Errorf("--name: %q is not valid: use at most 100 letters, digits, dots, hyphens and underscores, starting with a letter or digit", name))
}

// Elsewhere reports whether a run was begun on another machine, or on an unknown one.
func Elsewhere(s journal.State) bool {
	return s.RunID != "" && s.Machine != journal.MachineID()
}

// CheckOwner says why a run's journal cannot be taken for this user's, or nil.
func CheckOwner(dir string) error {
	path := filepath.Join(dir, result.JournalFile)
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid) // always so on Linux
	if owner != os.Geteuid() {
		return fmt.Errorf("%s belongs to uid %d, but this is uid %d: run as that user, or use --force", path, owner, os.Geteuid())
	}
	return nil
}
