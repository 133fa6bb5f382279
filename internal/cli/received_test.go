package cli

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"plimsoll/internal/cli/command"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/result"
	"plimsoll/internal/text/version"
	"plimsoll/test/quick"
)

// execs is a kubeconfig whose credentials come from a program, which makes a file.
func execs(file string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", insecure-skip-tls-verify: true}}]
contexts: [{name: theirs, context: {cluster: c, user: u}}]
current-context: theirs
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: /usr/bin/touch, args: [%q]}}}]
`, file)
}

const onCluster = "platform: {name: kubernetes, kubeconfig: %s, context: theirs}\n"

// A run directory that was received executes nothing by the kubeconfig that came with it,
// whatever looks at it, cleans it or goes on with it.
func TestAReceivedRunExecutesNothing(t *testing.T) {
	quick.Skip(t, quick.Seconds)
	s := newSite(t)
	dir := received(t)
	executed := filepath.Join(s.Dir, "executed")
	config := s.Write(filepath.Join(dir, "kubeconfig"), execs(executed))
	link := filepath.Join(dir, "link")
	if err := os.Symlink("kubeconfig", link); err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(dir, result.PlanFile)
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{config, filepath.Join(dir, "kubeconfig"), link} {
		with := strings.Replace(string(text), `"study":{`, fmt.Sprintf(`"study":{"platform":{"name":"kubernetes","parameters":{"kubeconfig":%q,"context":"theirs"}},`, path), 1)
		if with == string(text) {
			with = strings.Replace(string(text), `"study": {`, fmt.Sprintf(`"study": {"platform":{"name":"kubernetes","parameters":{"kubeconfig":%q,"context":"theirs"}},`, path), 1)
		}
		if with == string(text) {
			t.Fatal("the plan has no study")
		}
		s.Write(plan, with)
		s.Write(filepath.Join(dir, result.JournalFile), fmt.Sprintf(`{"act":"note","event":"run-started","detail":{"run":"received-abcdefgh","machine":%q,"uid":"%d","version":%q}}
{"act":"making","object":{"kind":"cluster namespace","name":"x","path":"theirs","config":%q}}
`, journal.MachineID(), os.Geteuid(), version.Get(), path))
		for args, want := range map[string]string{
			"list": "", "show " + dir: "", "report " + dir: "", "ask-for-help " + dir + " -o help.tar.gz": "",
			"clean":                         "delete namespace x",
			"clean " + dir:                  "delete namespace x",
			"clean --force " + dir:          "delete namespace x",
			"clean --all":                   "",
			"run --resume " + dir:           "", // its study is none
			"run --resume received --force": "--adopt",
			"run --force --resume " + dir:   "--adopt",
			"compare " + dir + " " + dir:    "",
		} {
			code, out, errs := s.plimsoll(strings.Fields(args)...)
			if !strings.Contains(out+errs, want) || strings.HasPrefix(args, "run ") && code == 0 {
				t.Errorf("%s: exit code %d, %q is missing in\n%s%s", args, code, want, out, errs)
			}
			if command.Exists(executed) {
				t.Fatalf("%s executed what the run's kubeconfig names", args)
			}
		}
	}
}

// listening listens on an address and counts the connections to it.
func listening(t *testing.T) (at string, asked *atomic.Int32) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	asked = &atomic.Int32{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), asked
}

// Without permission, plan sends nothing to a host that a study names, and reads no secret for
// it; it prints the questions it would ask, and their hosts. With permission, it prints them first.
func TestPlanAsksNobodyUntold(t *testing.T) {
	s := newSite(t)
	executed := filepath.Join(s.Dir, "executed")
	config := s.Write("kubeconfig", execs(executed))
	t.Setenv("ACCESS", "access")
	t.Setenv("SECRET", "secret")
	secret := s.Write("secret", "hunter2\n")
	if err := os.Chmod(secret, 0o600); err != nil {
		t.Fatal(err)
	}
	head := "study: theirs\nladder: [1]\nload: {users: 1}\n"
	for name, c := range map[string]struct{ study, asks string }{
		"database":  {head + "workload: {name: oltp}\nengine: {name: postgres, existing: {servers: [\"HOST/x\"], user: u, password_file: " + secret + "}}\nstorage: {a: {class: external, text: x}}\n", "HOST/x as user u with the password from the file " + secret},
		"variables": {head + "workload: {name: objects, parameters: {mix: \"get:70, put:30\", sizes: 16KiB, objects: 20}}\nstorage: {a: {class: s3, urls: [\"http://HOST\"], access_key_env: ACCESS, secret_key_env: SECRET}}\n", "http://HOST with the access key in the variable ACCESS and the secret key in SECRET"},
		"keys":      {head + "workload: {name: objects, parameters: {mix: \"get:70, put:30\", sizes: 16KiB, objects: 20}}\nstorage: {a: {class: s3, urls: [\"http://HOST\"], keys_file: /no/such/file}}\n", "with the keys from the file /no/such/file"},
	} {
		at, asked := listening(t)
		c.study, c.asks = strings.ReplaceAll(c.study, "HOST", at), strings.ReplaceAll(c.asks, "HOST", at)
		file := s.Write(name+".yaml", c.study)
		code, out, errs := s.plimsoll("plan", file)
		flat := strings.Join(strings.Fields(out), " ")
		if code != 0 || asked.Load() != 0 || !strings.Contains(flat, "not asked: ") || !strings.Contains(flat, c.asks) || !strings.Contains(flat, "plan --ask") || strings.Contains(out+errs, "hunter2") {
			t.Errorf("%s: exit code %d, asked %d times\n%s%s", name, code, asked.Load(), out, errs)
		}
		_, out, errs = s.plimsoll("plan", file, "--ask")
		if strings.Contains(out, "not asked") || !strings.Contains(strings.Join(strings.Fields(errs), " "), "asks ") || !strings.Contains(strings.Join(strings.Fields(errs), " "), c.asks) {
			t.Errorf("%s, told to ask:\n%s%s", name, out, errs)
		}
		if (asked.Load() > 0) != (name != "keys") {
			t.Errorf("%s, told to ask: asked %d times", name, asked.Load())
		}
	}
	file := s.Write("cluster.yaml", small+fmt.Sprintf(onCluster, config))
	if code, out, errs := s.plimsoll("plan", file); code != command.ExitUsage || !strings.Contains(errs, "--ask") || command.Exists(executed) {
		t.Errorf("a study with a kubeconfig: exit code %d\n%s%s", code, out, errs)
	}
	if _, out, errs := s.plimsoll("plan", file, "--ask"); !command.Exists(executed) { // the near miss: it was told to
		t.Errorf("the cluster was not asked:\n%s%s", out, errs)
	}
}
