package simnet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/namespace/namespacetest"
	"plimsoll/test/quick"
)

func network(t *testing.T, hosts ...string) *Network {
	l, _ := journalled(t, hosts...)
	return l
}

// journalled returns the path of the network's journal too.
func journalled(t *testing.T, hosts ...string) (*Network, string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	run := fmt.Sprintf("simnettest-%d-%d", os.Getpid(), time.Now().UnixNano()%1e6)
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Open(path, run)
	if err != nil {
		t.Fatal(err)
	}
	l := New(journal.Name(run), j)
	t.Cleanup(func() {
		if err := l.Down(); err != nil {
			t.Error(err)
		}
		j.Close()
		if left := journal.Leftovers(run); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	if err := l.Up(context.Background(), hosts); err != nil {
		t.Fatal(err)
	}
	return l, path
}

// outside is the machine itself, on which the programs of its other users run.
var outside Host

// reach opens a connection from one host to the other and checks what arrived.
func reach(t *testing.T, from, to Host, wait time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait+5*time.Minute) // to start two interpreters
	defer cancel()
	server := to.Command(ctx, "python3", "-c",
		"import socket;s=socket.create_server(('"+to.Address+"',7000));print('up',flush=True);s.settimeout(300);c,_=s.accept();c.sendall(b'hello')")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatalf("server: %v", err)
	}
	args := []string{"python3", "-c", fmt.Sprintf(
		"import socket;c=socket.create_connection(('%s',7000),%f);print(c.recv(9).decode())", to.Address, wait.Seconds())}
	client := exec.CommandContext(ctx, args[0], args[1:]...)
	if from != outside {
		client = from.Command(ctx, args...)
	}
	text, err := client.CombinedOutput()
	if err == nil && strings.TrimSpace(string(text)) != "hello" {
		return fmt.Errorf("received %q", text)
	}
	return err
}

func TestHostsReachEachOtherUntilTheLinkIsCut(t *testing.T) {
	quick.Skip(t, quick.Media)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3 as a peer")
	}
	l := network(t, "1", "client")
	one, client := l.Hosts()[0], l.Hosts()[1]
	if err := reach(t, client, one, 10*time.Second); err != nil {
		t.Fatalf("before the cut: %v", err)
	}
	// Storage servers ask for no password: nothing outside their network may reach them.
	if err := reach(t, outside, one, time.Second); err == nil {
		t.Error("a host is reached from outside its network")
	}
	if err := l.Cut(one); err != nil {
		t.Fatal(err)
	}
	if err := reach(t, client, one, time.Second); err == nil {
		t.Fatal("a host was reached over a link that is cut")
	}
	if err := l.Repair(one); err != nil {
		t.Fatal(err)
	}
	if err := reach(t, client, one, 10*time.Second); err != nil {
		t.Fatalf("after the repair: %v", err)
	}
}

func TestRateIsSetAtBothEndsAndLifted(t *testing.T) {
	l := network(t, "1")
	host := l.Hosts()[0]
	show := func() string {
		out, err := host.Command(context.Background(), "tc", "qdisc", "show", "dev", "eth0").CombinedOutput()
		if err != nil {
			t.Fatalf("tc: %v %s", err, out)
		}
		return string(out)
	}
	for rate, want := range map[uint64]string{1e9: "rate 1Gbit", 100e6: "rate 100Mbit"} {
		if err := l.SetRate(host, rate); err != nil {
			t.Fatal(err)
		}
		if got := show(); !strings.Contains(got, "tbf") || !strings.Contains(got, want) {
			t.Errorf("rate %d: %s", rate, got)
		}
	}
	if err := l.SetRate(host, 0); err != nil {
		t.Fatal(err)
	}
	if got := show(); strings.Contains(got, "tbf") {
		t.Errorf("still limited: %s", got)
	}
}

// firstIP does what hides namespaces on a machine where ip netns was never
// used, unless its directory was prepared.
func firstIP(t *testing.T) {
	t.Helper()
	for _, act := range []string{"add", "delete"} {
		if out, err := exec.Command("ip", "netns", act, "other").CombinedOutput(); err != nil {
			t.Fatalf("ip netns %s: %v %s", act, err, out)
		}
	}
}

func TestANetworkIsRemovedAfterTheFirstIPCommand(t *testing.T) {
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("the program ip is not installed")
	}
	if !namespacetest.OnNewMachine(t) {
		return
	}
	l := network(t, "1", "2")
	firstIP(t)
	if err := l.Down(); err != nil {
		t.Error(err)
	}
}

func TestALabThatIsHiddenIsSwept(t *testing.T) {
	if !namespacetest.OnNewMachine(t) {
		return
	}
	l, path := journalled(t, "1", "2")
	if err := unix.Mount("/run/netns", "/run/netns", "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		t.Fatal(err)
	}
	state, err := journal.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	state.RunID = l.journal.RunID
	for _, r := range journal.Sweep(t.Context(), state) {
		if r.Err != nil || !r.Found {
			t.Errorf("%s: found %t, %v", r.Object, r.Found, r.Err)
		}
	}
	if left := journal.Leftovers(state.RunID); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
