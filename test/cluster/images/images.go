// Package images makes the images of the test cluster from the programs that are
// installed on this machine and the libraries that they need. In an image every
// program has the same path as on this machine.
package images

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/platform/kubernetes/image"
)

// registry is a name that resolves to nothing, so an image that was not imported cannot be
// pulled.
const registry = "plimsoll.test/"

// Pause is the image of what holds a pod's namespaces.
const Pause = registry + "pause:1"

// Plimsoll is the image of Plimsoll itself.
const Plimsoll = registry + "plimsoll:test"

// Empty is an image without files, of simulated nodes only: into its containers
// Plimsoll is brought.
const Empty = registry + "empty:1"

// searchPath finds the programs of all images by name.
const searchPath = "PATH=/usr/sbin:/usr/bin"

// Image is one that can be made here.
type Image struct {
	Name      string // postgres
	Reference string // plimsoll.test/postgres:15
	spec      image.Spec
}

// fromScratch is an image of one static program.
func fromScratch(name, tag, program, path string) Image {
	return Image{Name: name, Reference: registry + name + ":" + tag, spec: image.Spec{
		Layers:     []image.Layer{{{Path: path, Source: program, Mode: 0o755}, temporary}},
		Entrypoint: []string{path}, User: "65532:65532", Arch: runtime.GOARCH,
	}}
}

var temporary = image.File{Path: "/tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777}

// All returns the images that this machine can make: of the two static programs, of the gateway
// for objects, which is built if it is missing, and of the other servers that are installed.
func All(ctx context.Context, pause, plimsoll string) ([]Image, error) {
	below, err := newBase()
	if err != nil {
		return nil, fmt.Errorf("find the programs of the images: %w", err)
	}
	all := []Image{
		fromScratch("pause", "1", pause, "/pause"),
		fromScratch("plimsoll", "test", plimsoll, "/plimsoll"),
		below.image("tools", "1"),
	}
	store, err := gateway(ctx, below)
	if err != nil {
		return nil, err
	}
	all = append(all, store)
	for _, find := range []func(*base) (Image, bool, error){postgres, mariadb, nginx, phpFPM} {
		made, installed, err := find(below)
		if err != nil {
			return nil, fmt.Errorf("find the programs of the images: %w", err)
		}
		if installed {
			all = append(all, made)
		}
	}
	return all, nil
}

// base is the layer below all programs that are not static: a shell, tools for
// scripts, and the C library.
type base struct {
	layer image.Layer
	has   map[string]bool
}

func newBase() (*base, error) {
	c := newContents(nil)
	for _, dir := range []string{"bin", "sbin", "lib", "lib64"} {
		c.add(image.File{Path: "/" + dir, Link: "usr/" + dir})
	}
	c.add(temporary)
	c.add(image.File{Path: "/etc/passwd", Content: []byte("root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"), Mode: 0o644})
	c.add(image.File{Path: "/etc/group", Content: []byte("root:x:0:\nnogroup:x:65534:\n"), Mode: 0o644})
	for _, program := range strings.Fields(shellTools) {
		if err := c.program(program); err != nil {
			return nil, err
		}
	}
	return &base{layer: c.layer, has: c.has}, nil
}

// shellTools are what the programs' own scripts call (mariadb-install-db), and what
// a person looks around with.
const shellTools = `/bin/sh /bin/cat /bin/chmod /bin/chown /bin/cp /bin/date /bin/dd /bin/df /bin/echo /bin/false /bin/grep /bin/hostname /bin/ln /bin/ls
/bin/mkdir /bin/mv /bin/pwd /bin/rm /bin/sed /bin/sleep /bin/stat /bin/sync /bin/touch /bin/true /bin/uname /usr/bin/basename /usr/bin/dirname /usr/bin/env
/usr/bin/expr /usr/bin/getent /usr/bin/head /usr/bin/id /usr/bin/seq /usr/bin/setsid /usr/bin/sort /usr/bin/tail /usr/bin/test /usr/bin/tr /usr/bin/wc /usr/bin/whoami`

// image is one with more layers on the base.
func (b *base) image(name, tag string, more ...image.Layer) Image {
	return Image{Name: name, Reference: registry + name + ":" + tag, spec: image.Spec{
		Layers: append([]image.Layer{b.layer}, more...), Env: []string{searchPath}, User: "65534:65534", Arch: runtime.GOARCH,
	}}
}

// newest gives the last of the places that match a pattern, by name.
func newest(pattern string) (string, bool) {
	found, _ := filepath.Glob(pattern) // the patterns are well-formed
	if len(found) == 0 {
		return "", false
	}
	return slices.Max(found), true
}

func postgres(b *base) (Image, bool, error) {
	home, ok := newest("/usr/lib/postgresql/*")
	if !ok {
		return Image{}, false, nil
	}
	version := filepath.Base(home)
	c := newContents(b.has)
	// The compiler of queries needs 100 MB of LLVM; the server does without it.
	err := c.trees([]string{home, "/usr/share/postgresql/" + version, "/usr/share/zoneinfo"}, "llvmjit*", "bitcode", "pgxs")
	return b.image("postgres", version, c.layer), true, err
}

func mariadb(b *base) (Image, bool, error) {
	const server = "/usr/sbin/mariadbd"
	version, ok := versionOf(server, `Ver (\d+\.\d+)`)
	if !ok {
		return Image{}, false, nil
	}
	c := newContents(b.has)
	err := c.programs(server, "/usr/bin/mariadb-install-db", "/usr/bin/my_print_defaults", "/usr/bin/resolveip", "/usr/bin/mariadb")
	if err == nil {
		err = c.trees([]string{"/usr/share/mysql"})
	}
	if _, plugins := os.Stat("/usr/lib/mysql/plugin"); err == nil && plugins == nil {
		err = c.trees([]string{"/usr/lib/mysql/plugin"})
	}
	return b.image("mariadb", version, c.layer), true, err
}

func gateway(ctx context.Context, b *base) (Image, error) {
	e := versitygw.Engine{}
	in, err := e.Find(ctx, "", true)
	if err != nil {
		return Image{}, err
	}
	program := image.File{Path: "/usr/bin/" + e.Name(), Source: in.Paths[e.Name()], Mode: 0o755}
	return b.image(e.Name(), in.Version, image.Layer{program}), nil
}

func nginx(b *base) (Image, bool, error) {
	const server = "/usr/sbin/nginx"
	version, ok := versionOf(server, `nginx/(\d+\.\d+)`)
	if !ok {
		return Image{}, false, nil
	}
	c := newContents(b.has)
	err := c.programs(server)
	if err == nil {
		err = c.trees([]string{"/etc/nginx/mime.types", "/etc/nginx/fastcgi_params"})
	}
	c.add(image.File{Path: "/var/log/nginx", Mode: fs.ModeDir | 0o777})
	return b.image("nginx", version, c.layer), true, err
}

func phpFPM(b *base) (Image, bool, error) {
	server, ok := newest("/usr/sbin/php-fpm[0-9]*")
	if !ok {
		return Image{}, false, nil
	}
	c := newContents(b.has)
	err := c.programs(server)
	if err == nil {
		err = c.trees([]string{"/usr/lib/php", "/usr/share/zoneinfo"})
	}
	return b.image("php-fpm", strings.TrimPrefix(filepath.Base(server), "php-fpm"), c.layer), true, err
}
