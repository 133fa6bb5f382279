package node

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"plimsoll/test/cluster/images"
)

//go:embed files
var templates embed.FS

// values are what the configuration files differ in.
type values struct {
	Config
	Node, Address, Pods, Pause string
}

// writeFiles writes the programs' configuration files.
func (c Config) writeFiles() error {
	all, err := template.ParseFS(templates, "files/*")
	if err != nil {
		return err
	}
	of := values{Config: c, Node: Node, Address: address, Pods: pods, Pause: images.Pause}
	for _, to := range []string{"cni/cni.conflist", "containerd.toml", "kubelet.yaml", "kube-proxy.yaml", "audit.yaml"} {
		if err := write(all.Lookup(filepath.Base(to)), c.path(to), of); err != nil {
			return err
		}
	}
	// Pods have no other names than the cluster's.
	return os.WriteFile(c.path("resolv.conf"), nil, 0o644)
}

func write(t *template.Template, path string, of values) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(t.Execute(file, of), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
