package cluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// version is the version of Kubernetes, as in kube/go.mod; kube/update changes both.
const version = "1.33.13"

// programs are where the built programs lie.
type programs struct {
	kube  string // directory: kube, kubectl
	own   string // directory: plimsoll, cluster, pause
	cache string // directory for files made from them
}

// Build builds the programs, unless that has been done. The first time takes
// minutes; say gets a line before.
func build(ctx context.Context, say func(string)) (p programs, err error) {
	root, err := sources(ctx)
	if err != nil {
		return p, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return p, fmt.Errorf("find the cache: %w", err)
	}
	p.cache = filepath.Join(cache, "plimsoll-test")
	if err := os.MkdirAll(p.cache, 0o755); err != nil {
		return p, fmt.Errorf("make the cache: %w", err)
	}
	err = locked(filepath.Join(p.cache, "build.lock"), func() error {
		if p.kube, err = buildKube(ctx, filepath.Join(root, "test/cluster/kube"), p.cache, say); err != nil {
			return err
		}
		p.own, err = buildOwn(ctx, root, p.cache)
		return err
	})
	return p, err
}

// sources finds the root of the module that is worked in.
func sources(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	root := filepath.Dir(strings.TrimSpace(string(out)))
	if _, statErr := os.Stat(filepath.Join(root, "test/cluster/kube/go.mod")); err != nil || statErr != nil {
		return "", fmt.Errorf("find Plimsoll's sources: %w; run it in a directory of them", errors.Join(err, statErr))
	}
	return root, nil
}

// locked does something while nobody else does it with the same file.
func locked(path string, do func() error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer file.Close() // gives the lock back
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	return do()
}

// buildKube builds the programs of Kubernetes. What they are built from names the
// directory that keeps them.
func buildKube(ctx context.Context, source, cache string, say func(string)) (string, error) {
	key, err := hash(source)
	if err != nil {
		return "", fmt.Errorf("build Kubernetes: %w", err)
	}
	dir := filepath.Join(cache, "kube-"+version+"-"+key)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	say("building Kubernetes " + version + " (once; some minutes)")
	began := time.Now()
	if err := removeUnfinished(cache); err != nil {
		return "", err
	}
	unfinished, err := os.MkdirTemp(cache, unfinishedPrefix)
	if err != nil {
		return "", fmt.Errorf("build Kubernetes: %w", err)
	}
	defer os.RemoveAll(unfinished)
	if err := goBuild(ctx, source, unfinished, stamps(), "."); err != nil {
		return "", fmt.Errorf("build Kubernetes: %w", err)
	}
	err = errors.Join(os.Symlink("kube", filepath.Join(unfinished, "kubectl")), os.Chmod(unfinished, 0o755), os.Rename(unfinished, dir))
	say(fmt.Sprintf("built in %.0f s", time.Since(began).Seconds()))
	return dir, err
}

const unfinishedPrefix = ".kube-"

// removeUnfinished removes what builds left that were killed. The lock on the cache is held.
func removeUnfinished(cache string) error {
	left, _ := filepath.Glob(filepath.Join(cache, unfinishedPrefix+"*")) // the pattern is well-formed
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove an unfinished build: %w", err)
		}
	}
	return nil
}

// stamps tell the programs their version; the files of a release do the same.
func stamps() string {
	flags := []string{"-s", "-w"}
	minor := strings.Split(version, ".")[1]
	for _, pkg := range []string{"k8s.io/client-go/pkg/version", "k8s.io/component-base/version"} {
		for name, value := range map[string]string{"gitVersion": "v" + version, "gitMajor": "1", "gitMinor": minor, "gitTreeState": "clean"} {
			flags = append(flags, "-X", pkg+"."+name+"="+value)
		}
	}
	return strings.Join(flags, " ")
}

// buildOwn builds Plimsoll and the helpers. Go skips packages that are up to date.
func buildOwn(ctx context.Context, root, cache string) (string, error) {
	dir := filepath.Join(cache, fmt.Sprintf("plimsoll-%x", sha256.Sum256([]byte(root)))[:len("plimsoll-")+12])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	err := goBuild(ctx, root, dir, "-s -w", "./cmd/plimsoll", "./test/cluster/cmd/...")
	if err != nil {
		return "", fmt.Errorf("build Plimsoll: %w", err)
	}
	return dir, nil
}

// goBuild builds static programs into a directory, with two compilers at once:
// more would take more memory than a small machine has.
func goBuild(ctx context.Context, source, dir, linker string, packages ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-p=2", "-trimpath", "-buildvcs=false", "-ldflags=" + linker, "-o", dir + "/"}, packages...)...)
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return nil
}

// hash changes with the module's files, and with Go.
func hash(dir string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), runtime.GOARCH)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		fmt.Fprintln(h, strings.TrimPrefix(path, dir))
		_, err = io.Copy(h, file)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), err
}
