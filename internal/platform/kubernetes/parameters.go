package kubernetes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll/internal/app"
	"plimsoll/internal/describe"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/image"
	"plimsoll/internal/platform/telemetry/prometheus"
	"plimsoll/internal/text/version"
)

// Parameters are what a study may say of the platform.
type Parameters struct {
	Kubeconfig string `yaml:"kubeconfig,omitempty" json:"kubeconfig,omitempty" jsonschema:"description=File that says how to reach the cluster (default KUBECONFIG or ~/.kube/config)"`
	Context    string `yaml:"context,omitempty" json:"context,omitempty" jsonschema:"description=Context of that file (default the current one)"`
	Namespace  string `yaml:"namespace,omitempty" json:"namespace,omitempty" jsonschema:"description=Existing namespace to work in; without it every run makes one of its own"`
	// Images are by engine, and "plimsoll" for Plimsoll's own.
	Images     map[string]string `yaml:"images,omitempty" json:"images,omitempty" jsonschema:"description=Container images by engine and plimsoll for Plimsoll's own"`
	PullSecret string            `yaml:"pull_secret,omitempty" json:"pull_secret,omitempty" jsonschema:"description=Existing Secret in the namespace with the credentials of the registry"`
	Placement  Placement         `yaml:"placement,omitempty" json:"placement,omitempty" jsonschema:"description=Which nodes pods run on"`
	// Observer starts a task on each node that samples it every second.
	Observer     bool                   `yaml:"observer,omitempty" json:"observer,omitempty" jsonschema:"description=Sample nodes every second by a pod of Plimsoll on each; kubelets alone give a value every ten seconds or so"`
	StorageNodes map[string]string      `yaml:"storage_nodes,omitempty" json:"storage_nodes,omitempty" jsonschema:"description=Labels of the nodes that serve volumes; they are watched too"`
	Prometheus   *prometheus.Parameters `yaml:"prometheus,omitempty" json:"prometheus,omitempty" jsonschema:"description=Existing Prometheus that is asked what nodes and storage did"`
	// Requests are the share of its limits that a pod asks the scheduler for.
	Requests float64 `yaml:"requests,omitempty" json:"requests,omitempty" jsonschema:"description=Share of its limits that the scheduler keeps for a pod,exclusiveMinimum=0,maximum=1"`
	// Described stands in for the cluster in plan --offline.
	Described *platform.Description `yaml:"described,omitempty" json:"described,omitempty" jsonschema:"description=Cluster that plan --offline takes in place of asking one"`
}

// Placement says where pods run.
type Placement struct {
	Application Place `yaml:"application,omitempty" json:"application,omitempty" jsonschema:"description=Servers of instances"`
	Driver      Place `yaml:"driver,omitempty" json:"driver,omitempty" jsonschema:"description=Drivers and other tasks"`
}

// Place says which nodes pods of one role run on.
type Place struct {
	NodeSelector map[string]string `yaml:"node_selector,omitempty" json:"node_selector,omitempty" jsonschema:"description=Labels that a node must have"`
	Tolerations  []Toleration      `yaml:"tolerations,omitempty" json:"tolerations,omitempty" jsonschema:"description=Taints of nodes that do not keep the pods away"`
	Arrange      string            `yaml:"arrange,omitempty" json:"arrange,omitempty" jsonschema:"description=Over the nodes evenly or on as few as possible; without it as the scheduler likes,enum=spread,enum=pack"`
	// AvoidInstances keeps them off nodes where servers run.
	AvoidInstances bool `yaml:"avoid_instances,omitempty" json:"avoid_instances,omitempty" jsonschema:"description=Keep off the nodes that servers of instances run on"`
}

// Toleration lets pods run on nodes with a taint.
type Toleration struct {
	Key      string `yaml:"key,omitempty" json:"key,omitempty" jsonschema:"description=Key of the taint; without it all"`
	Operator string `yaml:"operator,omitempty" json:"operator,omitempty" jsonschema:"description=How the value is compared (default Equal),enum=Equal,enum=Exists"`
	Value    string `yaml:"value,omitempty" json:"value,omitempty" jsonschema:"description=Value of the taint"`
	Effect   string `yaml:"effect,omitempty" json:"effect,omitempty" jsonschema:"description=Effect of the taint; without it all,enum=NoSchedule,enum=PreferNoSchedule,enum=NoExecute"`
}

// Ways to arrange pods over nodes.
const (
	spread = "spread"
	pack   = "pack"
)

// own is Plimsoll's own image in Parameters.Images.
const own = "plimsoll"

// defaults are fresh parameters.
func defaults() *Parameters { return &Parameters{Requests: 1} }

// Locate says how the cluster is reached, where it is not empty.
func (p *Parameters) Locate(kubeconfig, context string) {
	if kubeconfig != "" {
		p.Kubeconfig = kubeconfig
	}
	if context != "" {
		p.Context = context
	}
}

// Cluster is how the cluster is reached.
func (p *Parameters) Cluster() (kubeconfig, context string) { return p.Kubeconfig, p.Context }

// Inside has the cluster reached as its own pods reach it.
func (p *Parameters) Inside() { p.Kubeconfig, p.Context = "", "" }

// PlimsollImage is the image of Plimsoll, with the Secret that it is pulled with,
// if any.
func (p *Parameters) PlimsollImage() (reference, pullSecret string) {
	return p.ownImage(), p.PullSecret
}

// UseImages has images, by engine, in place of others.
func (p *Parameters) UseImages(images map[string]string) {
	if p.Images == nil && len(images) > 0 {
		p.Images = map[string]string{}
	}
	maps.Copy(p.Images, images)
}

// ownImage is the reference of Plimsoll's own image.
func (p *Parameters) ownImage() string { return cmp.Or(p.Images[own], image.Reference(version.Get())) }

// imageOf is the reference of an engine's image.
func (p *Parameters) imageOf(e app.Engine, version string) (string, error) {
	if named := p.Images[e.Name()]; named != "" {
		return named, nil
	}
	can := e.Capabilities()
	if can.Builtin {
		return p.ownImage(), nil
	}
	if can.Image != nil {
		return can.Image(version), nil
	}
	return "", fmt.Errorf("there is no image for %s: name one as images.%s in the platform of the study", e.Name(), e.Name())
}

// problems collects the faults of parameters, in the words of the cluster's own checks.
type problems struct{ describe.Problems }

func (p *problems) add(path string, reasons []string) {
	p.Unless(len(reasons) == 0, path, "%s", strings.Join(reasons, "; "))
}

func (p *Parameters) problems() []describe.Problem {
	var bad problems
	if p.Namespace != "" {
		bad.add("namespace", validation.IsDNS1123Label(p.Namespace))
	}
	if p.PullSecret != "" {
		bad.add("pull_secret", validation.IsDNS1123Subdomain(p.PullSecret))
	}
	if p.PullSecret != "" && p.Namespace == "" {
		bad.add("pull_secret", []string{"a Secret lies in a namespace: name that too, as namespace"})
	}
	if !(p.Requests > 0 && p.Requests <= 1) {
		bad.add("requests", []string{fmt.Sprintf("%g is no share: use more than 0 and at most 1", p.Requests)})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Images)) {
		bad.add("images."+name, imageProblems(p.Images[name]))
	}
	for _, key := range slices.Sorted(maps.Keys(p.StorageNodes)) {
		bad.add("storage_nodes."+key, append(validation.IsQualifiedName(key), validation.IsValidLabelValue(p.StorageNodes[key])...))
	}
	if p.Prometheus != nil {
		for _, problem := range p.Prometheus.Problems() {
			bad.add("prometheus."+problem.Path, []string{problem.Text})
		}
	}
	bad.Problems = append(bad.Problems, p.Described.Problems(true)...)
	bad.place("placement.application", p.Placement.Application)
	bad.place("placement.driver", p.Placement.Driver)
	if p.Placement.Application.AvoidInstances {
		bad.add("placement.application.avoid_instances", []string{"instances cannot avoid themselves: use arrange: spread"})
	}
	return bad.Problems
}

// imageProblems looks for what no reference of an image may hold; the rest the
// cluster knows.
func imageProblems(reference string) []string {
	if reference == "" || strings.ContainsFunc(reference, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(reference, `"'\$;`) || reference[0] == '-' {
		return []string{fmt.Sprintf("%q is no reference of an image, such as alpine:3", reference)}
	}
	return nil
}

func (p *problems) place(field string, at Place) {
	for _, key := range slices.Sorted(maps.Keys(at.NodeSelector)) {
		p.add(field+".node_selector."+key, append(validation.IsQualifiedName(key), validation.IsValidLabelValue(at.NodeSelector[key])...))
	}
	if system, named := at.NodeSelector[corev1.LabelOSStable]; named && system != linux {
		p.add(field+".node_selector."+corev1.LabelOSStable, []string{fmt.Sprintf("pods run on %s alone, not on %s", linux, system)})
	}
	for i, t := range at.Tolerations {
		where := fmt.Sprintf("%s.tolerations[%d]", field, i)
		if t.Key != "" {
			p.add(where+".key", validation.IsQualifiedName(t.Key))
		} else if t.Operator != "Exists" {
			p.add(where+".operator", []string{"without a key it must be Exists"})
		}
		if t.Operator == "Exists" && t.Value != "" {
			p.add(where+".value", []string{"with the operator Exists there is no value"})
		}
		p.add(where+".value", validation.IsValidLabelValue(t.Value))
		p.among(where+".operator", t.Operator, "", "Equal", "Exists")
		p.among(where+".effect", t.Effect, "", "NoSchedule", "PreferNoSchedule", "NoExecute")
	}
	p.among(field+".arrange", at.Arrange, "", spread, pack)
}

func (p *problems) among(field, value string, known ...string) {
	if !slices.Contains(known, value) {
		p.add(field, []string{fmt.Sprintf("%q is unknown; use one of %s", value, strings.Join(slices.DeleteFunc(known, func(k string) bool { return k == "" }), ", "))})
	}
}
