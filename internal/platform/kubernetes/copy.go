package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/host/archive"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/storage"
)

// copyLimit is how long the pod for a copy may take to come up, and copyTries how
// often a copy begins that a broken connection cuts off.
const (
	copyLimit = 5 * time.Minute
	copyTries = 3
)

// CopyOut copies the volume through a pod that mounts it. Half a copy proves nothing
// and fills the disk, so nothing is left of one that fails.
func (k *Kubernetes) CopyOut(ctx context.Context, v storage.Volume, to string) error {
	if err := k.copyOut(ctx, v, to); err != nil {
		return errors.Join(fmt.Errorf("copy volume %s: %w", v.Name, err), os.RemoveAll(to))
	}
	return nil
}

func (k *Kubernetes) copyOut(ctx context.Context, v storage.Volume, to string) error {
	from, err := k.copier(v)
	if err != nil {
		return err
	}
	defer func() { _ = k.client.Delete(context.WithoutCancel(ctx), from, 0) }() // or it goes with the run
	if err := k.client.Apply(ctx, from); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, copyLimit)
	defer cancel()
	if _, err := k.pods.AwaitRunning(limited, from.Name, from.UID, copyContainer); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := k.stream(ctx, from.Name, v.Path, to)
		if err == nil || ctx.Err() != nil || try == copyTries {
			return err
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
}

const copyContainer = "copy"

// copier is a pod that has a volume and does nothing.
func (k *Kubernetes) copier(v storage.Volume) (*corev1.Pod, error) {
	ours := k.parameters.ownImage()
	main := corev1.Container{Name: copyContainer, Image: ours, Args: []string{"pod", "idle"}, VolumeMounts: []corev1.VolumeMount{mounted("plimsoll", pod.InstallDirectory)}}
	spec := corev1.PodSpec{
		Volumes:        []corev1.Volume{emptyDirectory("plimsoll", "")},
		InitContainers: []corev1.Container{{Name: "install", Image: ours, Args: []string{"pod", "install"}, VolumeMounts: main.VolumeMounts}},
	}
	if err := claimed(&spec, &main, v); err != nil {
		return nil, err
	}
	spec.Containers = []corev1.Container{main}
	k.arrange(&spec, k.parameters.Placement.Application, taskRole)
	return k.newPod(k.name("copy", v.Claim), taskRole, "copy-"+v.Claim, spec), nil
}

// stream copies a directory of a pod.
func (k *Kubernetes) stream(ctx context.Context, from, path, to string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := k.client.Exec(ctx, api.Command{Namespace: k.namespace, Pod: from, Container: copyContainer, Args: []string{pod.Installed, "pod", "archive", path}, Stdout: writer})
		_ = writer.CloseWithError(err)
		ended <- err
	}()
	err := archive.Read(reader, to)
	_ = reader.CloseWithError(err)
	return errors.Join(err, <-ended)
}
