package kubernetes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"plimsoll/internal/app"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/platform/kubernetes/pod"
	"plimsoll/internal/storage"
)

// Where a server finds what in its pod, and the name of its container.
const (
	serverContainer = "server"
	runtimeVolume   = "/runtime"
	runtimePath     = runtimeVolume + "/server" // a directory that is the server's alone
	anyHost         = "0.0.0.0"
	anyUser         = "0.0.0.0/0" // pods and nodes have addresses that nobody here knows
)

// otherPort is the port of servers without a customary one: each has a host of its
// own.
const otherPort = 20000

// described is a server with what makes it run here.
type described struct {
	app.Server
	volume storage.Volume
	others []platform.Mounted
	place  app.Surroundings
}

// describeServer says where a server runs.
func describeServer(s app.Server, v storage.Volume, others ...platform.Mounted) (described, error) {
	d := described{Server: s, volume: v, others: others}
	if s.Name == "" || s.Name[0] == '.' || strings.ContainsAny(s.Name, "/ \n") {
		return d, fmt.Errorf("%q is not a valid name of a server", s.Name)
	}
	if len(s.Command) == 0 {
		return d, fmt.Errorf("%s has no command", s.Name)
	}
	if v.Path == "" && s.Mentions("${VOLUME}") {
		return d, fmt.Errorf("%s needs a volume and gets none", s.Name)
	}
	d.place = app.Surroundings{Volume: v.Path, Mounts: platform.MountedAt(others), Runtime: runtimePath, Host: anyHost, Users: anyUser}
	if s.NeedsPort(false) {
		d.place.Port = cmp.Or(s.Port, otherPort)
		d.place.Listen = net.JoinHostPort(anyHost, strconv.Itoa(d.place.Port))
	}
	return d, nil
}

// served is what `pod serve` needs to know of it.
func (d described) served() (pod.Server, error) {
	s := pod.Server{
		Command: d.place.ExpandAll(d.Command), Runtime: runtimePath, Stop: d.Stop, StopTimeout: d.StopTimeout,
		Lock: d.place.Expand(d.Lock),
		Env: append([]string{
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + runtimePath, "LC_ALL=C", "TZ=UTC",
		}, slices.Concat(d.place.ExpandAll(d.Env), d.Secrets)...),
	}
	for _, f := range d.Files {
		at := path.Clean(d.place.Expand(f.Path))
		if !within(at, runtimePath) && !within(at, d.volume.Path) {
			return s, fmt.Errorf("%s is neither below ${RUNTIME} nor below ${VOLUME}", f.Path)
		}
		s.Files = append(s.Files, pod.File{Path: at, Content: d.place.Content(f), Mode: fs.FileMode(f.Mode)})
	}
	return s, nil
}

// claims gives its container its volumes.
func (d described) claims(spec *corev1.PodSpec, main *corev1.Container) error {
	err := claimed(spec, main, d.volume)
	for _, m := range d.others {
		err = errors.Join(err, claimed(spec, main, m.Volume))
	}
	return err
}

func within(path, directory string) bool {
	return directory != "" && strings.HasPrefix(path, directory+"/")
}

// secret holds its description, which has passwords.
func (k *Kubernetes) secret(d described) (*corev1.Secret, error) {
	served, err := d.served()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(served)
	if err != nil {
		return nil, err
	}
	s := &corev1.Secret{Data: map[string][]byte{path.Base(pod.Description): text}}
	s.Name, s.Namespace = k.name(d.Name), k.namespace
	s.Labels = k.labels(d)
	return s, nil
}

func (k *Kubernetes) labels(d described) map[string]string {
	return api.Labels(k.env.RunID, api.RoleLabel, serverRole, api.NameLabel, d.Name)
}

// service gives the server a name that outlives its pod; nil if nobody connects to it. The
// service of a server with data is headless: its name resolves to the pod. Other servers
// are used by later servers, as nginx uses PHP-FPM. Such a user may resolve the name only
// once, so the address must not change.
func (k *Kubernetes) service(d described) *corev1.Service {
	if d.place.Port == 0 {
		return nil
	}
	s := &corev1.Service{Spec: corev1.ServiceSpec{
		PublishNotReadyAddresses: true, Selector: k.labels(d),
		Ports: []corev1.ServicePort{{Name: "server", Port: int32(d.place.Port), TargetPort: intstr.FromInt(d.place.Port), Protocol: corev1.ProtocolTCP}},
	}}
	if d.volume.Path != "" {
		s.Spec.ClusterIP = corev1.ClusterIPNone
	}
	s.Name, s.Namespace, s.Labels = k.name(d.Name), k.namespace, k.labels(d)
	return s
}

// address is where its users find it.
func (k *Kubernetes) address(d described) string {
	return fmt.Sprintf("%s.%s.svc:%d", k.name(d.Name), k.namespace, d.place.Port)
}

// Address is the address of the server's service, which exists from its
// start on.
func (k *Kubernetes) Address(_ context.Context, s app.Server) (string, error) {
	d := described{Server: s}
	d.place.Port = cmp.Or(s.Port, otherPort)
	return k.address(d), nil
}

// imageOf is the image of the server's program: the image of its installation, or else the
// one that the study names for its kind.
func (k *Kubernetes) imageOf(s app.Server) (string, error) {
	image := cmp.Or(s.Image, k.parameters.Images[s.Kind])
	if image == "" {
		return "", fmt.Errorf("there is no image for servers of kind %s: name one below images in the platform of the study", s.Kind)
	}
	return image, nil
}

// endGrace is what the kubelet gives a server's pod beyond its own time to stop.
const endGrace = 10 * time.Second

// pod is the pod of a server. An init container brings in Plimsoll's program.
func (k *Kubernetes) pod(d described, serial int) (*corev1.Pod, error) {
	image, err := k.imageOf(d.Server)
	if err != nil {
		return nil, err
	}
	ours := k.parameters.ownImage()
	grace := int64((stopTimeout(d.Server) + endGrace) / time.Second)
	private := int32(0o440) // of the pod's group; its files get their own modes
	spec := corev1.PodSpec{
		TerminationGracePeriodSeconds: &grace,
		Volumes: []corev1.Volume{
			emptyDirectory("plimsoll", ""), emptyDirectory("runtime", ""), emptyDirectory("tmp", ""), emptyDirectory("shm", corev1.StorageMediumMemory),
			{Name: "description", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: k.name(d.Name), DefaultMode: &private}}},
		},
		InitContainers: []corev1.Container{{
			Name: "install", Image: ours, Args: []string{"pod", "install"}, VolumeMounts: []corev1.VolumeMount{mounted("plimsoll", pod.InstallDirectory)},
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError, Resources: k.parameters.resources(d.Limits),
		}},
	}
	main := corev1.Container{
		Name: serverContainer, Image: image, Command: []string{pod.Installed, "pod", "serve"}, Resources: k.parameters.resources(d.Limits),
		TerminationMessagePath: pod.Termination,
		VolumeMounts: []corev1.VolumeMount{
			mounted("plimsoll", pod.InstallDirectory), mounted("runtime", runtimeVolume), mounted("tmp", "/tmp"), mounted("shm", "/dev/shm"),
			mounted("description", path.Dir(pod.Description)),
		},
	}
	if d.Named {
		main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: "plimsoll", MountPath: "/etc/passwd", SubPath: pod.Accounts, ReadOnly: true})
	}
	if err := d.claims(&spec, &main); err != nil {
		return nil, err
	}
	spec.Containers = []corev1.Container{main}
	k.arrange(&spec, k.parameters.Placement.Application, serverRole)
	made := k.newPod(k.name(d.Name, fmt.Sprint(serial)), serverRole, d.Name, spec)
	made.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": serverContainer}
	return made, nil
}

func stopTimeout(s app.Server) time.Duration {
	if s.StopTimeout <= 0 {
		return 10 * time.Second
	}
	return s.StopTimeout
}
