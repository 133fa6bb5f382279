package cgroup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

// hierarchies are the kernel's hierarchies for this process.
type hierarchies struct {
	version string
	mounts  []mount
}

// mount is one mounted hierarchy.
type mount struct {
	controllers []string // version 1
	root        string   // its mount point
	own         string   // the directory of the group that this process is in
}

// wanted are the controllers of version 1 that limit or count. Version 2
// counts CPU time in cpu.
func wanted() []string { return []string{"cpu", "cpuacct", "memory"} }

// readHierarchies finds the version 1 hierarchies that have one of the controllers, and the
// version 2 hierarchy.
func readHierarchies(controllers ...string) (v1, v2 hierarchies) {
	v1, v2 = hierarchies{version: None}, hierarchies{version: None}
	mounts, err := procfs.GetMounts()
	if err != nil {
		return v1, v2
	}
	self, err := procfs.Self()
	if err != nil {
		return v1, v2
	}
	groups, err := self.Cgroups()
	if err != nil {
		return v1, v2
	}
	return arrange(mounts, groups, controllers)
}

// limiting prefers version 1 where its controllers are mounted: on a hybrid
// machine they are then missing from version 2.
func limiting(v1, v2 hierarchies) hierarchies {
	if len(v1.mounts) > 0 {
		return v1
	}
	return v2
}

func arrange(mounts []*procfs.MountInfo, groups []procfs.Cgroup, of []string) (v1, v2 hierarchies) {
	v1, v2 = hierarchies{version: None}, hierarchies{version: None}
	for _, m := range mounts {
		for _, g := range groups {
			switch {
			case m.FSType == "cgroup" && controls(g, of) && sameControllers(m, g):
				v1.version, v1.mounts = V1, append(v1.mounts, mount{controllers: g.Controllers, root: m.MountPoint, own: place(m, g)})
			case m.FSType == "cgroup2" && g.HierarchyID == 0:
				v2.version, v2.mounts = V2, append(v2.mounts, mount{root: m.MountPoint, own: place(m, g)})
			}
		}
	}
	return v1, v2
}

func controls(g procfs.Cgroup, of []string) bool {
	return slices.ContainsFunc(g.Controllers, func(c string) bool { return slices.Contains(of, c) })
}

func sameControllers(m *procfs.MountInfo, g procfs.Cgroup) bool {
	for _, c := range g.Controllers {
		if _, ok := m.SuperOptions[c]; !ok {
			return false
		}
	}
	return true
}

// place finds a group's directory. A container often sees only a part of the hierarchy; the
// mount's root then names the part.
func place(m *procfs.MountInfo, g procfs.Cgroup) string {
	below := g.Path
	if m.Root != "/" {
		below = strings.TrimPrefix(below, m.Root)
	}
	if strings.HasPrefix(below, "/..") { // outside what this process can see
		below = "/"
	}
	return filepath.Join(m.MountPoint, below)
}
