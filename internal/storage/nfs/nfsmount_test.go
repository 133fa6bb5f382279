package nfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/simnet"
	"plimsoll/internal/storage/nfs/nfs3"
	"plimsoll/test/quick"
)

// server is an NFS-Ganesha that exports a directory, in a network of its own.
type server struct {
	t       *testing.T
	network *simnet.Network
	host    simnet.Host
	dir     string
	export  string
	cmd     *exec.Cmd
	kernel  bool // whose client mounts it
}

func newServer(t *testing.T) *server {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("an NFS server in a namespace of its own needs root")
	}
	for _, program := range []string{"ganesha.nfsd", "rpcbind", "nsenter", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: apt-get install nfs-ganesha nfs-ganesha-vfs rpcbind util-linux", program)
		}
	}
	run := fmt.Sprintf("nfstest-%d-%d", os.Getpid(), time.Now().UnixNano()%1e6)
	dir, err := os.MkdirTemp("/var/tmp", "plimsoll-"+run+"-") // handles need a real file system
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(dir, "journal"), run)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, network: simnet.New("plimsoll-"+run, j), dir: dir, export: filepath.Join(dir, "export")}
	t.Cleanup(func() {
		s.kill()
		if err := s.network.Down(); err != nil {
			t.Error(err)
		}
		j.Close()
		_ = os.RemoveAll(dir)
	})
	if err := s.network.Up(context.Background(), []string{"1"}); err != nil {
		t.Fatal(err)
	}
	s.host = s.network.Hosts()[0]
	if err := os.MkdirAll(s.export, 0o777); err != nil {
		t.Fatal(err)
	}
	s.start()
	return s
}

const ganesha = `
NFS_CORE_PARAM { Protocols = 3; NFS_Port = 2050; MNT_Port = 2051; Bind_addr = %[1]s; Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; mount_path_pseudo = true; }
NFS_KRB5 { Active_krb5 = false; }
NFSv4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = %[2]q; }
EXPORT { Export_Id = 1; Path = %[3]q; Pseudo = "/export"; Access_Type = RW; Squash = No_Root_Squash; SecType = sys; Protocols = 3; Transports = TCP; FSAL { Name = VFS; } }
LOG { Default_Log_Level = WARN; }
`

// rpcbind goes to the background once it can be registered with.
const inside = `set -e
mount -t tmpfs plimsoll /run
mkdir -p /run/rpcbind /run/ganesha
rpcbind
exec ganesha.nfsd -F -f "$1/conf" -L "$1/log" -p "$1/pid"`

func (s *server) start() {
	s.t.Helper()
	conf := fmt.Sprintf(ganesha, s.host.Address, s.dir, s.export)
	if err := os.WriteFile(filepath.Join(s.dir, "conf"), []byte(conf), 0o600); err != nil {
		s.t.Fatal(err)
	}
	// All of it ends with its first process.
	s.cmd = exec.Command("nsenter", "--net="+s.host.Path(), "unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
		"sh", "-c", inside, "sh", s.dir)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.in(func() error {
		deadline := time.Now().Add(5 * time.Minute)
		for {
			c, err := net.Dial("tcp", net.JoinHostPort(s.host.Address, "2051"))
			if err == nil {
				return c.Close()
			}
			if time.Now().After(deadline) {
				text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
				return fmt.Errorf("%w; its log: %s", err, text)
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// kill ends the server at once; it loses its unwritten data, though its file system does
// not.
func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// in does something inside the server's network.
func (s *server) in(do func() error) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		target, err := os.Open(s.host.Path())
		if err == nil {
			err = errors.Join(setns(target), do())
		}
		done <- err
	}()
	if err := <-done; err != nil {
		s.t.Fatal(err)
	}
}

// mounted runs the program that this test is as a mount process.
func (s *server) mounted(patience time.Duration) string {
	s.t.Helper()
	path := filepath.Join(s.dir, "mount")
	if err := os.MkdirAll(path, 0o755); err != nil {
		s.t.Fatal(err)
	}
	config := filepath.Join(s.dir, "mount.json")
	c := Config{Name: "test", Address: s.host.Address + ":2050", MountAddress: s.host.Address + ":2051", Export: "/export", Path: path, Patience: patience, Kernel: s.kernel}
	if err := c.Write(config); err != nil {
		s.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := s.host.Command(context.Background(), self)
	cmd.Env = append(os.Environ(), "NFSMOUNT_TEST_CONFIG="+config)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
			s.t.Error(err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var there, above syscall.Stat_t
		if syscall.Stat(path, &there) == nil && syscall.Stat(s.dir, &above) == nil && there.Dev != above.Dev {
			return path
		}
		if time.Now().After(deadline) {
			s.t.Fatal("the mount did not come")
		}
	}
}

func TestMain(m *testing.M) {
	if config := os.Getenv("NFSMOUNT_TEST_CONFIG"); config != "" {
		if err := Main(context.Background(), config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesBehaveAsDatabasesExpect(t *testing.T) {
	quick.Skip(t, quick.Media)
	s := newServer(t)
	dir := s.mounted(0)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, check := range map[string]func(t *testing.T){
		"what is written can be read, here and on the server": func(t *testing.T) {
			data := bytes.Repeat([]byte("load line\n"), 300_000) // more than one call takes
			must(t, os.WriteFile(at("big"), data, 0o640))
			for _, path := range []string{at("big"), filepath.Join(s.export, "big")} {
				if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s: %d bytes, %v", path, len(got), err)
				}
			}
		},
		"a rename takes the place of an open file, which lives on": func(t *testing.T) {
			must(t, os.WriteFile(at("old"), []byte("old"), 0o600))
			must(t, os.WriteFile(at("new"), []byte("new"), 0o600))
			f, err := os.Open(at("old"))
			must(t, err)
			defer f.Close()
			must(t, os.Rename(at("new"), at("old")))
			before := make([]byte, 3)
			_, err = f.ReadAt(before, 0)
			must(t, err)
			after, err := os.ReadFile(at("old"))
			if string(before) != "old" || string(after) != "new" || err != nil {
				t.Errorf("the open file holds %q, the name %q, %v", before, after, err)
			}
		},
		"a removed file lives until it is closed": func(t *testing.T) {
			sub := at("removed")
			must(t, os.Mkdir(sub, 0o700))
			f, err := os.Create(filepath.Join(sub, "file"))
			must(t, err)
			_, err = f.WriteString("still here")
			must(t, err)
			must(t, os.Remove(f.Name()))
			if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the name is still there: %v", err)
			}
			text := make([]byte, 10)
			if _, err := f.ReadAt(text, 0); err != nil || string(text) != "still here" {
				t.Errorf("read %q, %v", text, err)
			}
			must(t, f.Close())
			if err := awaitEmpty(filepath.Join(s.export, "removed")); err != nil {
				t.Error(err)
			}
			must(t, os.Remove(sub))
		},
		"a file is made once": func(t *testing.T) {
			f, err := os.OpenFile(at("once"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
			must(t, err)
			defer f.Close()
			if _, err := os.OpenFile(at("once"), os.O_CREATE|os.O_EXCL, 0o600); !errors.Is(err, os.ErrExist) {
				t.Errorf("made twice: %v", err)
			}
		},
		"files shrink and grow": func(t *testing.T) {
			must(t, os.WriteFile(at("size"), []byte("0123456789"), 0o600))
			must(t, os.Truncate(at("size"), 4))
			must(t, os.Truncate(at("size"), 8))
			if got, err := os.ReadFile(at("size")); err != nil || string(got) != "0123\x00\x00\x00\x00" {
				t.Errorf("%q, %v", got, err)
			}
		},
		"a directory with files stays": func(t *testing.T) {
			must(t, os.MkdirAll(at("full/inner"), 0o755))
			if err := syscall.Rmdir(at("full")); err != syscall.ENOTEMPTY {
				t.Errorf("error: %v", err)
			}
		},
		"many names are listed, each once": func(t *testing.T) {
			must(t, os.Mkdir(at("many"), 0o755))
			for i := range 500 {
				must(t, os.WriteFile(filepath.Join(at("many"), fmt.Sprint("file-with-a-long-name-", i)), nil, 0o600))
			}
			if all, err := os.ReadDir(at("many")); err != nil || len(all) != 500 {
				t.Errorf("%d names, %v", len(all), err)
			}
		},
		"links": func(t *testing.T) {
			must(t, os.WriteFile(at("one"), []byte("1"), 0o600))
			must(t, os.Link(at("one"), at("two")))
			must(t, os.Symlink("one", at("three")))
			must(t, os.Remove(at("one")))
			if got, err := os.ReadFile(at("two")); err != nil || string(got) != "1" {
				t.Errorf("%q, %v", got, err)
			}
			if to, err := os.Readlink(at("three")); err != nil || to != "one" {
				t.Errorf("%q, %v", to, err)
			}
		},
		"owner, mode and times": func(t *testing.T) {
			must(t, os.WriteFile(at("owned"), nil, 0o600))
			must(t, os.Chown(at("owned"), 65534, 65533))
			must(t, os.Chmod(at("owned"), 0o640))
			then := time.Unix(1_500_000_000, 123_000_000)
			must(t, os.Chtimes(at("owned"), then, then))
			info, err := os.Stat(filepath.Join(s.export, "owned"))
			must(t, err)
			st := info.Sys().(*syscall.Stat_t)
			if st.Uid != 65534 || st.Gid != 65533 || info.Mode() != 0o640 || !info.ModTime().Equal(then) {
				t.Errorf("%d:%d %v %v", st.Uid, st.Gid, info.Mode(), info.ModTime())
			}
		},
		"writers side by side": func(t *testing.T) {
			var all sync.WaitGroup
			for i := range 16 {
				all.Go(func() {
					data := bytes.Repeat([]byte{byte(i)}, 100_000)
					name := at(fmt.Sprint("writer-", i))
					if err := os.WriteFile(name, data, 0o600); err != nil {
						t.Error(err)
					} else if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, data) {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			all.Wait()
		},
		"direct and synchronous writes arrive": func(t *testing.T) {
			f, err := os.OpenFile(at("direct"), os.O_CREATE|os.O_RDWR|syscall.O_DIRECT|syscall.O_DSYNC, 0o600)
			must(t, err)
			defer f.Close()
			block := aligned(8192)
			copy(block, "first")
			_, err = f.WriteAt(block, 4096)
			must(t, err)
			got, err := os.ReadFile(at("direct"))
			if err != nil || len(got) != 4096+8192 || string(got[4096:4101]) != "first" {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		},
	} {
		t.Run(name, check)
	}
}

// awaitEmpty waits for the kernel to pass the last close on, which it does
// behind the caller's back.
func awaitEmpty(dir string) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		all, err := os.ReadDir(dir)
		if err != nil || len(all) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server still keeps %v", all)
		}
	}
}

// A restarted server has lost its unwritten data: the next fsync must not succeed.
func TestServerThatForgetsIsCalledOut(t *testing.T) {
	quick.Skip(t, quick.Media)
	s := newServer(t)
	dir := s.mounted(0)
	f, err := os.Create(filepath.Join(dir, "file"))
	must(t, err)
	defer f.Close()
	_, err = f.WriteString("flushed")
	must(t, err)
	must(t, f.Sync())
	_, err = f.WriteString("not flushed")
	must(t, err)
	s.kill()
	s.start()
	if err := f.Sync(); err == nil {
		t.Fatal("fsync succeeded although the server started anew after the write")
	}
	_, err = f.WriteString("again")
	must(t, err)
	if err := f.Sync(); err != nil {
		t.Errorf("fsync after the loss was told: %v", err)
	}
}

// A call that gets no answer fails after a while; nothing hangs.
func TestServerThatIsGoneGivesErrors(t *testing.T) {
	quick.Skip(t, quick.Media)
	s := newServer(t)
	dir := s.mounted(2 * time.Second)
	s.kill()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err == nil {
		t.Error("a server that is gone took a file")
	}
}

func TestUnknownExportIsRefused(t *testing.T) {
	s := newServer(t)
	s.in(func() error {
		_, err := nfs3.Mount(context.Background(), nfs3.Config{
			Address: s.host.Address + ":2050", MountAddress: s.host.Address + ":2051", Export: "/elsewhere"})
		if err == nil {
			return errors.New("an export that there is not was mounted")
		}
		return nil
	})
}
