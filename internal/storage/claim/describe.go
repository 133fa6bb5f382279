package claim

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"plimsoll/internal/describe"
	"plimsoll/internal/text/words"
)

// Describe returns the cluster's description of its class, completed by the
// study's.
func (c *class) Describe() describe.Storage {
	is := c.is
	d := describe.Storage{
		Class: Name, Media: cmp.Or(c.p.Media, is.Media, is.Parameters["type"]),
		Protection: cmp.Or(c.p.Protection, "not known"), FileSystem: cmp.Or(is.Parameters[fileSystemKey], is.Parameters["fsType"], "not known"),
		Simulated: c.p.Simulated || is.Simulated, Durable: true, Drives: c.p.Drives,
		Text: c.text(), Options: c.options(), Notes: c.notes(),
	}
	if is.Capacity != nil {
		d.Capacity, d.Free = *is.Capacity, *is.Capacity
	}
	d.MediaKind = describe.MediaKindIn(d.Media)
	return d
}

// driverKeys are parameters that are for the driver of the storage. The kind of
// file system is the one that matters to results.
const (
	driverKeys    = "csi.storage.k8s.io/"
	fileSystemKey = driverKeys + "fstype"
)

func (c *class) text() string {
	bound := "bound at once"
	if c.is.Waits {
		bound = "bound when their first pod is placed"
	}
	return "Claims of the cluster's StorageClass " + c.is.Name + " (" + c.is.Provisioner + "), " + words.Binary(c.bytes(0)) + " each, " + bound + "." + c.servers()
}

// servers says what the study says of the storage servers behind the claims.
func (c *class) servers() string {
	var has []string
	if c.p.CPU > 0 {
		has = append(has, fmt.Sprintf("%g CPU", c.p.CPU))
	}
	if c.p.Memory > 0 {
		has = append(has, c.p.Memory.String())
	}
	if len(has) == 0 {
		return ""
	}
	return " Each storage server (or OSD) behind it has " + strings.Join(has, " and ") + ", as the study says."
}

func (c *class) options() map[string]string {
	all := map[string]string{
		"storage class": c.is.Name, "provisioner": c.is.Provisioner, "access mode": c.p.AccessMode, "size": strconv.FormatInt(c.bytes(0), 10),
	}
	for key, value := range c.is.Parameters {
		if key == fileSystemKey || !strings.HasPrefix(key, driverKeys) {
			all["parameter "+key] = value
		}
	}
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.clones != nil && c.clones.clones {
		all["clones by"] = c.clones.String()
	}
	return all
}

func (c *class) notes() (all []string) {
	if c.is.Retains {
		all = append(all, "Its reclaim policy is Retain: the volumes behind deleted claims stay until they are removed by hand (kubectl get persistentvolumes).")
	}
	return all
}
