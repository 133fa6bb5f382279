package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/describe"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/workload/driver"
)

// rules are what an existing namespace lets a run have.
type rules struct {
	parameters *Parameters
	quotas     []corev1.ResourceQuota
	ranges     []corev1.LimitRange
	// priority is the class of pods that name none, empty where there is none; nil is not
	// known.
	priority *string
}

// rulesOf reads the rules of the study's namespace. If the study names none, the run makes
// its own, whose rules cannot be known beforehand. notes list the rules that are not
// compared.
func rulesOf(ctx context.Context, c *api.Client, p *Parameters) (r rules, notes []string, err error) {
	r.parameters = p
	if p.Namespace == "" {
		return r, nil, nil
	}
	unseen := func(what string, err error) error {
		if apierrors.IsForbidden(err) {
			notes = append(notes, fmt.Sprintf("this account may not list the %s of namespace %s: the plan does not compare them", what, p.Namespace))
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at the %s of namespace %s: %w", what, p.Namespace, api.Explained(err))
		}
		return nil
	}
	r.quotas, err = api.Of[corev1.ResourceQuota](c, p.Namespace).List(ctx, metav1.ListOptions{})
	if err = unseen("quotas", err); err != nil {
		return r, notes, err
	}
	r.ranges, err = api.Of[corev1.LimitRange](c, p.Namespace).List(ctx, metav1.ListOptions{})
	if err = unseen("limit ranges", err); err != nil {
		return r, notes, err
	}
	if slices.ContainsFunc(r.quotas, byPriority) {
		r.priority = defaultPriority(ctx, c)
	}
	for _, q := range r.quotas {
		notes = append(notes, r.uncompared(q)...)
	}
	return r, notes, nil
}

// defaultPriority is the class of pods that name none; nil where this account may not ask.
func defaultPriority(ctx context.Context, c *api.Client) *string {
	all, err := api.Of[schedulingv1.PriorityClass](c, "").List(ctx, metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil
	}
	for _, class := range all {
		if class.GlobalDefault {
			return &class.Name
		}
	}
	return new("")
}

// refuses says which rule refuses a demand; empty is none.
func (r rules) refuses(of describe.Demand) string {
	if len(r.quotas)+len(r.ranges) == 0 {
		return ""
	}
	all := r.pods(of)
	for _, l := range r.ranges {
		if why := outOfRange(l, all, of.Volumes); why != "" {
			return why
		}
	}
	for _, q := range r.quotas {
		if why := r.over(q, all, of); why != "" {
			return why
		}
	}
	return ""
}

// pods are some that are made alike.
type pods struct {
	of     string // servers, drivers
	number int64
	// first are the containers that run before the others, one after the other.
	first, together []corev1.ResourceRequirements
}

// pods are the pods of a demand, as the namespace completes them.
func (r rules) pods(of describe.Demand) (all []pods) {
	alike := map[describe.Limits]int64{}
	for _, s := range of.Servers {
		alike[s]++
	}
	for _, limits := range slices.SortedFunc(maps.Keys(alike), bySize) {
		one := []corev1.ResourceRequirements{r.completed(r.parameters.resources(limits))}
		all = append(all, pods{of: "servers", number: alike[limits], first: one, together: one})
	}
	if of.Drivers > 0 {
		one := []corev1.ResourceRequirements{r.completed(taskRequests(driver.TaskKind))}
		all = append(all, pods{of: "drivers", number: int64(of.Drivers), together: one})
	}
	return all
}

func bySize(a, b describe.Limits) int {
	return cmp.Or(cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.Memory, b.Memory))
}

// total is a pod's total of a resource: the sum of its containers, or the largest of its
// init containers if that is more. all reports whether each container has a figure.
func (p pods) total(of func(corev1.ResourceRequirements) corev1.ResourceList, name corev1.ResourceName) (sum resource.Quantity, all bool) {
	all = true
	for _, c := range p.together {
		one, given := of(c)[name]
		sum.Add(one)
		all = all && given
	}
	for _, c := range p.first {
		one, given := of(c)[name]
		if one.Cmp(sum) > 0 {
			sum = one.DeepCopy()
		}
		all = all && given
	}
	return sum, all
}

func requests(c corev1.ResourceRequirements) corev1.ResourceList { return c.Requests }
func limits(c corev1.ResourceRequirements) corev1.ResourceList   { return c.Limits }

// bestEffort reports whether the pods have neither requests nor limits of CPU and memory.
func (p pods) bestEffort() bool {
	for _, c := range slices.Concat(p.first, p.together) {
		for _, list := range []corev1.ResourceList{c.Requests, c.Limits} {
			if !list.Cpu().IsZero() || !list.Memory().IsZero() {
				return false
			}
		}
	}
	return true
}

// times is a quantity so many times.
func times(n int64, q resource.Quantity) resource.Quantity {
	q = q.DeepCopy()
	q.Mul(n)
	return q
}
