package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/platform/kubernetes/api"
)

// permission is what an account needs; deploy/ grants the same.
type permission struct {
	group, resources, verbs string // lists with spaces between
	cluster                 bool   // not in a namespace
	// optional describes the effect of its absence, for a permission that a run can do
	// without.
	optional string
	// wider reports whether it reaches beyond the run's own objects; deploy/ grants it only
	// on request.
	wider bool
}

const makes = "get list watch create patch delete"

// permissions are the permissions that a run needs.
func permissions(ownNamespace bool) []permission {
	all := []permission{
		{resources: "pods secrets services persistentvolumeclaims", verbs: makes},
		{resources: "pods/exec pods/portforward", verbs: "get create"},
		{resources: "pods/log", verbs: "get"},
		{resources: "events", verbs: "get list watch", optional: "errors do not say what the cluster says about it"},
		{resources: "resourcequotas limitranges", verbs: "list", optional: "quotas are not seen before they are exceeded"},
		{group: "snapshot.storage.k8s.io", resources: "volumesnapshots", verbs: makes, optional: "data sets are not cloned by snapshots"},
		{resources: "nodes", verbs: "get list watch", cluster: true},
		{resources: "persistentvolumes", verbs: "get list", cluster: true, optional: "it is not checked that deleted volumes have gone, nor which devices volumes lie on"},
		{group: "storage.k8s.io", resources: "storageclasses csidrivers", verbs: "get list", cluster: true},
		{group: "storage.k8s.io", resources: "csinodes", verbs: "list", cluster: true, optional: "plans do not know how many volumes a node takes"},
		{group: "storage.k8s.io", resources: "csistoragecapacities", verbs: "list", cluster: true, optional: "plans do not know how much space classes have"},
		{group: "scheduling.k8s.io", resources: "priorityclasses", verbs: "list", cluster: true, optional: "plans do not compare quotas of priority classes"},
		{group: "snapshot.storage.k8s.io", resources: "volumesnapshotclasses", verbs: "list", cluster: true, optional: "data sets are not cloned by snapshots"},
		{resources: "nodes/proxy", verbs: "get", cluster: true, wider: true, optional: "there is no telemetry of pods from the kubelets"},
	}
	if ownNamespace {
		all = append(all, permission{resources: "namespaces", verbs: makes, cluster: true})
	}
	return all
}

// asked is one permission as the cluster is asked for it.
type asked struct {
	permission
	verb, resource, subresource string
}

func (a asked) String() string {
	if a.subresource != "" {
		return a.verb + " " + a.resource + "/" + a.subresource
	}
	return a.verb + " " + a.resource
}

func (p permission) each() (all []asked) {
	for _, name := range strings.Fields(p.resources) {
		resource, sub, _ := strings.Cut(name, "/")
		for _, verb := range strings.Fields(p.verbs) {
			all = append(all, asked{p, verb, resource, sub})
		}
	}
	return all
}

// questionsAtOnce bounds what the API server is asked at a time.
const questionsAtOnce = 8

// checkPermissions asks the cluster what this account may do: in a namespace, or in
// all of them where a run makes its own.
func checkPermissions(ctx context.Context, c *api.Client, namespace string) []doctor.Check {
	var questions []asked
	for _, p := range permissions(namespace == "") {
		questions = append(questions, p.each()...)
	}
	refused := make([]bool, len(questions))
	errs := make([]error, len(questions))
	slots := make(chan struct{}, questionsAtOnce)
	var group sync.WaitGroup
	for i, q := range questions {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			held, err := q.held(ctx, c, namespace)
			refused[i], errs[i] = !held, err
		})
	}
	group.Wait()
	return judgePermissions(questions, refused, errs)
}

func (a asked) held(ctx context.Context, c *api.Client, namespace string) (bool, error) {
	if a.cluster {
		namespace = ""
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: a.verb, Group: a.group, Resource: a.resource, Subresource: a.subresource},
	}}
	answer, err := api.Of[authorizationv1.SelfSubjectAccessReview](c, "").Create(ctx, review)
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

const permissionsFix = "kubectl apply -k deploy/kustomize/namespaced (or cluster, kubelet-telemetry), and bind its roles to this account; see docs/kubernetes-install.md"

// judgePermissions reports the permissions that the account has, those missing that
// a run needs, and those missing that it can do without.
func judgePermissions(questions []asked, refused []bool, errs []error) []doctor.Check {
	var needed, optional, means []string
	for i, q := range questions {
		switch {
		case errs[i] != nil:
			return []doctor.Check{{Name: "permissions", Status: doctor.Warn, Found: "the cluster does not say what this account may do: " + errs[i].Error()}}
		case refused[i] && q.optional == "":
			needed = append(needed, q.String())
		case refused[i]:
			optional = append(optional, q.String())
			if !slices.Contains(means, q.optional) {
				means = append(means, q.optional)
			}
		}
	}
	checks := []doctor.Check{{Name: "permissions", Status: doctor.OK, Found: fmt.Sprintf("%d needed, %d held", len(questions), len(questions)-len(needed)-len(optional))}}
	if len(needed) > 0 {
		checks[0].Status, checks[0].Found = doctor.Fail, "not held: "+strings.Join(needed, ", ")
		checks[0].Means, checks[0].Fix = "no study can run on this cluster", permissionsFix
	}
	if len(optional) > 0 {
		checks = append(checks, doctor.Check{Name: "optional permissions", Status: doctor.Warn, Found: "not held: " + strings.Join(optional, ", "), Means: strings.Join(means, "; "), Fix: permissionsFix})
	}
	return checks
}
