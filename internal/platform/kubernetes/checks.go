package kubernetes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/describe/doctor"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/text/unit"
	"plimsoll/internal/text/words"
)

// Programs returns none: the programs of engines are in images.
func (Kind) Programs() []doctor.Program { return nil }

// Checks looks at the cluster: how it is reached, what this account may do, what its
// storage classes can do, quotas and nodes.
func (k Kind) Checks(ctx context.Context) []doctor.Check {
	k = k.bound()
	client, err := k.client(ctx)
	if err != nil {
		return []doctor.Check{{Name: "cluster", Status: doctor.Fail, Found: err.Error(), Means: "no study can run on Kubernetes"}}
	}
	checks := []doctor.Check{{Name: "cluster", Status: doctor.OK, Found: fmt.Sprintf("Kubernetes %s, context %s", client.Version.GitVersion, client.Context)}}
	checks = append(checks, checkPermissions(ctx, client, k.parameters.Namespace)...)
	checks = append(checks, checkClasses(ctx, client)...)
	checks = append(checks, checkQuotas(ctx, client, k.parameters.Namespace)...)
	return append(checks, checkNodes(ctx, client, k.parameters.wanted(k.parameters.Placement.Application))...)
}

// lacking is a check that could not be made.
func lacking(name string, err error) []doctor.Check {
	return []doctor.Check{{Name: name, Status: doctor.Warn, Found: api.Explained(err).Error()}}
}

func checkClasses(ctx context.Context, c *api.Client) (checks []doctor.Check) {
	all, err := api.Of[storagev1.StorageClass](c, "").List(ctx, metav1.ListOptions{})
	if err != nil {
		return lacking("storage classes", err)
	}
	if len(all) == 0 {
		return []doctor.Check{{Name: "storage classes", Status: doctor.Fail, Found: "the cluster has none", Means: "there are no volumes for instances", Fix: "install a CSI driver with a StorageClass"}}
	}
	drivers := map[string]bool{}
	if known, err := api.Of[storagev1.CSIDriver](c, "").List(ctx, metav1.ListOptions{}); err == nil {
		for _, d := range known {
			drivers[d.Name] = true
		}
	}
	for _, class := range all {
		checks = append(checks, checkClass(ctx, c, class, drivers[class.Provisioner]))
	}
	return checks
}

// noProvisioner makes no volumes: an administrator makes them by hand.
const noProvisioner = "kubernetes.io/no-provisioner"

func checkClass(ctx context.Context, c *api.Client, s storagev1.StorageClass, csi bool) doctor.Check {
	class := describeClass(ctx, c, s)
	found := []string{class.Provisioner, "volume clone: " + clones(class.Provisioner, csi)}
	if class.SnapshotClass != "" {
		found = append(found, "snapshots by "+class.SnapshotClass)
	} else {
		found = append(found, "no snapshots")
	}
	found = append(found, choose(class.Expandable, "can be expanded", "cannot be expanded"),
		choose(class.Waits, "bound when first used", "bound at once"), choose(class.Retains, "retains deleted volumes", "deletes volumes with their claims"))
	if s.Annotations[defaultClass] == "true" {
		found = append(found, "the default")
	}
	check := doctor.Check{Name: "storage class " + s.Name, Status: doctor.OK, Found: strings.Join(found, "; ")}
	switch {
	case class.Provisioner == noProvisioner:
		check.Status, check.Means = doctor.Warn, "its volumes are made by hand: a run waits for one for each instance"
	case class.Retains:
		check.Status, check.Means = doctor.Warn, "volumes of deleted claims stay: remove them after every run"
		check.Fix = "make a StorageClass like it with reclaimPolicy: Delete"
	}
	return check
}

func choose[T any](yes bool, one, otherwise T) T {
	if yes {
		return one
	}
	return otherwise
}

// cloners records, by the end of a provisioner's name, whether it can clone volumes
// according to its documentation; the start of a name often depends on the installation.
var cloners = map[string]bool{
	"rbd.csi.ceph.com": true, "cephfs.csi.ceph.com": true, "driver.longhorn.io": true, "linstor.csi.linbit.com": true,
	"pd.csi.storage.gke.io": true, "disk.csi.azure.com": true, "topolvm.io": true, "hostpath.csi.k8s.io": true,
	"ebs.csi.aws.com": false, "efs.csi.aws.com": false, "csi.vsphere.vmware.com": false, "rancher.io/local-path": false, noProvisioner: false,
}

// clones says whether a provisioner clones volumes, as far as is known without a trial.
func clones(provisioner string, csi bool) string {
	for _, name := range slices.Sorted(maps.Keys(cloners)) {
		if strings.HasSuffix(provisioner, name) {
			return choose(cloners[name], "yes", "no")
		}
	}
	return choose(csi, "depends on the CSI driver; a run tries it", "not known; a run tries it")
}

func checkQuotas(ctx context.Context, c *api.Client, namespace string) (checks []doctor.Check) {
	if namespace == "" {
		return []doctor.Check{{Name: "quotas", Status: doctor.OK, Found: "a run makes a namespace of its own, which has none unless the cluster adds one"}}
	}
	quotas, err := api.Of[corev1.ResourceQuota](c, namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return lacking("quotas", err)
	}
	for _, q := range quotas {
		checks = append(checks, doctor.Check{Name: "quota " + q.Name, Status: doctor.OK, Found: used(q.Status)})
	}
	ranges, err := api.Of[corev1.LimitRange](c, namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return append(checks, lacking("limit ranges", err)...)
	}
	for _, l := range ranges {
		checks = append(checks, doctor.Check{Name: "limit range " + l.Name, Status: doctor.OK, Found: bounds(l.Spec)})
	}
	if len(checks) == 0 {
		checks = []doctor.Check{{Name: "quotas", Status: doctor.OK, Found: "namespace " + namespace + " has none"}}
	}
	return checks
}

// used is a quota in words: "pods 3 of 10".
func used(s corev1.ResourceQuotaStatus) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Hard)) {
		used, hard := s.Used[name], s.Hard[name]
		all = append(all, fmt.Sprintf("%s %s of %s", name, used.String(), hard.String()))
	}
	return strings.Join(all, ", ")
}

// bounds is a limit range in words: "Container memory 64Mi to 2Gi".
func bounds(s corev1.LimitRangeSpec) string {
	var all []string
	for _, l := range s.Limits {
		for _, name := range slices.Sorted(maps.Keys(l.Max)) {
			largest := l.Max[name]
			all = append(all, fmt.Sprintf("%s %s at most %s", l.Type, name, largest.String()))
		}
		for _, name := range slices.Sorted(maps.Keys(l.Min)) {
			least := l.Min[name]
			all = append(all, fmt.Sprintf("%s %s at least %s", l.Type, name, least.String()))
		}
	}
	return strings.Join(all, ", ")
}

// nodesShown bounds how many nodes are listed one by one.
const nodesShown = 32

func checkNodes(ctx context.Context, c *api.Client, at wanted) []doctor.Check {
	nodes, err := c.Nodes(ctx, "")
	if err != nil {
		return lacking("nodes", err)
	}
	var usable []corev1.Node
	var checks []doctor.Check
	for i, n := range nodes {
		refusal := at.refusal(n)
		if refusal == "" {
			usable = append(usable, n)
		}
		if i < nodesShown {
			checks = append(checks, doctor.Check{Name: "node " + n.Name, Status: doctor.OK, Found: describeNode(n) + choose(refusal == "", "", "; takes no instances: it "+refusal)})
		}
	}
	has := free(usable, nil, at)
	all := doctor.Check{Name: "nodes", Status: doctor.OK, Found: fmt.Sprintf("%d of %d take instances", len(usable), len(nodes))}
	if has.MemoryBytes != nil {
		all.Found += fmt.Sprintf(", with %s and %s together", words.Count(int(has.Cores), "core"), unit.Bytes(*has.MemoryBytes).Rough())
	} else {
		all.Status, all.Means = doctor.Fail, "no instance can run"
		all.Fix = "make a node with Linux ready, or name tolerations for its taints in the study (platform.placement.application.tolerations)"
	}
	return append([]doctor.Check{all}, checks...)
}

// roleLabel begins the labels that name a node's roles.
const roleLabel = "node-role.kubernetes.io/"

func describeNode(n corev1.Node) string {
	var roles, taints []string
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
		if role, ok := strings.CutPrefix(key, roleLabel); ok {
			roles = append(roles, role)
		}
	}
	for _, t := range n.Spec.Taints {
		taints = append(taints, t.ToString())
	}
	a := n.Status.Allocatable
	text := fmt.Sprintf("%s cores, %s, %s pods allocatable", a.Cpu(), unit.Bytes(a.Memory().Value()).Rough(), a.Pods())
	if len(roles) > 0 {
		text += "; roles " + strings.Join(roles, ", ")
	}
	if len(taints) > 0 {
		text += "; taints " + strings.Join(taints, ", ")
	}
	if n.Spec.Unschedulable {
		text += "; cordoned"
	}
	return text
}
