package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/term"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/text/version"
	"plimsoll/internal/text/words"
)

// nameForm is what may name a run or pools: it becomes part of paths.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// checkName refuses what cannot be the name of a run or of pools.
func checkName(name string) error {
	if nameForm.MatchString(name) {
		return nil
	}
	return usage(fmt.Errorf("--name: %q is not valid: use at most 100 letters, digits, dots, hyphens and underscores, starting with a letter or digit", name))
}

// elsewhere reports whether a run was begun on another machine, or on an unknown one.
func elsewhere(s journal.State) bool {
	return s.RunID != "" && s.Machine != journal.MachineID()
}

// strangers says why a run's journal cannot be taken for this user's, or nil.
func strangers(dir string) error {
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

// doubts are the reasons not to continue a run without asking.
func doubts(dir string, s journal.State) []string {
	var all []string
	if elsewhere(s) {
		all = append(all, "it was started on another machine, and the report would mix results of both")
	}
	if err := strangers(dir); err != nil {
		all = append(all, err.Error())
	}
	if s.RunID != "" && s.Version != version.Get() {
		all = append(all, fmt.Sprintf("it was started by plimsoll %s, and this is %s", firstOf(s.Version, "of an unknown version"), version.Get()))
	}
	return all
}

// agreeToResume asks before a run is continued that is not this machine's,
// user's or version's. --force is the answer where nobody can be asked.
func (s *State) agreeToResume(c *claimed, force bool) error {
	why := doubts(c.dir, c.state)
	if len(why) == 0 || force {
		return nil
	}
	what := fmt.Sprintf("continue %s although %s", c.dir, strings.Join(why, "; and "))
	if s.agreed(what) {
		return nil
	}
	return codedError{errors.New("will not " + what), exitCannotRun, "to do it anyway: plimsoll run --resume " + words.Shell(c.dir) + " --force"}
}

// mayResume says why a run directory is not to be continued, and takes one that this
// machine does not know as the user's own if that was asked for.
func (s *State) mayResume(c *claimed, o *runOptions) error {
	if !c.state.Registered && !o.adopt {
		return unknown(c)
	}
	if err := s.agreeToResume(c, o.force); err != nil {
		return err
	}
	if c.state.Original != "" {
		return codedError{fmt.Errorf("%s is a copy of %s, which has left something on this machine", c.dir, c.state.Original),
			exitLeft, "clean that one first: plimsoll clean " + words.Shell(c.state.Original) + "; if it is gone: plimsoll clean"}
	}
	if c.state.Registered {
		return nil
	}
	return adoptRun(c, o)
}

// unknown returns the error for a run directory that is in no register, and says what to do. The
// directory's plan chooses which programs are run, which files are read and which hosts are
// contacted.
func unknown(c *claimed) error {
	hint := "plimsoll run --resume " + words.Shell(c.dir) + " --adopt"
	if len(doubts(c.dir, c.state)) > 0 {
		hint += " --force"
	}
	return codedError{fmt.Errorf("will not continue %s: no register of this user on this machine has it as the directory of a run, which was copied, moved from another file system, sent, or begun by an earlier version; its plan chooses the programs, servers and clusters that are used, and the files with their passwords", c.dir), exitCannotRun,
		"only if you trust whoever made it, as you would a study: " + hint + "\nto read it: plimsoll report " + words.Shell(c.dir)}
}

// adoptRun registers a run directory as this user's. Objects that it lists in clusters are
// registered in its plan's cluster.
func adoptRun(c *claimed, o *runOptions) error {
	path := filepath.Join(c.dir, result.JournalFile)
	j, err := journal.Open(path, c.id)
	if err != nil {
		return err
	}
	err = j.Started(version.Get())
	for _, object := range c.state.Unregistered {
		if object.InCluster() {
			object.Config = o.cluster
			err = errors.Join(err, j.Making(object))
		}
	}
	if err = errors.Join(err, j.Close()); err != nil {
		return fmt.Errorf("take %s as a run of this machine: %w", c.dir, err)
	}
	c.state, err = journal.Read(path)
	return err
}

// agreed asks on the terminal; where there is none the answer is no.
func (s *State) agreed(what string) bool {
	in, ok := s.Stdin.(*os.File)
	if !ok || s.JSON || !term.IsTerminal(int(in.Fd())) {
		return false
	}
	fmt.Fprintf(s.Stderr, "%s? [y/N] ", strings.ToUpper(what[:1])+what[1:])
	answer := make(chan string, 1)
	go func() { // reading cannot be interrupted
		line, _ := bufio.NewReader(in).ReadString('\n')
		answer <- line
	}()
	select {
	case <-s.Context.Done():
		return false
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	}
}
