package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"

	"plimsoll/test/cluster/node"
)

func TestTheVersionIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("kube/go.mod")
	if err != nil || !strings.Contains(string(text), "k8s.io/kubernetes v"+version+"\n") {
		t.Errorf("kube/go.mod is not for Kubernetes %s: %v; run: test/cluster/kube/update %s", version, err, version)
	}
}

// bench is a cluster with what the tests ask it by.
type bench struct {
	*Cluster
	config *rest.Config
	kubernetes.Interface
}

// patience is how long anything may take on a busy machine.
const patience = 5 * time.Minute

// One cluster does everything that the tests of the platform need; then it is taken
// down, and the machine is as it was.
func TestCluster(t *testing.T) {
	mounted := mountOfARun(t)
	before := machine(t)
	directory := ""
	if !t.Run("up", func(t *testing.T) {
		b := bench{Cluster: Start(t, Options{})}
		directory = b.Directory()
		var err error
		if b.config, err = b.Config(); err != nil {
			t.Fatal(err)
		}
		if b.Interface, err = b.Client(); err != nil {
			t.Fatal(err)
		}
		t.Run("mounts", func(t *testing.T) { b.holdsNoMountOfARun(t, mounted) })
		t.Run("node", b.nodeIsReady)
		t.Run("images", b.imagesRun)
		t.Run("claims", b.claimsOfBothClasses)
		t.Run("slow disk", b.slowIsASimulatedDisk)
		t.Run("clone", b.cloneOfAClaim)
		t.Run("no clone", b.slowRefusesToClone)
		t.Run("database", b.databaseBehindAService)
		t.Run("claim never bound", b.claimThatIsNeverBound)
		t.Run("image not pulled", b.imageThatCannotBePulled)
		t.Run("quota", b.quotaExceeded)
		t.Run("permissions", b.permissionsOfAnAccount)
		t.Run("everything", b.everythingIsListed)
		t.Run("process killed", b.processKilled)
		t.Run("API server", b.apiServerRestarted)
		t.Run("kubelet", b.kubeletRestarted)
	}) {
		return
	}
	if directory != "" {
		nothingLeft(t, before, directory)
	}
}

// mountOfARun is something that a run has mounted on the machine.
func mountOfARun(t *testing.T) (path string) {
	if os.Geteuid() != 0 {
		return "" // Start reports the missing requirements
	}
	path = filepath.Join(t.TempDir(), "plimsoll-of-another-run")
	err := os.Mkdir(path, 0o700)
	if err == nil {
		err = unix.Mount("none", path, "tmpfs", 0, "size=1m")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(path, 0); err != nil {
			t.Error(err)
		}
	})
	return path
}

// A mount table that held it would keep its disk busy after the run.
func (b bench) holdsNoMountOfARun(t *testing.T, path string) {
	for process, want := range map[int]bool{os.Getpid(): true, b.pid: false} {
		table, err := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", process))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(table), path) != want {
			t.Errorf("process %d has %s mounted: %t, want %t", process, path, !want, want)
		}
	}
}

func (b bench) nodeIsReady(t *testing.T) {
	found, err := b.CoreV1().Nodes().Get(t.Context(), node.Node, metav1.GetOptions{})
	if err != nil || found.Status.NodeInfo.KubeletVersion != "v"+version {
		t.Fatalf("node %+v: %v", found.Status.NodeInfo, err)
	}
	t.Logf("node: %s, %s; %s of memory", found.Status.NodeInfo.KubeletVersion, found.Status.NodeInfo.ContainerRuntimeVersion, found.Status.Capacity.Memory())
}

// Every image starts as a user that it does not know, with a root that cannot be
// written to.
func (b bench) imagesRun(t *testing.T) {
	for name, command := range map[string][]string{
		"plimsoll": {"/plimsoll", "--version"},
		"tools":    {"/bin/sh", "-c", "id && ls /"},
		"postgres": {"/bin/sh", "-c", "exec /usr/lib/postgresql/*/bin/postgres --version"},
		"mariadb": {"/bin/sh", "-c", `mariadbd --version && mariadb-install-db --no-defaults --datadir=/tmp/data --skip-test-db \
			--skip-name-resolve --auth-root-authentication-method=normal >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }`},
		"nginx":   {"nginx", "-v"},
		"php-fpm": {"/bin/sh", "-c", "exec /usr/sbin/php-fpm* -v"},
	} {
		if b.Images[name] == "" {
			t.Logf("image %s: its programs are not installed here", name)
			continue
		}
		pod := b.pod("image-"+name, name, command...)
		output := b.toItsEnd(t, pod)
		t.Logf("%s: %s", b.Images[name], firstLine(output))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// A pod with a claim of each class writes to its volume, as a user that owns none
// of it.
func (b bench) claimsOfBothClasses(t *testing.T) {
	for _, class := range []string{"fast", "slow"} {
		b.claim(t, "of-"+class, class, nil)
		pod := b.pod("write-"+class, "tools", "/bin/sh", "-c", "echo kept > /volume/file && sync && cat /volume/file && df /volume")
		mount(pod, "of-"+class)
		if output := b.toItsEnd(t, pod); firstLine(output) != "kept" {
			t.Errorf("class %s: %s", class, output)
		}
	}
}

func (b bench) slowIsASimulatedDisk(t *testing.T) {
	claim, err := b.CoreV1().PersistentVolumeClaims("default").Get(t.Context(), "of-slow", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	volume, err := b.CoreV1().PersistentVolumes().Get(t.Context(), claim.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	device, err := b.Inside(t.Context(), "df", "--output=source", volume.Spec.Local.Path).Output()
	if err != nil || !strings.Contains(string(device), "/dev/loop") {
		t.Errorf("the volume is on %s: %v", device, err)
	}
	b.delete(t, "of-slow")
	eventually(t, "the volume is deleted", func(ctx context.Context) error {
		if b.Inside(ctx, "test", "-e", volume.Spec.Local.Path).Run() == nil {
			return fmt.Errorf("%s is there", volume.Spec.Local.Path)
		}
		return nil
	})
}

// golden shows a volume.
const golden = "stat -c '%n %a %u %g' /volume/data /volume/data/file && cat /volume/data/file"

// A clone has the contents, owners and modes of its source, and is its own.
func (b bench) cloneOfAClaim(t *testing.T) {
	b.claim(t, "golden", "fast", nil)
	prepare := b.pod("prepare", "tools", "/bin/sh", "-c", "mkdir -m 700 /volume/data && echo golden > /volume/data/file && chmod 600 /volume/data/file && "+golden)
	mount(prepare, "golden")
	source := b.toItsEnd(t, prepare)
	b.claim(t, "clone", "fast", &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "golden"})
	use := b.pod("use", "tools", "/bin/sh", "-c", golden+" && echo changed > /volume/data/file")
	mount(use, "clone")
	// Otherwise the kubelet would add the group's rights to the owner's.
	unchanged := corev1.FSGroupChangeOnRootMismatch
	use.Spec.SecurityContext.FSGroupChangePolicy = &unchanged
	if output := b.toItsEnd(t, use); output != source || !strings.HasSuffix(output, "golden\n") {
		t.Errorf("the clone has %q, its source %q", output, source)
	}
	look := b.pod("look", "tools", "/bin/cat", "/volume/data/file")
	mount(look, "golden")
	if output := b.toItsEnd(t, look); output != "golden\n" {
		t.Errorf("the source has %q afterwards", output)
	}
}

func (b bench) slowRefusesToClone(t *testing.T) {
	b.claim(t, "slow-golden", "slow", nil)
	prepare := b.pod("prepare-slow", "tools", "/bin/true")
	mount(prepare, "slow-golden")
	b.toItsEnd(t, prepare)
	b.claim(t, "slow-clone", "slow", &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "slow-golden"})
	pod := b.pod("use-slow", "tools", "/bin/true")
	mount(pod, "slow-clone")
	b.create(t, pod)
	eventually(t, "an event says why the claim is not bound", func(ctx context.Context) error {
		events, err := b.CoreV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=slow-clone"})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if e.Type == corev1.EventTypeWarning && strings.Contains(e.Message, "cannot clone volumes") {
				return nil
			}
		}
		return fmt.Errorf("%d events, none of them", len(events.Items))
	})
}

// A PostgreSQL server can be reached by the names of its services, by exec and by a forwarded
// port, and the kubelet reports its resource use.
func (b bench) databaseBehindAService(t *testing.T) {
	if b.Images["postgres"] == "" {
		t.Skip("PostgreSQL is not installed here")
	}
	for name, address := range map[string]string{"db": "", "db-headless": corev1.ClusterIPNone} {
		_, err := b.CoreV1().Services("default").Create(t.Context(), &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.ServiceSpec{ClusterIP: address, Selector: map[string]string{"app": "db"}, Ports: []corev1.ServicePort{{Port: 5432}}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.create(t, b.database(t))
	for _, host := range []string{"db", "db-headless", "db-0.db-headless.default.svc.cluster.local"} {
		ask := b.pod("ask-"+strings.ReplaceAll(host, ".", "-"), "postgres", "/bin/sh", "-c",
			"for i in 1 2 3 4 5 6 7 8 9 10; do /usr/lib/postgresql/*/bin/pg_isready -U app -d postgres -t 20 -h "+host+" && exit; sleep 2; done; exit 1")
		if output := b.toItsEnd(t, ask); !strings.Contains(output, "accepting connections") {
			t.Errorf("%s: %s", host, output)
		}
	}
	b.execInto(t)
	b.forwardTo(t)
	b.summary(t)
}

func (b bench) database(t *testing.T) *corev1.Pod {
	b.claim(t, "db", "fast", nil)
	pod := b.pod("db-0", "postgres", "/bin/sh", "-ec", `bin=$(echo /usr/lib/postgresql/*/bin)
$bin/initdb --pgdata=/volume/data --auth=trust --username=app --no-sync --locale=C
echo host all all 0.0.0.0/0 trust >> /volume/data/pg_hba.conf
exec $bin/postgres -D /volume/data -c listen_addresses=* -c unix_socket_directories=/tmp`)
	mount(pod, "db")
	pod.Labels = map[string]string{"app": "db"}
	pod.Spec.Hostname, pod.Spec.Subdomain = "db-0", "db-headless"
	nobody := int64(65534) // initdb asks for its user's name
	pod.Spec.SecurityContext.RunAsUser = &nobody
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi"), corev1.ResourceCPU: resource.MustParse("1")}
	return pod
}

func (b bench) execInto(t *testing.T) {
	request := b.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("db-0").SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{Command: []string{"/bin/sh", "-c", "cat; echo to stderr >&2"}, Stdin: true, Stdout: true, Stderr: true}, scheme.ParameterCodec)
	executor, err := remotecommand.NewSPDYExecutor(b.config, http.MethodPost, request.URL())
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err = executor.StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: strings.NewReader("through exec"), Stdout: &out, Stderr: &errs})
	if err != nil || out.String() != "through exec" || errs.String() != "to stderr\n" {
		t.Errorf("exec: %q, %q: %v", out.String(), errs.String(), err)
	}
}

func (b bench) forwardTo(t *testing.T) {
	transport, upgrader, err := spdy.RoundTripperFor(b.config)
	if err != nil {
		t.Fatal(err)
	}
	url := b.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("db-0").SubResource("portforward").URL()
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.New(dialer, []string{"0:5432"}, stop, ready, io.Discard, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	defer func() { close(stop); <-ended }()
	<-ready
	ports, err := forwarder.GetPorts()
	if err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(t.Context(), fmt.Sprintf("postgres://app@127.0.0.1:%d/postgres?sslmode=disable", ports[0].Local))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	var one int
	if err := connection.QueryRow(t.Context(), "select 1").Scan(&one); err != nil || one != 1 {
		t.Errorf("through the forwarded port: %d, %v", one, err)
	}
}

// summary asks the kubelet until it has measured the database's pod.
func (b bench) summary(t *testing.T) {
	eventually(t, "the kubelet has figures of the pod", func(ctx context.Context) error {
		data, err := b.CoreV1().RESTClient().Get().AbsPath("/api/v1/nodes/" + node.Node + "/proxy/stats/summary").DoRaw(ctx)
		if err != nil {
			return err
		}
		var found struct {
			Node struct{ CPU, Memory map[string]any }
			Pods []struct {
				PodRef      struct{ Name string }
				CPU, Memory map[string]any
				Network     map[string]any
			}
		}
		if err := json.Unmarshal(data, &found); err != nil {
			return err
		}
		for _, p := range found.Pods {
			if p.PodRef.Name == "db-0" && p.CPU["usageCoreNanoSeconds"] != nil && p.Memory["workingSetBytes"] != nil && found.Node.CPU["usageCoreNanoSeconds"] != nil {
				return nil
			}
		}
		return fmt.Errorf("stats/summary has %d pods", len(found.Pods))
	})
}

// What runs goes on without the API server, and is known again afterwards.
func (b bench) apiServerRestarted(t *testing.T) {
	pod := b.pod("through-api", "tools", "/bin/sh", "-c", "sleep 600")
	b.create(t, pod)
	started := b.running(t, pod.Name)
	if err := b.StopProgram(t.Context(), "kube-apiserver"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("the API server answers after it was ended")
	}
	if err := b.StartProgram(t.Context(), "kube-apiserver"); err != nil {
		t.Fatal(err)
	}
	if again := b.running(t, pod.Name); !again.Equal(&started) {
		t.Errorf("the container started at %v and %v", started, again)
	}
	b.toItsEnd(t, b.pod("after-api", "tools", "/bin/true"))
}

func (b bench) kubeletRestarted(t *testing.T) {
	pod := b.pod("through-kubelet", "tools", "/bin/sh", "-c", "sleep 600")
	b.create(t, pod)
	started := b.running(t, pod.Name)
	if err := b.RestartProgram(t.Context(), "kubelet"); err != nil {
		t.Fatal(err)
	}
	b.toItsEnd(t, b.pod("after-kubelet", "tools", "/bin/true"))
	if again := b.running(t, pod.Name); !again.Equal(&started) {
		t.Errorf("the container started at %v and %v", started, again)
	}
	if err := b.StartProgram(t.Context(), "no-such-program"); err == nil {
		t.Error("a program that does not exist was started")
	}
}
