// Package provisioner makes the volumes of the test cluster: directories of its one
// node, handed out as local persistent volumes.
package provisioner

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v10/controller"
)

// Volumes are where the volumes of a class come from.
type Volumes interface {
	// Make makes an empty volume: a directory of mode 0770, or a block device.
	Make(ctx context.Context, v Volume) (path string, err error)
	Delete(ctx context.Context, name string) error
}

// Volume is what a claim asks for.
type Volume struct {
	Name  string
	Block bool  // volumeMode Block: a device rather than a directory
	Bytes int64 // of a device
}

// Cloner is a source of volumes that can copy one.
type Cloner interface {
	Clone(ctx context.Context, source, name string) (path string, err error)
}

// Class is a storage class of the cluster.
type Class struct {
	Name    string
	Node    string // its volumes can be used there alone; none is everywhere
	Binding storagev1.VolumeBindingMode
	Volumes Volumes
	// Annotations say what its volumes are on, as an administrator does.
	Annotations map[string]string
}

// provisioner is the name by which claims of the class ask for it.
func (c Class) provisioner() string { return c.Name + ".plimsoll.test" }

// Run makes classes known and serves their claims until the context ends. All controllers are
// made before one runs: making one writes the types that are known to all, which one that runs
// reads.
func Run(ctx context.Context, client kubernetes.Interface, classes ...Class) error {
	var all []*controller.ProvisionController
	for _, c := range classes {
		if err := c.create(ctx, client); err != nil {
			return fmt.Errorf("create the storage class %s: %w", c.Name, err)
		}
		all = append(all, controller.NewProvisionController(klog.Background(), client, c.provisioner(), &server{class: c, client: client},
			controller.LeaderElection(false), controller.ResyncPeriod(20*time.Second))) // every 15 minutes is as good as never to a test
	}
	for _, p := range all {
		go p.Run(ctx)
	}
	return nil
}

func (c Class) create(ctx context.Context, client kubernetes.Interface) error {
	reclaim := corev1.PersistentVolumeReclaimDelete
	_, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: c.Name, Annotations: c.Annotations}, Provisioner: c.provisioner(),
		VolumeBindingMode: &c.Binding, ReclaimPolicy: &reclaim,
	}, metav1.CreateOptions{})
	return err
}

// server makes the volumes that the controller asks for.
type server struct {
	class  Class
	client kubernetes.Interface
}

var _ controller.BlockProvisioner = (*server)(nil)

// SupportsBlock implements controller.BlockProvisioner: the volumes say themselves whether
// they can.
func (s *server) SupportsBlock(context.Context) bool { return true }

// Provision implements controller.Provisioner.
func (s *server) Provision(ctx context.Context, o controller.ProvisionOptions) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	path, err := s.provision(ctx, o)
	if err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	return s.volume(o, path), controller.ProvisioningFinished, nil
}

func (s *server) provision(ctx context.Context, o controller.ProvisionOptions) (string, error) {
	spec := o.PVC.Spec
	if spec.DataSource == nil && spec.DataSourceRef == nil {
		return s.class.Volumes.Make(ctx, Volume{
			Name: o.PVName, Bytes: spec.Resources.Requests.Storage().Value(),
			Block: spec.VolumeMode != nil && *spec.VolumeMode == corev1.PersistentVolumeBlock,
		})
	}
	source, err := s.source(ctx, o.PVC)
	if err != nil {
		return "", err
	}
	cloner, ok := s.class.Volumes.(Cloner)
	if !ok {
		return "", fmt.Errorf("storage class %s cannot clone volumes", s.class.Name)
	}
	return cloner.Clone(ctx, source, o.PVName)
}

// source finds the volume of the claim that another one is to be a clone of.
func (s *server) source(ctx context.Context, claim *corev1.PersistentVolumeClaim) (string, error) {
	from := claim.Spec.DataSource
	if from == nil || from.APIGroup != nil && *from.APIGroup != "" || from.Kind != "PersistentVolumeClaim" {
		return "", fmt.Errorf("storage class %s has no other data sources than claims of the same namespace", s.class.Name)
	}
	found, err := s.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Get(ctx, from.Name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("find the claim that is the data source: %w", err)
	}
	if found.Status.Phase != corev1.ClaimBound {
		return "", fmt.Errorf("the claim %s, the data source, is not bound", from.Name)
	}
	if found.Spec.StorageClassName == nil || *found.Spec.StorageClassName != s.class.Name {
		return "", fmt.Errorf("the claim %s, the data source, is of another storage class", from.Name)
	}
	return found.Spec.VolumeName, nil
}

func (s *server) volume(o controller.ProvisionOptions, path string) *corev1.PersistentVolume {
	made := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			AccessModes:                   o.PVC.Spec.AccessModes,
			VolumeMode:                    o.PVC.Spec.VolumeMode,
			MountOptions:                  o.StorageClass.MountOptions,
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: o.PVC.Spec.Resources.Requests[corev1.ResourceStorage]},
		},
	}
	if s.class.Node == "" {
		made.Spec.HostPath = &corev1.HostPathVolumeSource{Path: path}
		return made
	}
	here := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{s.class.Node}},
	}}
	made.Spec.Local = &corev1.LocalVolumeSource{Path: path}
	made.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{here}}}
	return made
}

// Delete implements controller.Provisioner.
func (s *server) Delete(ctx context.Context, v *corev1.PersistentVolume) error {
	if v.Spec.Local == nil && v.Spec.HostPath == nil {
		return errors.New("the persistent volume " + v.Name + " is no directory of the node")
	}
	return s.class.Volumes.Delete(ctx, v.Name)
}
