package provisioner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v10/controller"
)

func claim(name, class string, phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "of-users"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: &class, VolumeName: "pv-" + name},
		Status:     corev1.PersistentVolumeClaimStatus{Phase: phase},
	}
}

// A data source that cannot be copied is refused: an empty volume in its place would
// be taken for the data.
func TestImpossibleSourcesAreRefused(t *testing.T) {
	client := fake.NewClientset(claim("waiting", "fast", corev1.ClaimPending), claim("other", "slow", corev1.ClaimBound))
	s := &server{class: Class{Name: "fast", Node: "node1", Volumes: Directory(t.TempDir())}, client: client}
	snapshots, block := "snapshot.storage.k8s.io", corev1.PersistentVolumeBlock
	for want, spec := range map[string]corev1.PersistentVolumeClaimSpec{
		"no other data sources":    {DataSource: &corev1.TypedLocalObjectReference{APIGroup: &snapshots, Kind: "VolumeSnapshot", Name: "x"}},
		"not found":                {DataSource: &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "none"}},
		"is not bound":             {DataSource: &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "waiting"}},
		"of another storage class": {DataSource: &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "other"}},
		"no volumes of mode Block": {VolumeMode: &block},
	} {
		wanted := claim("wanted", "fast", corev1.ClaimPending)
		wanted.Spec = spec
		_, state, err := s.Provision(t.Context(), options(wanted))
		if err == nil || !strings.Contains(err.Error(), want) || state != controller.ProvisioningFinished {
			t.Errorf("%s: %v, %v", want, state, err)
		}
	}
}

func options(wanted *corev1.PersistentVolumeClaim) controller.ProvisionOptions {
	reclaim := corev1.PersistentVolumeReclaimDelete
	return controller.ProvisionOptions{PVName: "pv-wanted", PVC: wanted, StorageClass: &storagev1.StorageClass{ReclaimPolicy: &reclaim}}
}

func TestACloneHoldsWhatItsSourceHolds(t *testing.T) {
	dir := Directory(t.TempDir())
	source := claim("golden", "fast", corev1.ClaimBound)
	s := &server{class: Class{Name: "fast", Node: "node1", Volumes: dir}, client: fake.NewClientset(source)}
	golden, err := dir.Make(t.Context(), Volume{Name: "pv-golden"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(golden, "file"), []byte("golden"), 0o640); err != nil {
		t.Fatal(err)
	}
	// An earlier attempt was cut off.
	if err := os.MkdirAll(dir.path("pv-wanted/torn"), 0o755); err != nil {
		t.Fatal(err)
	}
	wanted := claim("wanted", "fast", corev1.ClaimPending)
	wanted.Spec.DataSource = &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "golden"}
	volume, _, err := s.Provision(t.Context(), options(wanted))
	if err != nil {
		t.Fatal(err)
	}
	inside, err := os.ReadDir(volume.Spec.Local.Path)
	if err != nil || len(inside) != 1 {
		t.Fatalf("the clone holds %v: %v", inside, err)
	}
	info, err := inside[0].Info()
	if err != nil || info.Mode() != 0o640 || info.Size() != 6 {
		t.Errorf("the clone's file: %v, %v", info, err)
	}
	if err := s.Delete(t.Context(), volume); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(volume.Spec.Local.Path); !os.IsNotExist(err) {
		t.Errorf("the volume is there after it was deleted: %v", err)
	}
}
