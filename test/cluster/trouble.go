package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Client asks as the administrator.
func (c *Cluster) Client() (kubernetes.Interface, error) {
	config, err := c.Config()
	if err != nil {
		return nil, err
	}
	return kubernetes.NewForConfig(config)
}

// RestartProgram ends one of the node's programs with SIGKILL and starts it again. The
// API server answers then; pods keep running whatever is restarted.
func (c *Cluster) RestartProgram(ctx context.Context, name string) error {
	if err := c.KillProgram(ctx, name); err != nil {
		return err
	}
	return c.StartProgram(ctx, name)
}

// KubeconfigFor writes a kubeconfig of a service account, which may do what roles
// permit it, and nothing at first. It is removed with the cluster.
func (c *Cluster) KubeconfigFor(ctx context.Context, namespace, serviceAccount string) (file string, err error) {
	client, err := c.Client()
	if err != nil {
		return "", err
	}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, serviceAccount, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask for a token of the service account %s: %w", serviceAccount, err)
	}
	config, err := clientcmd.LoadFromFile(c.Kubeconfig)
	if err != nil {
		return "", err
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	}
	for _, at := range config.Contexts {
		at.Namespace = namespace
	}
	file = filepath.Join(c.Directory(), namespace+"-"+serviceAccount+".kubeconfig")
	return file, clientcmd.WriteToFile(*config, file)
}

// ShortToken gives a token of a service account that is good for as long as a Secret of
// its namespace is there.
func (c *Cluster) ShortToken(ctx context.Context, namespace, serviceAccount string, until *corev1.Secret) (string, error) {
	client, err := c.Client()
	if err != nil {
		return "", err
	}
	bound := &authenticationv1.BoundObjectReference{Kind: "Secret", APIVersion: "v1", Name: until.Name, UID: until.UID}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, serviceAccount,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: bound}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask for a token of the service account %s: %w", serviceAccount, err)
	}
	return token.Status.Token, nil
}

// ShortCertificate gives a certificate of an administrator that expires soon, and its key.
func (c *Cluster) ShortCertificate(name string, lifetime time.Duration) (certificate, key []byte, err error) {
	return c.config.Certificate(name, lifetime)
}

// KillProcess ends with SIGKILL the processes of a container that run a program, such
// as postgres; without one, the container's first process.
func (c *Cluster) KillProcess(ctx context.Context, namespace, pod, container, program string) error {
	id, err := c.containerID(ctx, namespace, pod, container)
	if err != nil {
		return fmt.Errorf("kill a process of pod %s: %w", pod, err)
	}
	processes, err := c.processes(ctx, id)
	if err != nil {
		return fmt.Errorf("kill a process of pod %s: %w", pod, err)
	}
	var pids []string
	for _, p := range processes {
		if program == "" || p.program == program {
			pids = append(pids, p.pid)
		}
	}
	if len(pids) == 0 {
		return fmt.Errorf("kill %s in pod %s: it runs %v", program, pod, processes)
	}
	if program == "" {
		pids = pids[:1]
	}
	if out, err := c.Inside(ctx, append([]string{"kill", "-KILL"}, pids...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("kill a process of pod %s: %w: %s", pod, err, out)
	}
	return nil
}

func (c *Cluster) containerID(ctx context.Context, namespace, pod, container string) (string, error) {
	client, err := c.Client()
	if err != nil {
		return "", err
	}
	found, err := client.CoreV1().Pods(namespace).Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(found.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == container })
	if at < 0 || found.Status.ContainerStatuses[at].State.Running == nil {
		return "", fmt.Errorf("container %s does not run", container)
	}
	_, id, ok := strings.Cut(found.Status.ContainerStatuses[at].ContainerID, "://")
	if !ok {
		return "", errors.New("the container has no ID")
	}
	return id, nil
}

// process is one of a container, by its ID in the node.
type process struct{ pid, program string }

// processes lists the processes of a container, the first one first.
func (c *Cluster) processes(ctx context.Context, id string) (all []process, err error) {
	// The first column of the output is the process, below one line of headings.
	const list = `ctr --address /run/containerd.sock --namespace k8s.io tasks ps "$0" | tail -n +2 | while read -r pid _; do
		echo "$pid $(cat /proc/$pid/comm)"
	done`
	out, err := c.Inside(ctx, "sh", "-c", list, id).Output()
	if err != nil {
		return nil, fmt.Errorf("list the processes of container %s: %w", id, err)
	}
	for line := range strings.Lines(string(out)) {
		if pid, program, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all = append(all, process{pid, program})
		}
	}
	return all, nil
}
