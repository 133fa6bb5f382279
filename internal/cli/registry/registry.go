// Package registry is the one place where workloads, storage classes, engines and platforms are
// registered.
package registry

import (
	"maps"
	"slices"

	"plimsoll/internal/app"
	"plimsoll/internal/app/dovecot"
	"plimsoll/internal/app/duckdb"
	"plimsoll/internal/app/haproxy"
	"plimsoll/internal/app/imaged"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/netsink"
	"plimsoll/internal/app/nginx"
	"plimsoll/internal/app/phpfpm"
	"plimsoll/internal/app/postfix"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/app/sqlserver"
	"plimsoll/internal/app/trino"
	"plimsoll/internal/app/versitygw"
	"plimsoll/internal/campaign/facts"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/local"
	"plimsoll/internal/storage"
	"plimsoll/internal/storage/ceph"
	"plimsoll/internal/storage/claim"
	"plimsoll/internal/storage/device"
	"plimsoll/internal/storage/directory"
	"plimsoll/internal/storage/disk"
	"plimsoll/internal/storage/external"
	"plimsoll/internal/storage/gluster"
	"plimsoll/internal/storage/s3"
	"plimsoll/internal/workload"
	"plimsoll/internal/workload/blockio"
	"plimsoll/internal/workload/checkpoint"
	"plimsoll/internal/workload/desktops"
	"plimsoll/internal/workload/dvdstore"
	"plimsoll/internal/workload/files"
	"plimsoll/internal/workload/images"
	"plimsoll/internal/workload/kvcache"
	"plimsoll/internal/workload/mail"
	"plimsoll/internal/workload/network"
	"plimsoll/internal/workload/objects"
	"plimsoll/internal/workload/oltp"
	"plimsoll/internal/workload/smallfiles"
	"plimsoll/internal/workload/social"
	"plimsoll/internal/workload/tpcds"
	"plimsoll/internal/workload/training"
	"plimsoll/internal/workload/video"
	"plimsoll/internal/workload/weights"
	"plimsoll/reference"
)

// Workloads is the one place where workloads are registered.
func Workloads() workload.Registry {
	return workload.NewRegistry(blockio.Workload{}, checkpoint.Workload{}, desktops.Workload{}, dvdstore.Workload{}, files.Workload{}, images.Workload{}, kvcache.Workload{}, mail.Workload{}, network.Workload{}, objects.Workload{}, oltp.Workload{}, smallfiles.Workload{}, social.Workload{}, tpcds.Workload{}, training.Workload{}, video.Workload{}, weights.Workload{})
}

// Kinds is the one place where storage classes are registered.
func Kinds() storage.Registry {
	return storage.NewRegistry(ceph.Kind{}, claim.Kind{}, device.Kind{}, external.Kind{}, directory.Kind{}, disk.Kind{}, gluster.Kind{}, s3.Kind{})
}

// Engines is the one place where engines are registered.
func Engines() map[string]app.Engine {
	all := map[string]app.Engine{}
	for _, e := range []app.Engine{dovecot.Engine{}, duckdb.Engine{}, haproxy.Engine{}, imaged.Engine{}, postfix.Engine{}, postgres.Engine{}, mariadb.Engine{}, netsink.Engine{}, nginx.Engine{}, phpfpm.Engine{}, sqlserver.Engine{}, trino.Engine{}, versitygw.Engine{}} {
		all[e.Name()] = e
	}
	return all
}

// UntestedEngines returns the engines that --untested allows.
func UntestedEngines() (names []string) {
	all := Engines()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name].Capabilities().Untested != "" {
			names = append(names, name)
		}
	}
	return names
}

// Platforms is the one place where platforms are registered.
func Platforms() map[string]platform.Kind {
	all := map[string]platform.Kind{}
	for _, k := range []platform.Kind{kubernetes.Kind{}, local.Kind{}} {
		all[k.Name()] = k
	}
	return all
}

// Parts are all implementations that there are.
func Parts() facts.Parts {
	all := Platforms()
	return facts.Parts{
		Workloads: Workloads(), Kinds: Kinds(), Engines: Engines(),
		Platforms: all, Platform: all[facts.DefaultPlatform],
		References: reference.Names(),
	}
}
