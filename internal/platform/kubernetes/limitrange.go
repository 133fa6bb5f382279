package kubernetes

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll/internal/describe"
)

// completed gives a container what the API server gives one that does not say it: requests
// as large as limits, and then the defaults of each limit range.
func (r rules) completed(c corev1.ResourceRequirements) corev1.ResourceRequirements {
	done := corev1.ResourceRequirements{Limits: corev1.ResourceList{}, Requests: corev1.ResourceList{}}
	maps.Copy(done.Limits, c.Limits)
	maps.Copy(done.Requests, c.Requests)
	lend(done.Requests, done.Limits)
	for _, l := range r.ranges {
		for _, item := range l.Spec.Limits {
			if item.Type != corev1.LimitTypeContainer {
				continue
			}
			limits, requests := corev1.ResourceList{}, corev1.ResourceList{}
			lend(limits, item.Default)
			lend(limits, item.Max)
			lend(requests, item.DefaultRequest)
			lend(requests, limits)
			lend(requests, item.Min)
			lend(done.Limits, limits)
			lend(done.Requests, requests)
		}
	}
	return done
}

// lend copies to a list the entries that it lacks.
func lend(to, from corev1.ResourceList) {
	for name, q := range from {
		if _, has := to[name]; !has {
			to[name] = q
		}
	}
}

// outOfRange says what of pods or volumes a limit range refuses; empty is nothing.
func outOfRange(l corev1.LimitRange, all []pods, volumes []describe.ClaimedVolume) string {
	refused := func(what, why string) string {
		return fmt.Sprintf("limit range %s of namespace %s refuses %s: %s", l.Name, l.Namespace, what, why)
	}
	for _, item := range l.Spec.Limits {
		for _, p := range all {
			if why := p.outOf(item); why != "" {
				return refused(fmt.Sprintf("the %s of %s", choose(item.Type == corev1.LimitTypePod, "pods", "containers"), p.of), why)
			}
		}
		if item.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		for _, v := range volumes {
			size := corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(v.Bytes, resource.BinarySI)}
			if why := outside(item, size, nil, false); why != "" {
				return refused("the claims of volumes", why)
			}
		}
	}
	return ""
}

// outOf says what of the pods an item does not let them have.
func (p pods) outOf(item corev1.LimitRangeItem) string {
	switch item.Type {
	case corev1.LimitTypeContainer:
		for _, c := range slices.Concat(p.first, p.together) {
			if why := outside(item, c.Requests, c.Limits, true); why != "" {
				return why
			}
			if why := crossed(c); why != "" {
				return why
			}
		}
	case corev1.LimitTypePod:
		asked, most := corev1.ResourceList{}, corev1.ResourceList{}
		for _, list := range []corev1.ResourceList{item.Min, item.Max, item.MaxLimitRequestRatio} {
			for name := range list {
				if sum, all := p.total(requests, name); all {
					asked[name] = sum
				}
				if sum, all := p.total(limits, name); all {
					most[name] = sum
				}
			}
		}
		return outside(item, asked, most, true)
	}
	return ""
}

// crossed reports a default limit below a container's request, which the API server
// refuses; empty if there is none.
func crossed(c corev1.ResourceRequirements) string {
	for _, name := range slices.Sorted(maps.Keys(c.Requests)) {
		asked := c.Requests[name]
		if most, has := c.Limits[name]; has && asked.Cmp(most) > 0 {
			return fmt.Sprintf("they ask for %s of %s, and the default limit is %s", asked.String(), name, most.String())
		}
	}
	return ""
}

// outside says where requests and limits leave the bounds of an item. What has limits needs
// one wherever the item has a maximum.
func outside(item corev1.LimitRangeItem, asked, most corev1.ResourceList, limited bool) string {
	for _, name := range slices.Sorted(maps.Keys(item.Min)) {
		least := item.Min[name]
		if has, given := asked[name]; !given || has.Cmp(least) < 0 {
			return fmt.Sprintf("they ask for %s of %s, and at least %s is required", amount(has, given), name, least.String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.Max)) {
		largest := item.Max[name]
		has, given := most[name]
		if limited && (!given || has.Cmp(largest) > 0) {
			return fmt.Sprintf("their limit of %s is %s, and at most %s is allowed", name, amount(has, given), largest.String())
		}
		if has, given := asked[name]; given && has.Cmp(largest) > 0 {
			return fmt.Sprintf("they ask for %s of %s, and at most %s is allowed", has.String(), name, largest.String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.MaxLimitRequestRatio)) {
		ratio := item.MaxLimitRequestRatio[name]
		has, limit := asked[name], most[name]
		if has.IsZero() || limit.IsZero() {
			return fmt.Sprintf("they need both a request and a limit of %s, whose ratio is bounded", name)
		}
		if limit.AsApproximateFloat64() > ratio.AsApproximateFloat64()*has.AsApproximateFloat64() {
			return fmt.Sprintf("their limit of %s, %s, is more than %s times what they ask for, %s", name, limit.String(), ratio.String(), has.String())
		}
	}
	return ""
}

func amount(q resource.Quantity, given bool) string {
	return choose(given, q.String(), "nothing")
}
