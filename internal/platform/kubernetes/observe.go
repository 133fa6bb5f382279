package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/describe"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/telemetry"
	"plimsoll/internal/platform/telemetry/kubelet"
	"plimsoll/internal/platform/telemetry/prometheus"
	"plimsoll/internal/result"
)

// observer watches the nodes that a trial uses: by their kubelets, by tasks of ours
// where the study asks for them, and by an existing Prometheus where it names one.
type observer struct {
	k       *Kubernetes
	about   platform.Observation
	kubelet *kubelet.Sampler
	gauges  *telemetry.Sampler // of the servers' own counts
	nodes   nodes
	own     *watchers // nil unless asked for

	mu    sync.Mutex
	roles map[string]map[string]bool // of nodes, seen so far
	homes map[string]string          // of instances: the nodes that they run on

	stop sync.Once
	seen platform.Observed
}

// Observe begins to watch.
func (k *Kubernetes) Observe(ctx context.Context, about platform.Observation) (platform.Observer, error) {
	found, notes := k.findNodes(ctx)
	o := &observer{k: k, about: about, nodes: found, roles: map[string]map[string]bool{}, homes: map[string]string{}}
	o.seen.Notes = notes
	for _, t := range about.Tasks {
		if _, ok := t.Task.(inPod); !ok {
			return nil, fmt.Errorf("observe %s: it is no task of this platform", t.Name)
		}
	}
	o.watched() // so that nodes are known
	if k.parameters.Observer {
		var err error
		if o.own, err = k.watchNodes(ctx, about, o.used()); err != nil {
			o.seen.Notes = append(o.seen.Notes, "nodes are sampled by their kubelets alone: "+err.Error())
		}
	}
	steady := context.WithoutCancel(ctx) // it ends with Stop
	o.kubelet = kubelet.Start(steady, kubelet.Config{Get: k.askKubelet, Nodes: o.asked, Pods: o.watched, Start: about.Start, Seen: about.Seen})
	if about.Instances != nil {
		o.gauges = telemetry.Start(steady, telemetry.Config{Interval: about.Interval, Start: about.Start, Instances: o.meters, Seen: o.seenGauges()})
	}
	return o, nil
}

// inPod is what runs in a pod.
type inPod interface {
	platform.Clocked
	Pod() *corev1.Pod
}

// askKubelet asks by way of the API server.
func (k *Kubernetes) askKubelet(ctx context.Context, node, path string) (io.ReadCloser, error) {
	body, err := k.client.Kubelet(ctx, node, path)
	if err != nil {
		return nil, fmt.Errorf("ask its kubelet (nodes/proxy): %w", api.Explained(err))
	}
	return body, nil
}

// watched are the pods that run now.
func (o *observer) watched() (pods []kubelet.Pod) {
	for _, i := range o.instances() {
		if p, ok := i.Process.(*process); ok && p.pod != nil {
			if o.note(p.pod.Name, result.ApplicationRole, i.Name) {
				pods = append(pods, kubelet.Pod{Kind: describe.InstanceKind, Name: i.Name, Namespace: o.k.namespace, Pod: p.pod.Name, Container: serverContainer})
			}
		}
	}
	for _, t := range o.about.Tasks {
		pod := t.Task.(inPod).Pod()
		if o.note(pod.Name, result.DriverRole, "") {
			pods = append(pods, kubelet.Pod{Kind: describe.DriverKind, Name: t.Name, Namespace: pod.Namespace, Pod: pod.Name, Container: taskContainer})
		}
	}
	return pods
}

func (o *observer) instances() []platform.WatchedInstance {
	if o.about.Instances == nil {
		return nil
	}
	return o.about.Instances()
}

// note keeps what the node of a pod is there for; false where it has none yet.
func (o *observer) note(pod, role, instance string) bool {
	now := o.k.pods.Get(pod)
	if now == nil || now.Spec.NodeName == "" {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	node := now.Spec.NodeName
	if o.roles[node] == nil {
		o.roles[node] = map[string]bool{}
		if o.nodes.storage[node] {
			o.roles[node][result.StorageRole] = true
		}
	}
	o.roles[node][role] = true
	if instance != "" {
		o.homes[instance] = node
	}
	return true
}

// used are the nodes to watch: the nodes of the trial's pods and of the storage.
func (o *observer) used() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := maps.Clone(o.nodes.storage)
	for node := range o.roles {
		all[node] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// asked are the nodes whose kubelets are asked now.
func (o *observer) asked() (all []kubelet.Node) {
	clocks := o.clocks()
	for _, name := range o.used() {
		h := o.nodes.all[name]
		all = append(all, kubelet.Node{Name: name, Cores: h.Cores, Memory: h.Memory, Offset: clocks[name]})
	}
	return all
}

// meters ask the servers of instances what they count, from here.
func (o *observer) meters() (all []telemetry.Watched) {
	for _, i := range o.instances() {
		p, ok := i.Process.(*process)
		w := telemetry.Watched{Name: i.Name}
		switch {
		case ok:
			w.Sessions = i.SessionsAt(p.Asked)
			w.Gauge = telemetry.GaugeOf(i.Meter, p.Asked)
		case i.Process == nil:
			w.Sessions = i.SessionsAt(nil)
		}
		if w.Sessions != nil || w.Gauge != nil {
			all = append(all, w)
		}
	}
	return all
}

// Stop ends it and asks the Prometheus of the study.
func (o *observer) Stop(ctx context.Context) (platform.Observed, error) {
	o.stop.Do(func() {
		own, notes := o.own.stop(ctx)
		byKubelets, counted := o.kubelet.Stop(ctx), o.counted()
		o.seen.Notes = append(append(o.seen.Notes, notes...), o.kubelet.Notes()...)
		var asked prometheus.Answer
		if named := o.k.parameters.Prometheus; named != nil {
			asked = prometheus.Read(ctx, *named, prometheus.Span{From: o.about.Start, To: time.Now(), Start: o.about.Start, Own: o.nodes.names})
			o.seen.Notes = append(o.seen.Notes, asked.Notes...)
		}
		o.seen.Series = telemetry.Join(own, byKubelets, counted, asked.Series)
		o.seen.Machines = o.machines(asked.Machines)
	})
	return o.seen, nil
}

// counted are the gauges, on the nodes of their servers.
func (o *observer) counted() (gauges []result.Series) {
	if o.gauges == nil {
		return nil
	}
	all := o.gauges.Stop()
	o.seen.Notes = append(o.seen.Notes, o.gauges.Notes()...)
	return o.gaugesOf(all)
}

// seenGauges passes gauges on as they are read; nil where nobody asks.
func (o *observer) seenGauges() func([]result.Series) {
	if o.about.Seen == nil {
		return nil
	}
	return func(all []result.Series) { o.about.Seen(o.gaugesOf(all)) }
}

// gaugesOf are the gauges among the samples taken from here, each with the node of its
// server.
func (o *observer) gaugesOf(all []result.Series) (gauges []result.Series) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range all {
		server, _, _ := strings.Cut(s.Name, "/")
		s.Machine = o.homes[server] // an existing server has none
		if s.Kind == describe.GaugeKind && s.Machine != "" || s.Kind == describe.TimeKind || s.Kind == describe.WaitKind {
			gauges = append(gauges, s)
		}
	}
	return gauges
}

// machines are the nodes that were watched and those that a Prometheus reported,
// with their sizes and roles.
func (o *observer) machines(asked []result.Host) (all []result.Host) {
	known := map[string]result.Host{}
	for _, h := range asked {
		known[h.Name] = h
	}
	for _, name := range o.used() {
		h, t := o.nodes.all[name], known[name]
		h.Name, h.Cores, h.Memory = name, cmp.Or(h.Cores, t.Cores), cmp.Or(h.Memory, t.Memory)
		h.Roles = slices.Sorted(maps.Keys(o.roles[name]))
		if len(h.Roles) == 0 { // no pod of the trial ran there
			h.Roles = []string{result.StorageRole}
		}
		known[name] = h
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		h := known[name]
		if node, is := o.nodes.all[name]; is && len(h.Roles) == 0 {
			h.Cores, h.Memory, h.Roles = node.Cores, node.Memory, []string{} // a node that the trial does not use
		}
		all = append(all, h)
	}
	return all
}
