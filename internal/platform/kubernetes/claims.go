package kubernetes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
)

// volumeRole is the role label of claims and of the objects around them.
const volumeRole = "volume"

// volumesPath is the directory below which pods find their volumes.
const volumesPath = "/volumes/"

// defaultClass marks the StorageClass of claims that name none.
const defaultClass = "storageclass.kubernetes.io/is-default-class"

// ClaimClass implements storage.Claims.
func (k *Kubernetes) ClaimClass(ctx context.Context, name string) (storage.ClaimClass, error) {
	return claimClass(ctx, k.client, name)
}

func claimClass(ctx context.Context, c *api.Client, name string) (storage.ClaimClass, error) {
	all, err := api.Of[storagev1.StorageClass](c, "").List(ctx, metav1.ListOptions{})
	if err != nil {
		return storage.ClaimClass{}, fmt.Errorf("list the storage classes of the cluster: %w", api.Explained(err))
	}
	var names []string
	for _, s := range all {
		if s.Name == name || name == "" && s.Annotations[defaultClass] == "true" {
			return describeClass(ctx, c, s), nil
		}
		names = append(names, s.Name)
	}
	slices.Sort(names)
	have := "it has none"
	if len(names) > 0 {
		have = "it has " + strings.Join(names, ", ")
	}
	if name == "" {
		return storage.ClaimClass{}, fmt.Errorf("the cluster has no default StorageClass: name one as storage_class; %s", have)
	}
	return storage.ClaimClass{}, fmt.Errorf("the cluster has no StorageClass %s; %s", name, have)
}

func describeClass(ctx context.Context, c *api.Client, s storagev1.StorageClass) storage.ClaimClass {
	left, largest := storageLeft(ctx, c, s.Name)
	return storage.ClaimClass{
		Capacity: left, LargestVolume: largest,
		Name: s.Name, Provisioner: s.Provisioner, Parameters: s.Parameters,
		Waits:      s.VolumeBindingMode != nil && *s.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer,
		Retains:    s.ReclaimPolicy != nil && *s.ReclaimPolicy == corev1.PersistentVolumeReclaimRetain,
		Expandable: s.AllowVolumeExpansion != nil && *s.AllowVolumeExpansion,
		Media:      s.Annotations[storage.MediaAnnotation], Simulated: s.Annotations[storage.SimulatedAnnotation] == "true",
		SnapshotClass: snapshotClass(ctx, c, s.Provisioner),
	}
}

// storageLeft is how many bytes the drivers say that a class may still hand out, on
// all nodes together, and in one volume; nil where they do not say, or may not be asked.
// The largest volume is what the scheduler compares a claim with: the maximum of a place
// where its driver gives one, or else its capacity.
func storageLeft(ctx context.Context, c *api.Client, class string) (all, largest *int64) {
	list, err := api.Of[storagev1.CSIStorageCapacity](c, metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil
	}
	var sum int64
	silent := false
	for _, s := range list {
		if s.StorageClassName != class {
			continue
		}
		if s.Capacity == nil {
			silent = true
		} else {
			sum += s.Capacity.Value()
			all = &sum
		}
		if one := cmp.Or(s.MaximumVolumeSize, s.Capacity); one != nil && (largest == nil || one.Value() > *largest) {
			largest = new(one.Value())
		}
	}
	if silent { // its capacity comes on top of the sum
		all = nil
	}
	return all, largest
}

// snapshots is the API of snapshots, which a cluster need not have.
var snapshots = schema.GroupVersion{Group: "snapshot.storage.k8s.io", Version: "v1"}

// snapshotClass is one of a provisioner; none where none may be seen.
func snapshotClass(ctx context.Context, c *api.Client, provisioner string) string {
	all, err := c.List(ctx, snapshots.WithKind("VolumeSnapshotClass"), "", "")
	if err != nil {
		return ""
	}
	for _, s := range all {
		if driver, _, _ := unstructured.NestedString(s.Object, "driver"); driver == provisioner {
			return s.GetName()
		}
	}
	return ""
}

// MakeClaim implements storage.Claims. The journal lists the namespace, or else the run's
// objects in it.
func (k *Kubernetes) MakeClaim(ctx context.Context, c storage.PlatformClaim) (storage.Volume, error) {
	v := k.volume(c)
	if err := k.makeClaim(ctx, v, c); err != nil {
		return storage.Volume{}, errors.Join(fmt.Errorf("make claim %s: %w", v.Claim, err), k.DeleteClaim(context.WithoutCancel(ctx), v))
	}
	return v, nil
}

// volume is what a claim is to its users: a directory, or a device, at a path of its own.
func (k *Kubernetes) volume(c storage.PlatformClaim) storage.Volume {
	name := k.name(volumeRole, c.Name)
	v := storage.Volume{Name: c.Name, Path: volumesPath + name}
	if c.Kind == endpoint.Device {
		v = storage.DeviceVolume(c.Name, v.Path, c.Bytes)
	}
	v.Claim = name
	return v
}

// knownClass is a class as it was when the run first asked: to look at all that describes it
// again for each claim would take as many calls as there are claims, and answers as long as
// there are nodes.
func (k *Kubernetes) knownClass(ctx context.Context, name string) (storage.ClaimClass, error) {
	k.mu.Lock()
	known, ok := k.classes[name]
	k.mu.Unlock()
	if ok {
		return known, nil
	}
	known, err := k.ClaimClass(ctx, name)
	if err == nil {
		k.mu.Lock()
		k.classes[name] = known
		k.mu.Unlock()
	}
	return known, err
}

func (k *Kubernetes) makeClaim(ctx context.Context, v storage.Volume, c storage.PlatformClaim) error {
	class, err := k.knownClass(ctx, c.Class)
	if err != nil {
		return err
	}
	claim := k.claim(v, c)
	if c.From != nil {
		if claim.Spec.DataSource, err = k.source(ctx, *c.From, c.BySnapshot, class); err != nil {
			return err
		}
	}
	if err := k.client.Apply(ctx, claim); err != nil {
		return err
	}
	if class.Waits {
		return nil
	}
	return k.awaitBound(ctx, claim)
}

func (k *Kubernetes) claim(v storage.Volume, c storage.PlatformClaim) *corev1.PersistentVolumeClaim {
	mode := corev1.PersistentVolumeAccessMode(c.AccessMode)
	if mode == "" {
		mode = corev1.ReadWriteOnce
	}
	claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{
		StorageClassName: &c.Class, AccessModes: []corev1.PersistentVolumeAccessMode{mode},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(c.Bytes, resource.BinarySI)}},
	}}
	if c.Kind == endpoint.Device {
		claim.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
	}
	claim.Name, claim.Namespace = v.Claim, k.namespace
	claim.Labels = api.Labels(k.env.RunID, api.RoleLabel, volumeRole, api.NameLabel, v.Name)
	return claim
}

// source is what a clone of a volume is made from: its claim, or a snapshot of that,
// which all clones share.
func (k *Kubernetes) source(ctx context.Context, from storage.Volume, bySnapshot bool, class storage.ClaimClass) (*corev1.TypedLocalObjectReference, error) {
	if !bySnapshot {
		return &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: from.Claim}, nil
	}
	snapshot := k.snapshot(from)
	k.mu.Lock()
	k.snapshots[from.Claim] = true
	k.mu.Unlock()
	spec := map[string]any{"volumeSnapshotClassName": class.SnapshotClass, "source": map[string]any{"persistentVolumeClaimName": from.Claim}}
	if err := unstructured.SetNestedMap(snapshot.Object, spec, "spec"); err != nil {
		return nil, err
	}
	if err := k.client.Apply(ctx, snapshot); err != nil {
		return nil, err
	}
	return &corev1.TypedLocalObjectReference{APIGroup: &snapshots.Group, Kind: "VolumeSnapshot", Name: snapshot.GetName()}, nil
}

// snapshot is the snapshot of a volume, by name and labels only.
func (k *Kubernetes) snapshot(of storage.Volume) *unstructured.Unstructured {
	s := &unstructured.Unstructured{Object: map[string]any{}}
	s.SetGroupVersionKind(snapshots.WithKind("VolumeSnapshot"))
	s.SetName(api.Name("snapshot", of.Claim))
	s.SetNamespace(k.namespace)
	s.SetLabels(api.Labels(k.env.RunID, api.RoleLabel, volumeRole, api.NameLabel, of.Name))
	return s
}

const (
	// bindLimit is how long an empty claim may wait for its volume.
	bindLimit = 2 * time.Minute
	// cloneLimit is how long a clone may, which some classes copy.
	cloneLimit = 30 * time.Minute
	// deleteLimit is how long a claim and its volume may take to go.
	deleteLimit = 5 * time.Minute
	// askAgain is the polling interval for objects that are not watched.
	askAgain = 500 * time.Millisecond
)

// awaitBound waits until a claim has its volume.
func (k *Kubernetes) awaitBound(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	limit := bindLimit
	if claim.Spec.DataSource != nil {
		limit = cloneLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := k.client.AwaitState(ctx, claim, isBound)
	if ctx.Err() != nil {
		return fmt.Errorf("it is still pending after %s: %w%s", limit, ctx.Err(), k.whyPending(claim))
	}
	return err
}

func isBound(claim *unstructured.Unstructured) (bool, error) {
	phase, _, _ := unstructured.NestedString(claim.Object, "status", "phase")
	if phase == string(corev1.ClaimLost) {
		volume, _, _ := unstructured.NestedString(claim.Object, "spec", "volumeName")
		return false, fmt.Errorf("its volume %s is lost", volume)
	}
	return phase == string(corev1.ClaimBound), nil
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// whyPending is the cluster's explanation of a claim without a volume.
func (k *Kubernetes) whyPending(claim *corev1.PersistentVolumeClaim) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	events := k.client.Happened(ctx, claim)
	if len(events) == 0 {
		return "; the cluster says nothing about it: does something provision volumes of StorageClass " + *claim.Spec.StorageClassName + "?"
	}
	return "; " + strings.Join(events, "; ")
}

// DeleteClaim implements storage.Claims.
func (k *Kubernetes) DeleteClaim(ctx context.Context, v storage.Volume) error {
	ctx, cancel := context.WithTimeout(ctx, deleteLimit)
	defer cancel()
	volume, err := k.boundTo(ctx, v)
	if err != nil {
		return fmt.Errorf("delete claim %s: %w", v.Claim, err)
	}
	claim := &corev1.PersistentVolumeClaim{}
	claim.Name, claim.Namespace = v.Claim, k.namespace
	objects := []api.Object{claim}
	if k.hasSnapshot(v) {
		objects = append(objects, k.snapshot(v))
	}
	for _, o := range objects {
		if err := k.client.Delete(ctx, o, -1); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if err := k.client.AwaitGone(ctx, o); err != nil {
			return err
		}
	}
	return k.awaitReclaimed(ctx, volume)
}

// hasSnapshot reports whether a snapshot of a volume was made, and forgets it.
func (k *Kubernetes) hasSnapshot(of storage.Volume) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	has := k.snapshots[of.Claim]
	delete(k.snapshots, of.Claim)
	return has
}

// boundTo names the volume behind a claim; empty where there is none.
func (k *Kubernetes) boundTo(ctx context.Context, v storage.Volume) (string, error) {
	claim, err := api.Of[corev1.PersistentVolumeClaim](k.client, k.namespace).Get(ctx, v.Claim)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", api.Explained(err)
	}
	return claim.Spec.VolumeName, nil
}

// awaitReclaimed waits until the volume of a deleted claim is gone, if its class
// deletes volumes and this account may look.
func (k *Kubernetes) awaitReclaimed(ctx context.Context, volume string) error {
	for volume != "" {
		now, err := api.Of[corev1.PersistentVolume](k.client, "").Get(ctx, volume)
		switch {
		case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
			return nil
		case err != nil:
			return fmt.Errorf("look whether volume %s has gone: %w", volume, err)
		case now.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete:
			return nil
		}
		if !pause(ctx, askAgain) {
			return fmt.Errorf("volume %s is still there after its claim was deleted: %w; its phase is %s %s", volume, ctx.Err(), now.Status.Phase, now.Status.Message)
		}
	}
	return nil
}
