// Package packages tests what "make packages" makes: that two builds are the same, and that
// a package can be installed, used and removed on a small Debian without a compiler.
package packages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"

	"plimsoll/internal/text/version"
	"plimsoll/test/nightly"
)

const repository = "../.."

// recipe is what of packaging/nfpm.yaml is looked at.
type recipe struct {
	Contents []struct{ Src, Dst string } `yaml:"contents"`
}

// What goes into the packages is made by the script, which takes minutes; that the names
// in both agree is seen at once.
func TestTheRecipeNamesWhatIsMade(t *testing.T) {
	text, err := os.ReadFile(repository + "/packaging/nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var r recipe
	if err := yaml.Unmarshal(text, &r); err != nil || len(r.Contents) < 8 {
		t.Fatalf("%d files, %v", len(r.Contents), err)
	}
	script, err := os.ReadFile(repository + "/packaging/build")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Contents {
		if name := strings.TrimSuffix(strings.TrimPrefix(c.Src, "stage/"), "/*"); !bytes.Contains(script, []byte(name)) {
			t.Errorf("packaging/build does not make %s", c.Src)
		}
	}
	for _, template := range []string{"homebrew.rb", "krew.yaml"} {
		if !bytes.Contains(script, []byte("fill packaging/"+template)) {
			t.Errorf("packaging/build does not fill in %s", template)
		}
		for _, name := range regexp.MustCompile(`@[A-Z0-9_]+@`).FindAllString(string(read(t, repository+"/packaging/"+template)), -1) {
			if !bytes.Contains(script, []byte("s|"+name+"|")) {
				t.Errorf("packaging/build does not fill in %s of %s", name, template)
			}
		}
	}
	if number := regexp.MustCompile(`(?m)^const Number = "(.*)"$`); !number.Match(read(t, repository+"/internal/text/version/version.go")) {
		t.Error("packaging/build does not find the version")
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// built makes the packages once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "plimsoll-packages-")
	if err != nil {
		return "", err
	}
	out, err := exec.Command(repository+"/packaging/build", dir).CombinedOutput()
	_, _ = os.Stderr.Write(out)
	return dir, err
})

func packages(t *testing.T) string {
	t.Helper()
	nightly.Only(t, "TestTheRecipeNamesWhatIsMade")
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMain(m *testing.M) {
	code := m.Run()
	if nightly.On() {
		if dir, err := built(); err == nil {
			_ = os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// The same commit gives the same bytes in another directory.
func TestTwoBuildsAreTheSame(t *testing.T) {
	dir := packages(t)
	if out := command(t, "git", "-C", repository, "status", "--porcelain"); out != "" {
		t.Skipf("a build of a commit elsewhere is not one of what is not committed yet:\n%s", out)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	command(t, "git", "clone", "--quiet", "--local", repository, elsewhere)
	again := t.TempDir()
	command(t, filepath.Join(elsewhere, "packaging/build"), again)
	first, second := string(read(t, filepath.Join(dir, "SHA256SUMS"))), string(read(t, filepath.Join(again, "SHA256SUMS")))
	if first != second || strings.Count(first, "\n") < 10 {
		t.Errorf("the first build\n%sthe second\n%s", first, second)
	}
}

// The package is installed with its recommended packages, used without a compiler, and removed.
func TestAnInstalledPackageAnswers(t *testing.T) {
	dir := packages(t)
	if os.Getuid() != 0 {
		t.Skip("installing a package needs root")
	}
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		t.Skip("mmdebstrap is not installed: apt-get install mmdebstrap")
	}
	deb := one(t, dir, "plimsoll_*_amd64.deb")
	root := smallDebian(t, command(t, "dpkg-deb", "--field", deb, "Recommends"))
	if err := os.WriteFile(filepath.Join(root, "plimsoll.deb"), read(t, deb), 0o644); err != nil {
		t.Fatal(err)
	}
	inside(t, root, "dpkg --install /plimsoll.deb && ! command -v go")
	var v version.Info
	if err := json.Unmarshal([]byte(inside(t, root, "plimsoll version --json")), &v); err != nil || !strings.HasPrefix(v.Version, version.Number+"+") || v.Commit == "" || v.Date == "" {
		t.Errorf("%+v, %v", v, err)
	}
	inside(t, root, "plimsoll doctor")
	if out := inside(t, root, "cd /tmp && plimsoll try /var/tmp"); !strings.Contains(out, "report.html") {
		t.Errorf("try: %s", out)
	}
	// On a machine with other users, a measurement may be graded too low for a verdict.
	if out := inside(t, root, "cd /tmp && { plimsoll demo || [ $? = 5 ]; }"); !strings.Contains(out, "report.html") {
		t.Errorf("demo: %s", out)
	}
	inside(t, root, "cd /tmp && plimsoll why")
	files := strings.Fields(inside(t, root, "dpkg --listfiles plimsoll"))
	for _, want := range []string{"/usr/bin/plimsoll", "/usr/share/man/man1/plimsoll-run.1.gz", "/usr/share/bash-completion/completions/plimsoll", "/usr/lib/systemd/user/plimsoll-serve.service"} {
		if !slices.Contains(files, want) {
			t.Errorf("it does not install %s", want)
		}
	}
	if out := command(t, "find", root+"/usr", "-type", "d", "-not", "-perm", "-0755"); out != "" {
		t.Errorf("directories that others cannot enter:\n%s", out)
	}
	inside(t, root, "plimsoll clean && dpkg --purge plimsoll")
	for _, f := range files {
		if info, err := os.Lstat(filepath.Join(root, f)); err == nil && !info.IsDir() {
			t.Errorf("%s is left", f)
		}
	}
}

// Every architecture has every format, the checksums are right, and what can be read of a
// package of another format or architecture is the same.
func TestEveryFormatIsThere(t *testing.T) {
	dir := packages(t)
	check := exec.Command("sha256sum", "--check", "--quiet", "SHA256SUMS")
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for _, pattern := range []string{"plimsoll-*-linux-amd64.tar.gz", "plimsoll-*-linux-arm64.tar.gz", "plimsoll_*_arm64.deb", "plimsoll-*.x86_64.rpm", "plimsoll-*.aarch64.rpm",
		"plimsoll-*-linux-amd64.oci.tar", "plimsoll-*-linux-arm64.oci.tar", "plimsoll-*.provenance.txt", "plimsoll-" + version.Number + ".tgz"} {
		one(t, dir, pattern)
	}
	var parts struct{ Components []struct{ Name string } }
	if err := json.Unmarshal(read(t, one(t, dir, "plimsoll-*-linux-arm64.cdx.json")), &parts); err != nil || len(parts.Components) < 50 {
		t.Errorf("%d parts, %v", len(parts.Components), err)
	}
	if _, err := exec.LookPath("rpm"); err == nil {
		out := command(t, "rpm", "--query", "--package", "--list", one(t, dir, "plimsoll-*.x86_64.rpm"))
		if !strings.Contains(out, "/usr/bin/plimsoll\n") || !strings.Contains(out, "/usr/share/man/man1/plimsoll-run.1.gz\n") {
			t.Error(out)
		}
	}
}

// The static binary for ARM starts, emulated.
func TestTheBinaryForARMStarts(t *testing.T) {
	dir := packages(t)
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("qemu-aarch64-static is not installed: apt-get install qemu-user-static")
	}
	unpacked := t.TempDir()
	command(t, "tar", "-C", unpacked, "-xzf", one(t, dir, "plimsoll-*-linux-arm64.tar.gz"), "--strip-components=1")
	plimsoll := filepath.Join(unpacked, "plimsoll")
	if out := command(t, emulator, plimsoll, "version"); !strings.Contains(out, "linux/arm64") {
		t.Error(out)
	}
	if out := command(t, emulator, plimsoll, "plan", "quickstart"); !strings.Contains(out, "trials") {
		t.Error(out)
	}
}

// manifest is what krew reads of a plugin's manifest.
type manifest struct {
	Spec struct {
		Version   string
		Platforms []struct {
			Selector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			}
			URI, SHA256, Bin string
			Files            []struct{ From, To string }
		}
	}
}

// The formula and krew's manifest name the archives by address and checksum, and files that
// the archives have.
func TestInstallersNameTheArchives(t *testing.T) {
	dir := packages(t)
	var m manifest
	if err := yaml.Unmarshal(read(t, one(t, dir, "plimsoll.krew.yaml")), &m); err != nil {
		t.Fatal(err)
	}
	formula := string(read(t, one(t, dir, "plimsoll.rb")))
	if m.Spec.Version != "v"+version.Number || !strings.Contains(formula, `version "`+version.Number+`"`) || len(m.Spec.Platforms) != 2 {
		t.Errorf("%+v\n%s", m, formula)
	}
	for _, p := range m.Spec.Platforms {
		archive := filepath.Join(dir, filepath.Base(p.URI))
		sum, _, _ := strings.Cut(command(t, "sha256sum", archive), " ")
		if p.SHA256 != sum || !strings.Contains(p.URI, p.Selector.MatchLabels["arch"]) || !strings.Contains(formula, fmt.Sprintf("url %q\n    sha256 %q", p.URI, sum)) {
			t.Errorf("%+v, whose archive has %s, in\n%s", p, sum, formula)
		}
		listed := strings.Fields(command(t, "tar", "-tzf", archive))
		for _, f := range p.Files {
			if !slices.Contains(listed, f.From) {
				t.Errorf("%s has no %s", archive, f.From)
			}
		}
		top := strings.TrimSuffix(filepath.Base(archive), ".tar.gz") + "/"
		for _, f := range regexp.MustCompile(`\.install (?:Dir\[)?"([^"]+)"`).FindAllStringSubmatch(formula, -1) {
			if !slices.ContainsFunc(listed, func(name string) bool { ok, _ := filepath.Match(top+f[1], name); return ok }) {
				t.Errorf("%s has no %s", archive, f[1])
			}
		}
	}
}

func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files are called %s: %v", len(found), pattern, err)
	}
	return found[0]
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, complaints.Bytes())
	}
	return string(out)
}

// smallDebian is a root file system of this machine's Debian, from its own mirrors, with
// some packages.
func smallDebian(t *testing.T, recommended string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	release := string(read(t, "/etc/os-release"))
	suite := regexp.MustCompile(`(?m)^VERSION_CODENAME=(.*)$`).FindStringSubmatch(release)
	if suite == nil {
		t.Skip("this is no Debian")
	}
	args := []string{"--mode=root", "--variant=minbase", "--include=" + strings.ReplaceAll(strings.TrimSpace(recommended), " ", ""), suite[1], root}
	for _, pattern := range []string{"/etc/apt/sources.list", "/etc/apt/sources.list.d/*.list", "/etc/apt/sources.list.d/*.sources"} {
		found, _ := filepath.Glob(pattern) // the patterns are sound
		args = append(args, found...)
	}
	command(t, "mmdebstrap", args...)
	return root
}

// inside runs a command line in a root file system, in a mount namespace of its own. The root is
// a mount, as in a container.
func inside(t *testing.T, root, line string) string {
	t.Helper()
	return command(t, "unshare", "--mount", "--propagation", "private", "sh", "-ec",
		`mount --bind "$0" "$0"
		for d in proc sys dev; do mount --rbind "/$d" "$0/$d"; done
		exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -ec "$1"`, root, line)
}
