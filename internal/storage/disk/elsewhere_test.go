package disk_test

import (
	"strings"
	"testing"

	"plimsoll/internal/storage/disk"
)

// Root mounts a disk with the study's options, which could name any device.
func TestMountOptionsNameNoDevice(t *testing.T) {
	for options, wrong := range map[string]bool{"noatime": false, "noatime,data=journal": false, "logdev=/dev/sda": true, "noatime,journal_path=../x": true} {
		found := (disk.Kind{}).Validate(&disk.Parameters{Media: "ssd-sas", MountOptions: options})
		if wrong != (len(found) == 1 && found[0].Path == "mount_options" && strings.Contains(found[0].Text, "devices of the machine")) {
			t.Errorf("%s: %+v", options, found)
		}
	}
}
