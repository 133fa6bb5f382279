// Package fakekubelet stands in for the kubelets of many nodes, so that hundreds of
// pods fit on a small machine. Containers of two images are really run, as processes
// of this machine that see no other files than their image and volumes; of all
// others it is only said that they run. Probes and limits are ignored, and pods have
// no network of their own.
package fakekubelet

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Options say what the nodes are.
type Options struct {
	Nodes     int    // node1 and up
	Address   string // of all nodes; each has a port of its own
	Image     string // of Plimsoll, whose containers are run
	Empty     string // has no files; its containers are run, too
	Program   string // the static program in it, at /plimsoll
	Directory string // for the files of pods
	Identity  tls.Certificate
}

// Kubelets simulates the kubelets of all nodes.
type Kubelets struct {
	Options
	client kubernetes.Interface

	mu   sync.Mutex
	pods map[types.UID]*pod
	next int // of the pods' addresses
}

// Start registers the nodes and serves their pods until the context ends.
func Start(ctx context.Context, client kubernetes.Interface, o Options) (*Kubelets, error) {
	k := &Kubelets{Options: o, client: client, pods: map[types.UID]*pod{}}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range o.Nodes {
		group.Go(func() error { return k.startNode(groupCtx, ctx, nodeName(i)) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return k, k.follow(ctx)
}

func nodeName(i int) string { return fmt.Sprintf("node%d", i+1) }

// startNode registers a node, whose kubelet serves for as long as ctx lives.
func (k *Kubelets) startNode(starting, ctx context.Context, name string) error {
	listener, err := new(net.ListenConfig).Listen(starting, "tcp", net.JoinHostPort(k.Address, "0"))
	if err != nil {
		return fmt.Errorf("serve node %s: %w", name, err)
	}
	server := &http.Server{
		Handler: k.handler(name), BaseContext: func(net.Listener) context.Context { return ctx },
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{k.Identity}, MinVersion: tls.VersionTLS12},
		// Streams take over HTTP/1.1 connections.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	go func() { _ = server.ServeTLS(listener, "", "") }() // until the context ends
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := k.register(starting, name, listener.Addr().(*net.TCPAddr).Port); err != nil {
		return fmt.Errorf("register node %s: %w", name, err)
	}
	go k.beat(ctx, name)
	return nil
}

// follow begins to look after the pods of all nodes.
func (k *Kubelets) follow(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(k.client, 0)
	informer := factory.Core().V1().Pods().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { k.see(ctx, o.(*corev1.Pod)) },
		UpdateFunc: func(_, o any) { k.see(ctx, o.(*corev1.Pod)) },
		DeleteFunc: func(o any) {
			if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = last.Obj
			}
			k.forget(o.(*corev1.Pod))
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}

// see starts a pod that has come to a node, and ends one that is to be deleted.
func (k *Kubelets) see(ctx context.Context, object *corev1.Pod) {
	if object.Spec.NodeName == "" {
		return
	}
	k.mu.Lock()
	p := k.pods[object.UID]
	if p == nil {
		k.next++
		p = newPod(k, object, fmt.Sprintf("10.201.%d.%d", k.next/250, k.next%250+1))
		k.pods[object.UID] = p
		go p.live(ctx)
	}
	k.mu.Unlock()
	if object.DeletionTimestamp != nil {
		p.end(gracePeriod(object))
	}
}

// gracePeriod is how long a pod that is to be deleted may take.
func gracePeriod(object *corev1.Pod) time.Duration {
	if object.DeletionGracePeriodSeconds == nil {
		return 0
	}
	return time.Duration(*object.DeletionGracePeriodSeconds) * time.Second
}

// forget ends at once what was deleted by force.
func (k *Kubelets) forget(object *corev1.Pod) {
	k.mu.Lock()
	p := k.pods[object.UID]
	delete(k.pods, object.UID)
	k.mu.Unlock()
	if p != nil {
		p.end(0)
	}
}

// named finds a pod that is looked after.
func (k *Kubelets) named(namespace, name string) *pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.pods {
		if p.object.Namespace == namespace && p.object.Name == name {
			return p
		}
	}
	return nil
}
