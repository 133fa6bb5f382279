package fileio_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/fileio"
)

// owner is for whom the tests prepare volumes.
var owner = fileio.Owner{Workload: "own", Shape: "one file"}

// prepared is a volume with directories of two users, each with a file.
func prepared(t *testing.T, dir string) (target workload.Target, shares []float64) {
	t.Helper()
	target = workload.Target{Users: 2, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}
	report := func(share float64) { shares = append(shares, share) }
	err := fileio.PrepareUsers(t.Context(), target, owner, "top", 10, report, func(at fileio.Home, user int, done func(float64)) error {
		f, err := at.Dir.Open("file", fileio.OpenMode{Create: true})
		if err != nil {
			return err
		}
		done(0.5)
		return errors.Join(f.Write([]byte{byte(user)}, 0), f.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	return target, shares
}

func TestEveryUserIsPrepared(t *testing.T) {
	dir := t.TempDir()
	_, shares := prepared(t, dir)
	if !slices.Equal(shares, []float64{0.25, 0.5, 0.75, 1}) {
		t.Errorf("the progress was %v", shares)
	}
	for user := range 2 {
		if text, err := os.ReadFile(filepath.Join(dir, fileio.DirOf("top", user), "file")); err != nil || text[0] != byte(user) {
			t.Errorf("user %d: %v, %v", user, text, err)
		}
	}
}

// What one user's part fails with ends the preparation, which leaves nothing.
func TestPreparationThatFails(t *testing.T) {
	dir, wrong := t.TempDir(), errors.New("wrong")
	target := workload.Target{Users: 3, Endpoints: []endpoint.Endpoint{endpoint.OfDirectory(fileio.VolumeRole, dir)}}
	calls := 0
	err := fileio.PrepareUsers(t.Context(), target, owner, "top", 10, func(float64) {}, func(fileio.Home, int, func(float64)) error {
		if calls++; calls == 2 {
			return wrong
		}
		return nil
	})
	left, listed := os.ReadDir(dir)
	if !errors.Is(err, wrong) || calls != 2 || len(left) > 0 || listed != nil {
		t.Errorf("%v after %d calls; left are %v, %v", err, calls, left, listed)
	}
}

// A session enters the directory of the volume that is there, and after a failure the one that is
// there then. A volume that is gone leaves it the directory that it has.
func TestHomeIsEnteredAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "volume")
	again := func() workload.Target {
		t.Helper()
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		target, _ := prepared(t, dir)
		return target
	}
	home := fileio.Home{Target: again(), Owner: owner, Path: fileio.DirOf("top", 1)}
	if err := home.Enter(); err != nil {
		t.Fatal(err)
	}
	defer func() { closed(t, home.Dir) }()
	first, old := home.Volume, home.Dir
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if home.Reenter(); home.Dir != old {
		t.Error("it has another directory, though the volume is gone")
	}
	again()
	if home.Reenter(); home.Dir == old || home.Volume == first {
		t.Error("it did not enter the volume that is there")
	}
	if _, err := home.Dir.Size("file"); err != nil {
		t.Error(err)
	}
}

// A directory that is not there is made for those who ask for it, and else is an error.
func TestHomeThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	target, _ := prepared(t, dir)
	home := fileio.Home{Target: target, Owner: owner, Path: fileio.DirOf("top", 2)}
	if err := home.Enter(); classOf(err) != fileio.Missing || home.Leave() != nil {
		t.Errorf("%v", err)
	}
	home.Create = true
	if err := errors.Join(home.Enter(), home.Leave()); err != nil {
		t.Error(err)
	}
	home.Owner.Shape = "two files"
	if err := home.Enter(); err == nil {
		t.Error("it entered the volume of another owner")
	}
}

// In memory there is no directory, and nothing to leave.
func TestHomeInMemory(t *testing.T) {
	target, _ := fileio.Memory{}.Answerable(workload.Target{}, nil, "127.0.0.1:1")
	home := fileio.Home{Target: target, Owner: owner, Path: "top"}
	err := home.Enter()
	if home.Reenter(); err != nil || home.Dir != nil || home.Leave() != nil {
		t.Errorf("%v, %v", err, home.Dir)
	}
}
