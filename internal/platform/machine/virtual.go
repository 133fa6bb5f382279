package machine

import (
	"os"
	"strings"
)

// virtualisation says what the machine runs inside of: the hypervisor's
// product where it tells it, and whether this is a container. Empty is bare
// metal, as far as can be seen.
func virtualisation() string {
	var layers []string
	if h := hypervisor(); h != "" {
		layers = append(layers, h)
	}
	if inContainer() {
		layers = append(layers, "container")
	}
	return strings.Join(layers, ", ")
}

func hypervisor() string {
	if kind := textOf("/sys/hypervisor/type"); kind != "" {
		return kind
	}
	if !strings.Contains(textOf("/proc/cpuinfo"), "hypervisor") {
		return ""
	}
	vendor, product := textOf("/sys/class/dmi/id/sys_vendor"), textOf("/sys/class/dmi/id/product_name")
	if name := strings.TrimSpace(vendor + " " + product); name != "" {
		return name
	}
	return "virtual machine"
}

// inContainer looks for the marks that container engines leave.
func inContainer() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	return os.Getenv("KUBERNETES_SERVICE_HOST") != "" || os.Getenv("container") != ""
}
