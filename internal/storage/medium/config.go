package medium

import (
	"encoding/json"
	"fmt"
	"os"

	"plimsoll/internal/host/safefile"
)

// FileName is the name of the block file below the mount point.
const FileName = "disk"

// OrderFile is a file next to it with two counts: of reads and of writes that did not begin where
// an earlier request had ended.
const OrderFile = "order"

// Files of a tiered medium only. The work of the tier and of the medium behind it is in the
// format of /sys/class/block/*/stat, and their orders have the format of OrderFile.
const (
	TierStat  = "tier.stat"
	SlowStat  = "slow.stat"
	TierOrder = "tier.order"
	SlowOrder = "slow.order"
)

// Config configures the medium's process, as a JSON file.
type Config struct {
	Name  string `json:"name"`  // shown as the source of the mount
	Mount string `json:"mount"` // an empty directory
	Image string `json:"image"` // sparse file that holds the data
	Size  int64  `json:"size"`  // bytes
	Spec  Spec   `json:"spec"`
	// PowerCuts has the process keep a record of the writes that a power cut would undo, at
	// a cost in memory and CPU time.
	PowerCuts bool `json:"power_cuts,omitempty"`
}

// ReadConfig reads a Config.
func ReadConfig(path string) (Config, error) {
	var c Config
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("read the configuration of the medium: %w", err)
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("read the configuration of the medium in %s: %w", path, err)
	}
	return c, nil
}

// Write writes the Config to a file.
func (c Config) Write(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := safefile.Write(path, text, 0o600); err != nil {
		return fmt.Errorf("write the configuration of the medium: %w", err)
	}
	return nil
}
