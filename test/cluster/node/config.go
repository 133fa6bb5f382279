// Package node is the inside of the test cluster: the one node with its control
// plane, in namespaces of its own for processes, mounts and the network. When the
// first process ends, in whatever way, the kernel ends all others and removes the
// mounts and the network; only cgroups and the node's directory stay, which carry
// its name.
package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Config says what the node is made of. Its directory holds it as config.json.
type Config struct {
	// Name names the node's cgroups; Directory holds everything else.
	Name, Directory string
	Programs        string // directory of kube
	Plimsoll        string // the program that simulates the disk, and that simulated nodes run
	Images          []string
	References      map[string]string // of the images, by name
	Media           string            // of the class slow, as the storage class disk has it
	API             string            // host and port on which the machine reaches the API server
	// Nodes makes a cluster of so many simulated nodes, without containers; 0 is the
	// real one.
	Nodes int
	// Stays lets the node outlive the process that started it; otherwise it ends with its
	// standard input.
	Stays bool
}

// Name of the Kubernetes node, and addresses of the network, which leads nowhere.
const (
	Node        = "node1"
	address     = "10.200.0.1"
	pods        = "10.201.0.0/24"
	services    = "10.202.0.0/16"
	firstOfThem = "10.202.0.1" // the API server's
	apiAddress  = address + ":6443"
)

func (c Config) path(parts ...string) string {
	return filepath.Join(append([]string{c.Directory}, parts...)...)
}

// Kubeconfig is the administrator's, for use on the machine.
func (c Config) Kubeconfig() string { return c.path("admin.kubeconfig") }

// Socket takes commands; see Client.
func (c Config) Socket() string { return c.path("control") }

// Audit is the list of all calls of the API of simulated nodes.
func (c Config) Audit() string { return c.path("audit.jsonl") }

// Log is where the output of a program goes.
func (c Config) Log(program string) string { return c.path("log", program+".log") }

// Write puts the configuration into the directory.
func (c Config) Write() error {
	data, err := json.MarshalIndent(c, "", "\t")
	if err == nil {
		err = os.WriteFile(c.path("config.json"), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the node's configuration: %w", err)
	}
	return nil
}

// Read reads the configuration of the node in a directory.
func Read(directory string) (c Config, err error) {
	data, err := os.ReadFile(filepath.Join(directory, "config.json"))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, fmt.Errorf("read the node's configuration: %w", err)
	}
	return c, nil
}
