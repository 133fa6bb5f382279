// Package api is a thin layer over client-go. It connects Plimsoll to a cluster, names and
// labels its objects there, applies and deletes them, watches pods until they start and
// explains why one does not, and reaches into pods. It knows nothing of studies, engines or
// storage.
//
// Calls are retried for a minute (patience) while the API server is unreachable; watches
// continue as soon as it is back.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Client reaches one cluster. It is safe for concurrent use.
type Client struct {
	// Context names the cluster and user as kubeconfig does; "in-cluster" inside.
	Context string
	// Namespace is the namespace of the context.
	Namespace string
	// Version is the version of the API server.
	Version version.Info

	dynamic     dynamic.Interface
	core        rest.Interface // for all but objects: logs, streams, proxies
	pace        *pacer
	credentials *credentials
}

// InCluster is the context of a program that runs in a pod and has no kubeconfig.
const InCluster = "in-cluster"

// connectLimit is how long a cluster may take to answer the first time.
const connectLimit = 15 * time.Second

// Connect finds a cluster and asks for its version. It uses the given kubeconfig file and
// context. Where these are empty, it uses KUBECONFIG or ~/.kube/config with its current
// context, and inside a cluster the pod's service account.
func Connect(ctx context.Context, kubeconfig, context string) (*Client, error) {
	config, where, namespace, err := configuration(kubeconfig, context)
	if err != nil {
		return nil, err
	}
	info, err := ask(ctx, config)
	if err != nil {
		return nil, unreachable(err, where, config.Host)
	}
	c, err := newClient(config, func() (*rest.Config, error) { return sameCluster(config.Host, kubeconfig, context, where) })
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster of context %s: %w", where, err)
	}
	c.Context, c.Namespace, c.Version = where, namespace, *info
	return c, nil
}

// newClient makes a client of a configuration, which read gives again, without asking
// the cluster anything.
func newClient(config *rest.Config, read func() (*rest.Config, error)) (*Client, error) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // client-go reports streams that end to nobody else
	pace := newPacer()
	own, err := newCredentials(config, pace, read)
	if err != nil {
		return nil, err
	}
	config, http := own.current().config, &http.Client{Transport: own}
	core, err := coreFor(config, http)
	if err != nil {
		return nil, err
	}
	dynamic, err := dynamic.NewForConfigAndClient(config, http)
	if err != nil {
		return nil, err
	}
	return &Client{dynamic: dynamic, core: core, pace: pace, credentials: own}, nil
}

// coreFor reaches the core group.
func coreFor(config *rest.Config, http *http.Client) (rest.Interface, error) {
	core := rest.CopyConfig(config)
	core.APIPath, core.GroupVersion = "/api", &corev1.SchemeGroupVersion
	core.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientForConfigAndClient(core, http)
}

// parameters writes options into the query of a request.
var parameters = runtime.NewParameterCodec(scheme)

// HasGroup reports whether the API server serves a group.
func (c *Client) HasGroup(ctx context.Context, name string) (bool, error) {
	err := c.core.Get().AbsPath("/apis", name).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// sameCluster reads the configuration of a cluster again. Who chose another current
// context meanwhile did not mean this run.
func sameCluster(host, kubeconfig, context, where string) (*rest.Config, error) {
	if where != InCluster {
		context = where
	}
	config, _, _, err := configuration(kubeconfig, context)
	if err == nil && config.Host != host {
		err = fmt.Errorf("context %s of kubeconfig is now the cluster at %s, and was %s when the run began", where, config.Host, host)
	}
	return config, err
}

// configuration reads kubeconfig, and inside a cluster, where there is none, what
// the pod was given.
func configuration(kubeconfig, context string) (config *rest.Config, where, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context})
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, "", "", unreadable(err, kubeconfig)
	}
	if len(raw.Contexts) == 0 && kubeconfig == "" && context == "" {
		return inside(rules)
	}
	if where = context; where == "" {
		where = raw.CurrentContext
	}
	if raw.Contexts[where] == nil {
		return nil, "", "", noContext(where, names(raw.Contexts))
	}
	if config, err = loader.ClientConfig(); err != nil {
		return nil, "", "", fmt.Errorf("context %s of kubeconfig cannot be used: %w", where, err)
	}
	namespace, _, err = loader.Namespace()
	return config, where, namespace, err
}

func unreadable(err error, kubeconfig string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no kubeconfig file %s: name the right one with --kubeconfig", kubeconfig)
	}
	return fmt.Errorf("read kubeconfig: %w", err)
}

func noContext(wanted string, have []string) error {
	if len(have) == 0 {
		return fmt.Errorf("kubeconfig has no context %q, nor any other: name the right file with --kubeconfig", wanted)
	}
	if wanted == "" {
		return fmt.Errorf("kubeconfig has no current context: choose one of %s with --context", strings.Join(have, ", "))
	}
	return fmt.Errorf("kubeconfig has no context %q: choose one of %s with --context", wanted, strings.Join(have, ", "))
}

// inside connects as a pod of the cluster does.
func inside(rules *clientcmd.ClientConfigLoadingRules) (*rest.Config, string, string, error) {
	config, err := rest.InClusterConfig()
	if errors.Is(err, rest.ErrNotInCluster) {
		return nil, "", "", fmt.Errorf("no Kubernetes cluster is configured: %s has no context; name a kubeconfig file with --kubeconfig or in KUBECONFIG", strings.Join(rules.Precedence, ", "))
	}
	if err != nil {
		return nil, "", "", fmt.Errorf("connect from inside the cluster: %w; the pod needs a service account whose token is mounted", err)
	}
	namespace, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if err != nil {
		return nil, "", "", fmt.Errorf("find the namespace of this pod: %w", err)
	}
	return config, InCluster, strings.TrimSpace(string(namespace)), nil
}

// ask asks the API server for its version, without patience: who names a wrong
// server wants to know at once.
func ask(ctx context.Context, config *rest.Config) (*version.Info, error) {
	once := rest.CopyConfig(config)
	once.Timeout = connectLimit
	http, err := rest.HTTPClientFor(once)
	if err != nil {
		return nil, err
	}
	core, err := coreFor(once, http)
	if err != nil {
		return nil, err
	}
	text, err := core.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return nil, err
	}
	info := &version.Info{}
	if err := json.Unmarshal(text, info); err != nil {
		return nil, fmt.Errorf("read its version: %w", err)
	}
	return info, nil
}

// unreachable says what to do about a cluster that does not answer.
func unreachable(err error, where, host string) error {
	if apierrors.IsUnauthorized(err) {
		return fmt.Errorf("the cluster of context %s (%s) does not accept these credentials: %w; log in again, or choose another context with --context", where, host, err)
	}
	return fmt.Errorf("the cluster of context %s (%s) does not answer: %w; check with `kubectl --context %s version`, or choose another with --context or --kubeconfig", where, host, err, where)
}
