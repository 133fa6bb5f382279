package pages_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/dvdstore/pages"
	"plimsoll/internal/workload/workloadtest"
)

// seed of the loaded databases, and workers of PHP.
const seed, workers = 4711, 3

var engines = []app.Engine{postgres.Engine{}, mariadb.Engine{}}

// stack is a shop: a loaded database, php-fpm and nginx in front of it.
type stack struct {
	db         *workloadtest.Instance
	engine     app.Engine
	parameters *dvdstore.Parameters
	dir        string
	client     *http.Client
	receipts   [][]byte // of all orders
}

func parameters(version int, size string) *dvdstore.Parameters {
	p := dvdstore.Workload{}.Defaults().(*dvdstore.Parameters)
	p.Version, p.Size = version, size
	return p
}

// start starts a shop whose database is of a version; the site has the pages
// of both. It ends with the test.
func start(t *testing.T, e app.Engine, p *dvdstore.Parameters) *stack {
	t.Helper()
	s := &stack{engine: e, parameters: p, dir: t.TempDir()}
	s.db = workloadtest.Start(t, e, "db", dvdstore.Workload{}.Dataset(p, workload.Kinds{"db": e.Kind()}, seed))
	if err := (dvdstore.Workload{}).Prepare(t.Context(), s.db.Admin(), p, seed, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	s.write(t, "peers.php", peers(s.peer(t)), 0o600)
	for _, version := range []int{2, 3} {
		for path, text := range pages.Files(version) {
			s.write(t, "site/"+path, text, 0o644)
		}
	}
	s.fpm(t)
	s.nginx(t)
	socket := s.directory("nginx.sock")
	s.client = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

func (s *stack) directory(name string) string { return filepath.Join(s.dir, name) }

func (s *stack) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	path := s.directory(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// peer is the database as PHP reaches it: by a link to its socket, which the
// test sets anew when the database has moved.
func (s *stack) peer(t *testing.T) workload.Endpoint {
	t.Helper()
	e := s.db.Target().Endpoint("db")
	if e.Network != "unix" {
		return e
	}
	link := s.directory(filepath.Base(e.Address))
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := os.Symlink(e.Address, link); err != nil {
		t.Fatal(err)
	}
	e.Address = link
	return e
}

// peers tells the pages where the database is.
func peers(e workload.Endpoint) string {
	quoted := func(text string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'" }
	return "<?php return ['db' => ['kind' => " + quoted(e.Kind) + ", 'network' => " + quoted(e.Network) + ", 'address' => " + quoted(e.Address) +
		", 'database' => " + quoted(e.Database) + ", 'user' => " + quoted(e.User) + ", 'password' => " + quoted(e.Password) + "]];\n"
}

// phpFPM finds php-fpm, or skips the test.
func phpFPM(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/sbin/php-fpm[0-9]*")
	if len(found) == 0 {
		t.Skip("php-fpm is not installed (Debian packages php-fpm, php-pgsql and php-mysql)")
	}
	return found[len(found)-1]
}

func nginxProgram(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/sbin/nginx", "/usr/bin/nginx"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("nginx is not installed (Debian package nginx)")
	return ""
}

func (s *stack) fpm(t *testing.T) {
	t.Helper()
	program := phpFPM(t)
	s.write(t, "fpm.conf", fmt.Sprintf(`[global]
daemonize = no
error_log = %[1]s/fpm.log
[www]
%[3]s
listen = %[1]s/fpm.sock
pm = static
pm.max_children = %[2]d
php_admin_value[include_path] = %[1]s
php_admin_value[error_log] = %[1]s/php.log
php_admin_flag[log_errors] = on
php_admin_flag[display_errors] = on
`, s.dir, workers, rootOnly("user = root\ngroup = root")), 0o600)
	s.run(t, program, "-d", "opcache.enable=1", "-d", "opcache.validate_timestamps=0", "-d", "opcache.file_update_protection=0", "--nodaemonize", "--allow-to-run-as-root", "--fpm-config", s.directory("fpm.conf"))
	await(t, s.directory("fpm.sock"))
}

func rootOnly(text string) string {
	if os.Geteuid() == 0 {
		return text
	}
	return ""
}

func (s *stack) nginx(t *testing.T) {
	t.Helper()
	listen := "listen unix:" + s.directory("nginx.sock") + ";"
	if port := os.Getenv("PAGES_PORT"); port != "" {
		listen += " listen 127.0.0.1:" + port + ";"
	}
	s.write(t, "nginx.conf", fmt.Sprintf(`%[3]s
daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log %[1]s/nginx.log;
events {}
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 1h;
  client_body_temp_path %[1]s/t1; fastcgi_temp_path %[1]s/t2; proxy_temp_path %[1]s/t3; scgi_temp_path %[1]s/t4; uwsgi_temp_path %[1]s/t5;
  large_client_header_buffers 4 32k;
  server { %[2]s
    location ~ \.php$ {
      fastcgi_pass unix:%[1]s/fpm.sock;
      fastcgi_param SCRIPT_FILENAME %[1]s/site$uri;
      fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type; fastcgi_param CONTENT_LENGTH $content_length;
    }
  }
}
`, s.dir, listen, rootOnly("user root;")), 0o600)
	s.run(t, nginxProgram(t), "-p", s.dir, "-e", s.directory("nginx.log"), "-c", s.directory("nginx.conf"))
	await(t, s.directory("nginx.sock"))
}

// run runs a server until the test ends.
func (s *stack) run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	cmd := exec.Command(program, arguments...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	started := make(chan error)
	go func() { // Pdeathsig is about the thread that starts it, which must stay
		runtime.LockOSThread()
		started <- cmd.Start()
		cmd.Wait()
		close(started)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-started
	})
}

// await waits until something listens on a socket.
func await(t *testing.T, socket string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			return
		}
	}
	t.Fatalf("nothing listens on %s", socket)
}

// log gives what PHP has logged.
func (s *stack) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(s.directory("php.log"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// TestServe serves a shop by hand: PAGES_PORT=8080 PAGES_ENGINE=postgres
// [PAGES_VERSION=3] [PAGES_SIZE=10MB] go test -run TestServe -timeout 0
func TestServe(t *testing.T) {
	for _, e := range engines {
		if e.Name() == os.Getenv("PAGES_ENGINE") {
			version, _ := strconv.Atoi(os.Getenv("PAGES_VERSION"))
			s := start(t, e, parameters(max(version, 2), "10MB"))
			fmt.Println("serving; remove to stop:", s.dir)
			for {
				time.Sleep(time.Second)
				if _, err := os.Stat(s.dir); err != nil {
					return
				}
			}
		}
	}
	t.Skip("PAGES_ENGINE names no engine to serve a shop with")
}
