package kubernetes

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/claim"
	"plimsoll/internal/storage/device"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/storage/external"
	"plimsoll/internal/storage/s3"
)

func onPaper(change func(*Parameters)) *Kubernetes {
	p := defaults()
	if change != nil {
		change(p)
	}
	return &Kubernetes{env: platform.Env{RunID: "run"}, parameters: p, namespace: "plimsoll-run", owned: true, uid: 1000650000}
}

func podOf(t *testing.T, k *Kubernetes, s app.Server, v storage.Volume) *corev1.Pod {
	t.Helper()
	d, err := describeServer(s, v)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := k.pod(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

func aServer() app.Server {
	return app.Server{
		Name: "db-000", Image: "engine:1", Kind: "sql", Command: []string{"/db", "${VOLUME}/data"}, StopTimeout: 20 * time.Second,
		Files:  []app.File{{Path: "${RUNTIME}/password", Content: "secret on ${PORT}", Mode: 0o600}},
		Limits: describe.Limits{CPU: 0.25, Memory: 256 << 20}, Port: 5000,
	}
}

var aVolume = storage.Volume{Name: "v", Path: "/volumes/v", Claim: "v"}

func TestPodsMayDoLittle(t *testing.T) {
	pod := podOf(t, onPaper(nil), aServer(), aVolume)
	s := pod.Spec.SecurityContext
	if !*s.RunAsNonRoot || *s.RunAsUser != 1000650000 || *s.FSGroup != *s.RunAsGroup || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%+v", s)
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if *c.SecurityContext.AllowPrivilegeEscalation || len(c.SecurityContext.Capabilities.Drop) == 0 || c.SecurityContext.Privileged != nil {
			t.Errorf("%s: %+v", c.Name, c.SecurityContext)
		}
	}
	if *pod.Spec.AutomountServiceAccountToken || pod.Spec.RestartPolicy != corev1.RestartPolicyNever || *pod.Spec.TerminationGracePeriodSeconds != 30 {
		t.Errorf("%+v", pod.Spec)
	}
}

func TestSecretsAreNotInPods(t *testing.T) {
	k := onPaper(nil)
	d, err := describeServer(aServer(), aVolume)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := k.secret(d)
	if err != nil {
		t.Fatal(err)
	}
	text := string(secret.Data["server.json"])
	for _, want := range []string{"secret on 5000", "/runtime/server/password", "/volumes/v/data"} {
		if !strings.Contains(text, want) {
			t.Errorf("the description says nothing of %q: %s", want, text)
		}
	}
	if pod := podOf(t, k, aServer(), aVolume); strings.Contains(pod.String(), "secret on") {
		t.Error("a file's content is in the pod")
	}
	outside := aServer()
	outside.Files[0].Path = "${RUNTIME}/../other/file"
	if d, err := describeServer(outside, aVolume); err != nil {
		t.Error(err)
	} else if _, err := k.secret(d); err == nil {
		t.Error("a file lies outside of the server's directories")
	}
}

func TestLimitsAndTheirShare(t *testing.T) {
	pod := podOf(t, onPaper(func(p *Parameters) { p.Requests = 0.5 }), aServer(), aVolume)
	r := pod.Spec.Containers[0].Resources
	if r.Limits.Cpu().MilliValue() != 250 || r.Limits.Memory().Value() != 256<<20 || r.Requests.Cpu().MilliValue() != 125 || r.Requests.Memory().Value() != 128<<20 {
		t.Errorf("%+v", r)
	}
	free := aServer()
	free.Limits = describe.Limits{}
	if r := podOf(t, onPaper(nil), free, aVolume).Spec.Containers[0].Resources; len(r.Limits)+len(r.Requests) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestPlacement(t *testing.T) {
	at := Place{NodeSelector: map[string]string{"role": "application"}, Tolerations: []Toleration{{Key: "dedicated", Operator: "Exists"}}}
	for _, arrange := range []string{"", spread, pack} {
		at.Arrange = arrange
		spec := podOf(t, onPaper(func(p *Parameters) { p.Placement.Application = at }), aServer(), aVolume).Spec
		if spec.NodeSelector["role"] != "application" || spec.NodeSelector["kubernetes.io/os"] != "linux" || len(spec.Tolerations) != 1 {
			t.Errorf("%+v", spec)
		}
		if (len(spec.TopologySpreadConstraints) == 1) != (arrange == spread) || (spec.Affinity.PodAffinity != nil) != (arrange == pack) {
			t.Errorf("%q: %+v, %+v", arrange, spec.TopologySpreadConstraints, spec.Affinity)
		}
	}
	if len(at.NodeSelector) > 1 {
		t.Errorf("the parameters were changed: %v", at)
	}
	var spec corev1.PodSpec
	onPaper(nil).arrange(&spec, Place{AvoidInstances: true}, taskRole)
	if spec.Affinity.PodAntiAffinity == nil {
		t.Error("drivers do not avoid instances")
	}
}

func TestBlockClaims(t *testing.T) {
	k := onPaper(nil)
	c := storage.PlatformClaim{Claim: storage.Claim{Name: "v", Kind: endpoint.Device, Bytes: 1 << 30}, Class: "fast"}
	v := k.volume(c)
	if mode := k.claim(v, c).Spec.VolumeMode; mode == nil || *mode != corev1.PersistentVolumeBlock {
		t.Errorf("the claim of a device has volumeMode %v", mode)
	}
	var spec corev1.PodSpec
	var main corev1.Container
	for range 2 {
		if err := claimed(&spec, &main, v); err != nil {
			t.Fatal(err)
		}
	}
	at, err := endpoint.As[endpoint.Volume](v.Endpoint())
	if err != nil || len(main.VolumeMounts) > 0 || len(main.VolumeDevices) != 1 || main.VolumeDevices[0].DevicePath != at.Path || at.Bytes != 1<<30 || len(spec.Volumes) != 1 {
		t.Errorf("%+v has %+v and %+v, %v", v, main.VolumeDevices, main.VolumeMounts, err)
	}
	c.Kind = endpoint.Directory
	if mode := k.claim(k.volume(c), c).Spec.VolumeMode; mode != nil {
		t.Errorf("the claim of a file system has volumeMode %v", *mode)
	}
}

func TestServicesKeepAddresses(t *testing.T) {
	k := onPaper(nil)
	for _, v := range []storage.Volume{aVolume, {}} {
		s := aServer()
		s.Command = []string{"/db", "${PORT}"}
		d, err := describeServer(s, v)
		if err != nil {
			t.Fatal(err)
		}
		service := k.service(d)
		if (service.Spec.ClusterIP == corev1.ClusterIPNone) != (v.Path != "") || service.Spec.Ports[0].Port != 5000 {
			t.Errorf("%+v", service.Spec)
		}
		if k.address(d) != "db-000.plimsoll-run.svc:5000" {
			t.Error(k.address(d))
		}
	}
}

func TestParametersAreChecked(t *testing.T) {
	p := defaults()
	p.Namespace, p.PullSecret, p.Requests = "Not_A_Name", "no/secret", 1.5
	p.Images = map[string]string{"engine": "a; rm -rf /", "other": "registry.example:5000/engine@sha256:abc"}
	p.Placement.Application = Place{NodeSelector: map[string]string{"a b": "c", "kubernetes.io/os": "windows"}, AvoidInstances: true, Arrange: "heap"}
	p.Placement.Driver.Tolerations = []Toleration{{Value: "x"}, {Key: "k", Effect: "Never"}}
	var fields []string
	for _, e := range p.problems() {
		fields = append(fields, e.Path)
		if e.Text == "" {
			t.Errorf("%s is refused without a reason", e.Path)
		}
	}
	want := []string{"namespace", "pull_secret", "requests", "images.engine", "placement.application.node_selector.a b", "placement.application.node_selector.kubernetes.io/os", "placement.application.arrange",
		"placement.driver.tolerations[0].operator", "placement.driver.tolerations[1].effect", "placement.application.avoid_instances"}
	if !slices.Equal(fields, want) {
		t.Errorf("refused %q, want %q", fields, want)
	}
	if bad := defaults().problems(); len(bad) > 0 {
		t.Errorf("the defaults: %v", bad)
	}
}

func TestCapacityLeavesOutWhatIsTaken(t *testing.T) {
	taken := corev1.Pod{Spec: corev1.PodSpec{NodeName: "a", Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m"), corev1.ResourceMemory: resource.MustParse("3Gi")},
	}}}}}
	anyNode := defaults().wanted(Place{})
	nodes := []corev1.Node{aNode("a"), unready(aNode("b")), tainted(aNode("c"), "storage")}
	got := free(nodes, []corev1.Pod{taken}, anyNode)
	if *got.MemoryBytes != 5<<30 || got.Cores != 2.5 || len(got.Nodes) != 1 || !got.Placed {
		t.Fatalf("%+v", got)
	}
	if left := got.Nodes[0]; left.Name != "a" || left.MilliCPU != 2500 || left.MemoryBytes != 5<<30 || left.Servers != 109 {
		t.Errorf("left on the node: %+v", left)
	}
	tolerant := defaults().wanted(Place{Tolerations: []Toleration{{Key: "storage", Operator: "Exists"}}})
	if got := free(nodes, nil, tolerant); got.Cores != 8 {
		t.Errorf("%+v", got)
	}
	if got := free(nodes[1:], nil, anyNode); got.MemoryBytes != nil || len(got.Nodes) > 0 || !got.Placed {
		t.Errorf("no node takes any: %+v", got)
	}
}

// TestHosts: claims, buckets of an existing store, and storage that is only described; volumes
// of one machine are refused.
func TestHosts(t *testing.T) {
	for _, k := range []storage.Kind{claim.Kind{}, external.Kind{}, s3.Kind{}} {
		if err := (Kind{}).Hosts(k); err != nil {
			t.Errorf("%s: %v", k.Name(), err)
		}
	}
	for _, k := range []storage.Kind{directory.Kind{}, device.Kind{}} {
		if err := (Kind{}).Hosts(k); err == nil || !strings.Contains(err.Error(), "use the class claim") {
			t.Errorf("%s: %v", k.Name(), err)
		}
	}
}
