package kubernetes

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/describe"
)

// list makes one of "cpu 1 memory 2Gi".
func list(text string) corev1.ResourceList {
	all := corev1.ResourceList{}
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		all[corev1.ResourceName(words[i])] = resource.MustParse(words[i+1])
	}
	return all
}

// quota makes a quota with the given limits and usage.
func quota(hard, used string, scopes ...corev1.ScopedResourceSelectorRequirement) corev1.ResourceQuota {
	var q corev1.ResourceQuota
	q.Name, q.Namespace = "q", "team"
	q.Spec.Hard, q.Status.Hard, q.Status.Used = list(hard), list(hard), list(used)
	if len(scopes) > 0 {
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: scopes}
	}
	return q
}

func scope(name corev1.ResourceQuotaScope, operator corev1.ScopeSelectorOperator, values ...string) corev1.ScopedResourceSelectorRequirement {
	return corev1.ScopedResourceSelectorRequirement{ScopeName: name, Operator: operator, Values: values}
}

func limitRange(items ...corev1.LimitRangeItem) corev1.LimitRange {
	var l corev1.LimitRange
	l.Name, l.Namespace = "l", "team"
	l.Spec.Limits = items
	return l
}

// four instances, each of a server of 1 CPU and 512 MiB with a volume of 4 GiB; another
// volume has the data set. One driver asks for 250m and 128Mi and has no limits.
var four = describe.Demand{
	Instances: 4, Drivers: 1,
	Servers: slices.Repeat([]describe.Limits{{CPU: 1, Memory: 512 << 20}}, 4),
	Volumes: slices.Repeat([]describe.ClaimedVolume{{StorageClass: "fast", Bytes: 4 << 30}}, 5),
}

// Each kind of resource is compared: just enough is let pass, a little less is refused.
func TestQuotasAreCompared(t *testing.T) {
	for _, c := range []struct{ enough, less, used, want string }{ // used counts against less
		{"pods 5", "pods 5", "pods 1", "quota q of namespace team allows 5 of pods, of which 1 is used, and 4 instances need 5"},
		{"count/pods 5", "count/pods 4", "", "need 5"},
		{"cpu 4250m", "cpu 4249m", "", "need 4250m"},
		{"requests.cpu 5", "requests.cpu 5", "requests.cpu 1", "allows 5 of requests.cpu, of which 1 is used, and 4 instances need 4250m"},
		{"memory 2176Mi", "memory 2175Mi", "", "need 2176Mi"},
		{"requests.memory 2176Mi", "requests.memory 2175Mi", "", "need 2176Mi"},
		{"requests.storage 20Gi", "requests.storage 19Gi", "", "allows 19Gi of requests.storage, of which 0 is used, and 4 instances need 20Gi"},
		{"fast.storageclass.storage.k8s.io/requests.storage 20Gi", "fast.storageclass.storage.k8s.io/requests.storage 1Gi", "", "need 20Gi"},
		{"fast.storageclass.storage.k8s.io/persistentvolumeclaims 5", "fast.storageclass.storage.k8s.io/persistentvolumeclaims 4", "", "need 5"},
		{"slow.storageclass.storage.k8s.io/requests.storage 0", "", "", ""},
		{"persistentvolumeclaims 5", "persistentvolumeclaims 4", "", "need 5"},
		{"count/persistentvolumeclaims 5", "count/persistentvolumeclaims 1", "", "need 5"},
		{"services 4", "services 1", "", "need 4"},
		{"count/services 4", "count/services 3", "", "need 4"},
		{"secrets 4", "secrets 1", "", "need 4"},
		{"count/secrets 4", "count/secrets 3", "", "need 4"},
		{"configmaps 0 count/jobs.batch 0 services.nodeports 0", "", "", ""},
		{"requests.ephemeral-storage 0 limits.ephemeral-storage 0 ephemeral-storage 0", "", "", ""},
		{"requests.nvidia.com/gpu 0 hugepages-2Mi 0", "", "", ""},
	} {
		r := rules{parameters: defaults()}
		for n, hard := range []string{c.enough, c.less} {
			if hard == "" {
				continue
			}
			r.quotas = []corev1.ResourceQuota{quota(hard, choose(n == 1, c.used, ""))}
			got := r.refuses(four)
			if n == 0 && got != "" || n == 1 && !strings.Contains(got, c.want) {
				t.Errorf("%s: %q, want %q", hard, got, c.want)
			}
			if notes := r.uncompared(r.quotas[0]); len(notes) > 0 {
				t.Errorf("%s: %q", hard, notes)
			}
		}
	}
}

func TestAnEmptyDemandBreaksNoRule(t *testing.T) {
	r := rules{parameters: defaults(), quotas: []corev1.ResourceQuota{quota("pods 0 requests.storage 0", "pods 7")}}
	if got := r.refuses(describe.Demand{}); got != "" {
		t.Error(got)
	}
	one := describe.Demand{Instances: 1, Drivers: 1}
	if got := r.refuses(one); !strings.Contains(got, "1 instance needs 1") {
		t.Error(got)
	}
	r.quotas[0].Status = corev1.ResourceQuotaStatus{} // nobody has counted yet
	if got := r.refuses(one); !strings.Contains(got, "allows 0 of pods") {
		t.Error(got)
	}
}

// Where a quota counts limits, every container needs one, which a limit range may give.
func TestQuotasOfLimits(t *testing.T) {
	r := rules{parameters: defaults(), quotas: []corev1.ResourceQuota{quota("limits.cpu 4500m limits.memory 4Gi", "")}}
	if got := r.refuses(four); !strings.Contains(got, "quota q of namespace team counts limits.cpu, of which the containers of drivers have no figure") {
		t.Error(got)
	}
	r.ranges = []corev1.LimitRange{limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: list("cpu 500m memory 1Gi")})}
	if got := r.refuses(four); got != "" {
		t.Error(got)
	}
	r.quotas = []corev1.ResourceQuota{quota("limits.memory 2Gi", "")}
	if got := r.refuses(four); !strings.Contains(got, "allows 2Gi of limits.memory") || !strings.Contains(got, "need 3Gi") {
		t.Error(got)
	}
	r.quotas, r.ranges = []corev1.ResourceQuota{quota("limits.ephemeral-storage 1", "")}, nil // which need not be said
	if got := r.refuses(four); got != "" {
		t.Error(got)
	}
}

// A quota counts objects that are in all of its scopes.
func TestScopesOfQuotas(t *testing.T) {
	const (
		refused = "4 instances need 5"
		exists  = corev1.ScopeSelectorOpExists
	)
	none, high := "", "high"
	for _, c := range []struct {
		name     string
		scopes   []corev1.ScopedResourceSelectorRequirement
		priority *string
		want     string
	}{
		{"another class", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", corev1.ScopeSelectorOpIn, "batch")}, &none, ""},
		{"any class", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", exists)}, &none, ""},
		{"any class, which the cluster gives", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", exists)}, &high, refused},
		{"the class that the cluster gives", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", corev1.ScopeSelectorOpIn, "batch", "high")}, &high, refused},
		{"all but one class", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", corev1.ScopeSelectorOpNotIn, "batch")}, &none, refused},
		{"no class", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", corev1.ScopeSelectorOpDoesNotExist)}, &none, refused},
		{"no class, but the cluster gives one", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", corev1.ScopeSelectorOpDoesNotExist)}, &high, ""},
		{"a class that is not known", []corev1.ScopedResourceSelectorRequirement{scope("PriorityClass", exists)}, nil, ""},
		{"best effort", []corev1.ScopedResourceSelectorRequirement{scope("BestEffort", exists)}, nil, ""},
		{"not best effort", []corev1.ScopedResourceSelectorRequirement{scope("NotBestEffort", exists)}, nil, refused},
		{"with a deadline", []corev1.ScopedResourceSelectorRequirement{scope("Terminating", exists)}, nil, ""},
		{"without a deadline", []corev1.ScopedResourceSelectorRequirement{scope("NotTerminating", exists)}, nil, refused},
		{"both", []corev1.ScopedResourceSelectorRequirement{scope("NotTerminating", exists), scope("NotBestEffort", exists)}, nil, refused},
		{"one of both", []corev1.ScopedResourceSelectorRequirement{scope("NotTerminating", exists), scope("BestEffort", exists)}, nil, ""},
		{"affinity to others", []corev1.ScopedResourceSelectorRequirement{scope("CrossNamespacePodAffinity", exists)}, nil, ""},
	} {
		r := rules{parameters: defaults(), priority: c.priority, quotas: []corev1.ResourceQuota{quota("pods 0", "", c.scopes...)}}
		if got := r.refuses(four); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if notes := r.uncompared(r.quotas[0]); (len(notes) > 0) != (c.name == "a class that is not known") {
			t.Errorf("%s: %q", c.name, notes)
		}
	}
	old := quota("pods 0", "") // as they were written before there were selectors
	old.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	r := rules{parameters: defaults(), quotas: []corev1.ResourceQuota{old}}
	if got := r.refuses(four); got != "" {
		t.Error(got)
	}
	free := describe.Demand{Instances: 4, Servers: make([]describe.Limits, 5)}
	if got := r.refuses(free); !strings.Contains(got, refused) {
		t.Errorf("servers without limits are best effort: %q", got)
	}
	attributes := quota("requests.storage 0", "", scope("VolumeAttributesClass", corev1.ScopeSelectorOpIn, "gold"))
	if got := (rules{parameters: defaults(), quotas: []corev1.ResourceQuota{attributes}}).refuses(four); got != "" {
		t.Errorf("claims without a class of attributes: %q", got)
	}
	without := quota("requests.storage 0", "", scope("VolumeAttributesClass", corev1.ScopeSelectorOpDoesNotExist))
	if got := (rules{parameters: defaults(), quotas: []corev1.ResourceQuota{without}}).refuses(four); !strings.Contains(got, "need 20Gi") {
		t.Errorf("claims without a class of attributes: %q", got)
	}
}

func TestWhatNobodyComparesIsSaid(t *testing.T) {
	r := rules{parameters: defaults()}
	for hard, want := range map[string]string{
		"example.com/tokens 3":                         "quota q of namespace team allows 3 of example.com/tokens, of which 0 is used: it is not compared",
		"count/widgets.example.com 2":                  "allows 2 of count/widgets.example.com",
		"gold.storageclass.storage.k8s.io/snapshots 1": "it is not compared",
	} {
		q := quota(hard, "")
		if notes := r.uncompared(q); len(notes) != 1 || !strings.Contains(notes[0], want) {
			t.Errorf("%s: %q", hard, notes)
		}
		r.quotas = []corev1.ResourceQuota{q}
		if got := r.refuses(four); got != "" {
			t.Errorf("%s: %s", hard, got)
		}
	}
	if notes := r.uncompared(quota("pods 1", "", scope("Unheard", corev1.ScopeSelectorOpExists))); len(notes) != 1 || !strings.Contains(notes[0], "whether pods are in its scope is not known") {
		t.Errorf("%q", notes)
	}
}

// Each bound of a limit range holds: a value just within it passes, a value just outside it
// does not.
func TestLimitRanges(t *testing.T) {
	container, pod, claim := corev1.LimitTypeContainer, corev1.LimitTypePod, corev1.LimitTypePersistentVolumeClaim
	for _, c := range []struct {
		name string
		item corev1.LimitRangeItem
		want string
	}{
		{"largest container", corev1.LimitRangeItem{Type: container, Max: list("cpu 1 memory 512Mi")}, ""},
		{"too little CPU", corev1.LimitRangeItem{Type: container, Max: list("cpu 999m")}, "limit range l of namespace team refuses the containers of servers: their limit of cpu is 1, and at most 999m is allowed"},
		{"too little memory", corev1.LimitRangeItem{Type: container, Max: list("memory 128Mi")}, "their limit of memory is 512Mi, and at most 128Mi is allowed"},
		{"smallest container", corev1.LimitRangeItem{Type: container, Min: list("cpu 250m memory 128Mi")}, ""},
		{"too much is required", corev1.LimitRangeItem{Type: container, Min: list("cpu 251m")}, "the containers of drivers: they ask for 250m of cpu, and at least 251m is required"},
		{"ratio", corev1.LimitRangeItem{Type: container, Default: list("memory 256Mi"), MaxLimitRequestRatio: list("memory 2")}, ""},
		{"too high a ratio", corev1.LimitRangeItem{Type: container, Default: list("memory 257Mi"), MaxLimitRequestRatio: list("memory 2")}, "their limit of memory, 257Mi, is more than 2 times what they ask for, 128Mi"},
		{"ratio without a limit", corev1.LimitRangeItem{Type: container, MaxLimitRequestRatio: list("memory 2")}, "they need both a request and a limit of memory"},
		{"a default below what is asked for", corev1.LimitRangeItem{Type: container, Default: list("cpu 200m")}, "the containers of drivers: they ask for 250m of cpu, and the default limit is 200m"},
		{"a resource that nothing asks for", corev1.LimitRangeItem{Type: container, Max: list("ephemeral-storage 1Gi")}, ""},
		{"pods without limits", corev1.LimitRangeItem{Type: pod, Max: list("cpu 2")}, "the pods of drivers: their limit of cpu is nothing, and at most 2 is allowed"},
		{"small pods", corev1.LimitRangeItem{Type: pod, Max: list("memory 511Mi")}, "the pods of servers: their limit of memory is 512Mi"},
		{"large pods", corev1.LimitRangeItem{Type: pod, Min: list("memory 128Mi")}, ""},
		{"largest claim", corev1.LimitRangeItem{Type: claim, Max: list("storage 4Gi"), Min: list("storage 4Gi")}, ""},
		{"too small a claim", corev1.LimitRangeItem{Type: claim, Max: list("storage 1Gi")}, "refuses the claims of volumes: they ask for 4Gi of storage, and at most 1Gi is allowed"},
		{"too large a claim", corev1.LimitRangeItem{Type: claim, Min: list("storage 5Gi")}, "at least 5Gi is required"},
	} {
		r := rules{parameters: defaults(), ranges: []corev1.LimitRange{limitRange(c.item)}}
		if got := r.refuses(four); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
