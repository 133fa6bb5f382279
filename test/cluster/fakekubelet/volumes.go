package fakekubelet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func isGone(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsConflict(err) }

func (p *pod) volume(name string) string { return p.dir("volumes", name) }

// makeVolumes makes the volumes of a pod whose containers are run.
func (p *pod) makeVolumes(ctx context.Context) error {
	for _, v := range p.object.Spec.Volumes {
		if err := p.makeVolume(ctx, v); err != nil {
			return fmt.Errorf("make the volume %s: %w", v.Name, err)
		}
	}
	return nil
}

func (p *pod) makeVolume(ctx context.Context, v corev1.Volume) error {
	path := p.volume(v.Name)
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	switch {
	case v.Secret != nil:
		secret, err := p.client.CoreV1().Secrets(p.object.Namespace).Get(ctx, v.Secret.SecretName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return p.writeFiles(path, secret.Data, v.Secret.DefaultMode)
	case v.ConfigMap != nil:
		text, err := p.client.CoreV1().ConfigMaps(p.object.Namespace).Get(ctx, v.ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		data := text.BinaryData
		for name, value := range text.Data {
			if data == nil {
				data = map[string][]byte{}
			}
			data[name] = []byte(value)
		}
		return p.writeFiles(path, data, v.ConfigMap.DefaultMode)
	case v.PersistentVolumeClaim != nil:
		return p.mountClaim(ctx, path, v.PersistentVolumeClaim.ClaimName)
	}
	return p.share(path, 0o777) // an empty directory
}

// writeFiles writes what pods read, as their group may.
func (p *pod) writeFiles(dir string, files map[string][]byte, mode *int32) error {
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
		rights := os.FileMode(0o644)
		if mode != nil {
			rights = os.FileMode(*mode).Perm()
		}
		if p.group() >= 0 {
			rights |= 0o440
		}
		if err := p.share(path, rights); err != nil {
			return err
		}
	}
	return p.share(dir, 0o755)
}

// mountClaim shows the volume that a claim is bound to.
func (p *pod) mountClaim(ctx context.Context, path, name string) error {
	claim, err := p.client.CoreV1().PersistentVolumeClaims(p.object.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	volume, err := p.client.CoreV1().PersistentVolumes().Get(ctx, claim.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if volume.Spec.HostPath == nil {
		return errors.New("the persistent volume " + volume.Name + " is no directory of the nodes")
	}
	if err := p.share(volume.Spec.HostPath.Path, 0o770); err != nil {
		return err
	}
	return p.bind(volume.Spec.HostPath.Path, path)
}

// group is the one that volumes belong to; -1 is none.
func (p *pod) group() int {
	if s := p.object.Spec.SecurityContext; s != nil && s.FSGroup != nil {
		return int(*s.FSGroup)
	}
	return -1
}

// share gives a file to the group.
func (p *pod) share(path string, mode os.FileMode) error {
	if err := os.Chown(path, 0, p.group()); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// bind shows a file or directory elsewhere, where there is one of its kind.
func (p *pod) bind(from, to string) error {
	return p.mount(from, to, "", unix.MS_BIND)
}

func (p *pod) mount(from, to, kind string, flags uintptr) error {
	if err := unix.Mount(from, to, kind, flags, ""); err != nil {
		return fmt.Errorf("mount %s: %w", to, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mounts = append(p.mounts, to)
	return nil
}

// makeRoot makes all that the container's processes see.
func (c *container) makeRoot() error {
	root := c.root()
	for _, dir := range []string{"tmp", "proc", "dev", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky); err != nil {
		return err
	}
	if err := c.pod.mount("proc", filepath.Join(root, "proc"), "proc", 0); err != nil {
		return err
	}
	if c.spec.Image == c.pod.Image {
		if err := c.show(c.pod.Program, entry); err != nil {
			return err
		}
	}
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} {
		if err := c.show(device, device); err != nil {
			return err
		}
	}
	for _, m := range c.spec.VolumeMounts {
		if err := c.show(filepath.Join(c.pod.volume(m.Name), m.SubPath), m.MountPath); err != nil {
			return err
		}
	}
	uid, _, _ := c.user()
	message := filepath.Join(root, terminationLog)
	return errors.Join(os.WriteFile(message, nil, 0o666), os.Chown(message, int(uid), -1))
}

// show lets a file or directory of the machine appear at a path of the container.
func (c *container) show(from, at string) error {
	to := filepath.Join(c.root(), at)
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		err = os.WriteFile(to, nil, 0o644)
	}
	if err != nil {
		return err
	}
	return c.pod.bind(from, to)
}

// remove removes the files of a pod, but nothing that is mounted from elsewhere.
func (p *pod) remove() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, at := range slices.Backward(p.mounts) {
		errs = append(errs, unix.Unmount(at, unix.MNT_DETACH))
	}
	if errors.Join(errs...) == nil {
		_ = os.RemoveAll(p.dir()) // what stays goes with the cluster
	}
}
