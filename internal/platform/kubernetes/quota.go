package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/words"
)

// Prefixes and suffixes of the resources that quotas name.
const (
	countOf        = "count/"
	requestsOf     = "requests."
	limitsOf       = "limits."
	storageClassOf = ".storageclass.storage.k8s.io/"
)

// required are the resources that every container has to say, where a quota counts them.
var required = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
}

// unmade are kinds of objects that a run never makes in its namespace.
var unmade = []string{
	"configmaps", "replicationcontrollers", "resourcequotas", "services.loadbalancers", "services.nodeports", "serviceaccounts",
	"deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch", "cronjobs.batch", "ingresses.networking.k8s.io",
}

// over says what of a quota a demand exceeds; empty is nothing.
func (r rules) over(q corev1.ResourceQuota, all []pods, of describe.Demand) string {
	counted, ok := r.inScope(q, all)
	if !ok {
		return ""
	}
	where := fmt.Sprintf("quota %s of namespace %s", q.Name, q.Namespace)
	hard := hardOf(q)
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		need, known := need(name, q, counted, of)
		if !known {
			continue // uncompared says so
		}
		if slices.Contains(required, name) {
			for _, p := range counted {
				if _, given := p.has(name); !given {
					return fmt.Sprintf("%s counts %s, of which the containers of %s have no figure, so that the cluster refuses their pods; a LimitRange of the namespace can give them a default", where, name, p.of)
				}
			}
		}
		most, used := hard[name], q.Status.Used[name]
		left := most.DeepCopy()
		left.Sub(used)
		if !need.IsZero() && need.Cmp(left) > 0 {
			return fmt.Sprintf("%s allows %s of %s, of which %s is used, and %s %s %s", where, most.String(), name, used.String(),
				words.Count(of.Instances, "instance"), choose(of.Instances == 1, "needs", "need"), need.String())
		}
	}
	return ""
}

// hardOf are the limits of a quota: those that are enforced, and those that will be.
func hardOf(q corev1.ResourceQuota) corev1.ResourceList {
	all := maps.Clone(q.Spec.Hard)
	if all == nil {
		all = corev1.ResourceList{}
	}
	maps.Copy(all, q.Status.Hard)
	return all
}

// need is what a demand has of a resource of a quota, where that is known. counted are the
// pods in its scope.
func need(name corev1.ResourceName, q corev1.ResourceQuota, counted []pods, of describe.Demand) (resource.Quantity, bool) {
	text := string(name)
	if class, what, found := strings.Cut(text, storageClassOf); found {
		volumes := slices.DeleteFunc(slices.Clone(of.Volumes), func(v describe.ClaimedVolume) bool { return v.StorageClass != class })
		return claimedOf(what, q, volumes)
	}
	if sum, known := claimedOf(text, q, of.Volumes); known {
		return sum, true
	}
	switch kind := strings.TrimPrefix(text, countOf); {
	case kind == "pods":
		var n int64
		for _, p := range counted {
			n += p.number
		}
		return *resource.NewQuantity(n, resource.DecimalSI), true
	case kind == "services", kind == "secrets": // one for each server, and in no scope
		n := choose(len(scopesOf(q)) == 0, len(of.Servers), 0)
		return *resource.NewQuantity(int64(n), resource.DecimalSI), true
	case slices.Contains(unmade, kind):
		return resource.Quantity{}, true
	case kind != text:
		return resource.Quantity{}, false
	}
	if _, _, known := ofPods(name); !known {
		return resource.Quantity{}, false
	}
	var sum resource.Quantity
	for _, p := range counted {
		one, _ := p.has(name)
		sum.Add(times(p.number, one))
	}
	return sum, true
}

// claimedOf is what volumes need of a resource that counts claims; false for another.
func claimedOf(what string, q corev1.ResourceQuota, volumes []describe.ClaimedVolume) (resource.Quantity, bool) {
	if !claimsInScope(q) {
		volumes = nil
	}
	switch what {
	case string(corev1.ResourceRequestsStorage):
		var bytes int64
		for _, v := range volumes {
			bytes += v.Bytes
		}
		return *resource.NewQuantity(bytes, resource.BinarySI), true
	case string(corev1.ResourcePersistentVolumeClaims), countOf + string(corev1.ResourcePersistentVolumeClaims):
		return *resource.NewQuantity(int64(len(volumes)), resource.DecimalSI), true
	}
	return resource.Quantity{}, false
}

// ofPods is which list of a container's a resource of a quota sums up, and what of it.
func ofPods(name corev1.ResourceName) (of func(corev1.ResourceRequirements) corev1.ResourceList, what corev1.ResourceName, known bool) {
	text := string(name)
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return requests, name, true
	}
	if what, found := strings.CutPrefix(text, requestsOf); found {
		return requests, corev1.ResourceName(what), true
	}
	if what, found := strings.CutPrefix(text, limitsOf); found {
		return limits, corev1.ResourceName(what), true
	}
	if strings.HasPrefix(text, corev1.ResourceHugePagesPrefix) {
		return requests, name, true
	}
	return nil, "", false
}

// has is what one of the pods counts for, and whether all its containers say it.
func (p pods) has(name corev1.ResourceName) (resource.Quantity, bool) {
	of, what, known := ofPods(name)
	if !known {
		return resource.Quantity{}, false
	}
	return p.total(of, what)
}

// uncompared says what of a quota is not compared.
func (r rules) uncompared(q corev1.ResourceQuota) (notes []string) {
	if _, ok := r.inScope(q, nil); !ok {
		return []string{fmt.Sprintf("quota %s of namespace %s is not compared: whether pods are in its scope is not known", q.Name, q.Namespace)}
	}
	hard := hardOf(q)
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		if _, known := need(name, q, nil, describe.Demand{}); !known {
			most, used := hard[name], q.Status.Used[name]
			notes = append(notes, fmt.Sprintf("quota %s of namespace %s allows %s of %s, of which %s is used: it is not compared", q.Name, q.Namespace, most.String(), name, used.String()))
		}
	}
	return notes
}

// scopesOf are all scopes of a quota; an object must match every one.
func scopesOf(q corev1.ResourceQuota) (all []corev1.ScopedResourceSelectorRequirement) {
	for _, s := range q.Spec.Scopes {
		all = append(all, corev1.ScopedResourceSelectorRequirement{ScopeName: s, Operator: corev1.ScopeSelectorOpExists})
	}
	if q.Spec.ScopeSelector != nil {
		all = append(all, q.Spec.ScopeSelector.MatchExpressions...)
	}
	return all
}

func byPriority(q corev1.ResourceQuota) bool {
	return slices.ContainsFunc(scopesOf(q), func(s corev1.ScopedResourceSelectorRequirement) bool {
		return s.ScopeName == corev1.ResourceQuotaScopePriorityClass
	})
}

// inScope are the pods that a quota counts; false where that is not known.
func (r rules) inScope(q corev1.ResourceQuota, all []pods) (counted []pods, known bool) {
	scopes := scopesOf(q)
	for _, s := range scopes {
		if _, known := r.matches(s, pods{}); !known {
			return nil, false
		}
	}
	for _, p := range all {
		if !slices.ContainsFunc(scopes, func(s corev1.ScopedResourceSelectorRequirement) bool { in, _ := r.matches(s, p); return !in }) {
			counted = append(counted, p)
		}
	}
	return counted, true
}

// matches reports whether pods are in a scope, where that is known. A run's have no
// deadline, and affinity to pods of their own namespace alone.
func (r rules) matches(s corev1.ScopedResourceSelectorRequirement, p pods) (in, known bool) {
	switch s.ScopeName {
	case corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeCrossNamespacePodAffinity, corev1.ResourceQuotaScopeVolumeAttributesClass:
		return false, true
	case corev1.ResourceQuotaScopeNotTerminating:
		return true, true
	case corev1.ResourceQuotaScopeBestEffort:
		return p.bestEffort(), true
	case corev1.ResourceQuotaScopeNotBestEffort:
		return !p.bestEffort(), true
	case corev1.ResourceQuotaScopePriorityClass:
		if r.priority == nil {
			return false, false
		}
		return selects(s, *r.priority)
	}
	return false, false
}

// selects reports whether a scope takes what has a value of it, or none where that is empty.
func selects(s corev1.ScopedResourceSelectorRequirement, value string) (in, known bool) {
	operator, known := map[corev1.ScopeSelectorOperator]selection.Operator{
		corev1.ScopeSelectorOpIn: selection.In, corev1.ScopeSelectorOpNotIn: selection.NotIn,
		corev1.ScopeSelectorOpExists: selection.Exists, corev1.ScopeSelectorOpDoesNotExist: selection.DoesNotExist,
	}[s.Operator]
	if !known {
		return false, false
	}
	of, err := labels.NewRequirement(string(s.ScopeName), operator, s.Values)
	if err != nil {
		return false, false
	}
	has := labels.Set{}
	if value != "" {
		has[string(s.ScopeName)] = value
	}
	return of.Matches(has), true
}

// claimsInScope reports whether a quota counts claims. Scopes of pods exclude them, and a
// run's claims name no class of attributes.
func claimsInScope(q corev1.ResourceQuota) bool {
	for _, s := range scopesOf(q) {
		if s.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass {
			return false
		}
		if in, _ := selects(s, ""); !in {
			return false
		}
	}
	return true
}
