package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"

	storagev1 "k8s.io/api/storage/v1"

	"plimsoll/test/cluster/dns"
	"plimsoll/test/cluster/fakekubelet"
	"plimsoll/test/cluster/images"
	"plimsoll/test/cluster/provisioner"
)

// simulate starts a real control plane for nodes that are not.
func (n *node) simulate(ctx context.Context) error {
	if err := n.programs["etcd"].start(); err != nil {
		return err
	}
	if err := n.startAPIServer(ctx); err != nil {
		return err
	}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		if err := n.programs[name].start(); err != nil {
			return err
		}
	}
	if err := n.simulateNodes(); err != nil {
		return err
	}
	n.says(fmt.Sprintf("%d simulated nodes are registered", n.Nodes))
	if err := dns.Serve(n.serving, address+":53", n.client); err != nil {
		return err
	}
	for name, try := range map[string]func(context.Context) error{"kube-scheduler": n.nodeReady, "kube-controller-manager": n.accountReady} {
		if err := n.programs[name].wait(ctx, name+" is ready", try); err != nil {
			return err
		}
	}
	return nil
}

// simulateNodes starts the kubelets and the storage class fast, whose volumes are
// directories that all nodes share.
func (n *node) simulateNodes() error {
	identity, err := tls.LoadX509KeyPair(n.path("pki", "kubelet.crt"), n.path("pki", "kubelet.key"))
	if err != nil {
		return fmt.Errorf("read the kubelet's certificate: %w", err)
	}
	_, err = fakekubelet.Start(n.serving, n.client, fakekubelet.Options{
		Nodes: n.Nodes, Address: address, Image: images.Plimsoll, Empty: images.Empty, Program: n.Plimsoll, Directory: n.path("simulated"), Identity: identity,
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(n.path("fast"), 0o711); err != nil {
		return fmt.Errorf("make the storage class: %w", err)
	}
	return provisioner.Run(n.serving, n.client, provisioner.Class{Name: "fast", Binding: storagev1.VolumeBindingImmediate, Volumes: provisioner.Directory(n.path("fast"))})
}
