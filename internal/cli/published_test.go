package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// published are the levels of the documents, read out of the plan: by study and profile, paths in the plan's
// JSON ("*" is each of a list or mapping) with all different values there.
var published = map[string]map[string]string{
	"cns-ds2 published": {
		"study.platform.name":                                 "kubernetes",
		"variants.*.factors.storage":                          "hdd ssd",
		"variants.*.storages.*.parameters.cpu":                "4 16",
		"variants.*.storages.*.parameters.memory":             "8GB 32GB",
		"variants.*.storages.*.parameters.drives":             "36 15",
		"variants.*.name":                                     "hdd-cpu4-memory8gb hdd-cpu16-memory32gb ssd-cpu4-memory8gb ssd-cpu16-memory32gb",
		"variants.*.members.*.workload.parameters.version":    "2",
		"variants.*.members.*.workload.parameters.size":       "20GB",
		"variants.*.members.*.engine.memory":                  "5GiB",
		"variants.*.members.*.engine.volume":                  "40GiB",
		"variants.*.members.*.load.users":                     "8",
		"variants.*.members.*.load.think_time":                "10ms",
		"variants.*.members.*.load.instances_per_driver":      "8",
		"variants.*.members.*.objectives.*.text":              "mean <= 1s|growth >= 0%",
		"study.ladder.rungs":                                  "1 2 8 32 96 128",
		"study.repetitions":                                   "3",
		"study.phases.warmup":                                 "2m",
		"study.phases.measure":                                "5m",
		"study.telemetry.interval":                            "10s",
		"study.platform.parameters.described.nodes.*.count":   "6",
		"study.platform.parameters.described.nodes.*.cpu":     "12",
		"study.platform.parameters.described.nodes.*.memory":  "96GB",
		"variants.*.storages.*.parameters.size":               "40GiB",
		"variants.*.members.*.workload.parameters.n_searches": "3",
		"variants.*.storages.*.parameters.storage_class":      "crs-hdd-{cpu} crs-ssd-{cpu}",
		"variants.*.storages.*.parameters.protection":         "replica 3 on RAID 5|replica 3",
	},
	"cns-ds2 summit": {"variants.*.members.*.objectives.*.text": "mean <= 700ms|growth >= 0%", "variants.*.storages.*.parameters.cpu": "4 16"},
	"cns-ds2 one-machine": {
		"variants.*.storages.*.class":                       "gluster",
		"variants.*.storages.*.parameters.peers":            "3",
		"variants.*.storages.*.parameters.cpu":              "4 16",
		"variants.*.storages.*.parameters.memory":           "8GB 32GB",
		"variants.*.storages.*.parameters.disk.raid.level":  "5",
		"variants.*.storages.*.parameters.disk.raid.drives": "12",
		"variants.*.storages.*.parameters.disk.raid.cache":  "2GiB",
		"variants.*.storages.ssd.parameters.bricks":         "5",
		"variants.*.storages.*.parameters.disk.size":        "110TB 1920GB",
		"variants.*.storages.*.parameters.disk.media":       "hdd-7200 ssd-sas",
		"variants.*.storages.*.parameters.link":             "20gbit",
	},
	"cns-ds2 coupled": {"variants.*.storages.*.parameters.deployment": "coupled decoupled"},
	"cns-ds2 cache":   {"variants.*.storages.*.parameters.disk.raid.cache": "2GiB", "variants.*.factors.storage.hdd.disk.raid.cache": "0 2GiB"},
	"cns-ds3 published": {
		"study.platform.name":                                                "kubernetes",
		"variants.*.members.*.workload.parameters.version":                   "3",
		"variants.*.members.*.workload.parameters.size":                      "5GB",
		"variants.*.members.*.workload.parameters.tier":                      "web",
		"variants.*.members.*.stack.db.memory":                               "5GiB",
		"variants.*.members.*.stack.db.volume":                               "15GiB",
		"variants.*.members.*.stack.php.memory":                              "448MiB", // with nginx 512 MiB
		"variants.*.members.*.stack.web.memory":                              "64MiB",
		"variants.*.members.*.stack.php.settings.opcache.memory_consumption": "128",
		"variants.*.members.*.load.users":                                    "6",
		"variants.*.members.*.load.think_time":                               "300ms",
		"variants.*.storages.*.parameters.cpu":                               "16",
		"variants.*.storages.*.parameters.memory":                            "32GB",
		"study.ladder.rungs":                                                 "1 2 8 32 96 128",
		"study.phases.warmup":                                                "5m",
		"study.phases.measure":                                               "10m",
		"study.repetitions":                                                  "3",
	},
	"cns-ds3 summit": {"variants.*.members.*.objectives.*.text": "mean <= 700ms|growth >= 0%", "variants.*.storages.*.parameters.cpu": "6 8 16"},
	"odf-postgres published": {
		"variants.*.storages.*.parameters.cpu":              "2 6 8",
		"variants.*.storages.*.parameters.memory":           "6GB 16GB 18GB",
		"study.platform.parameters.described.nodes.*.count": "4",
	},
	"odf-postgres one-machine": {
		"variants.*.storages.*.class":                                 "ceph",
		"variants.*.storages.*.parameters.osds":                       "8",
		"variants.*.storages.*.parameters.nodes":                      "3",
		"variants.*.storages.*.parameters.cpu":                        "2 6 8",
		"variants.*.storages.*.parameters.memory":                     "6GB 16GB 18GB",
		"variants.*.storages.external.parameters.metadata_disk.media": "nvme",
	},
	"odf-tpcds-trino published": {
		"variants.*.storages.external.class":                    "s3",
		"variants.*.factors.storage":                            "internal external external-12",
		"variants.*.members.*.workload.parameters.scale_factor": "1 10 100 1000 3000",
		"variants.*.members.*.stack.worker.count":               "8",
		"variants.*.members.*.stack.worker.cpu":                 "40",
		"variants.*.members.*.stack.worker.memory":              "120GB",
	},
	"odf-tpcds-trino published-four": {"variants.*.members.*.stack.worker.count": "4", "variants.*.members.*.stack.worker.cpu": "80", "variants.*.members.*.stack.worker.memory": "240GB"},
	"odf-tpcds-load published": {
		"variants.*.factors.storage":                            "internal external",
		"variants.*.members.*.workload.parameters.scale_factor": "1 10 100 1000 3000",
		"variants.*.members.*.workload.parameters.work":         "load",
	},
	"gluster-large published": {
		"variants.*.factors.storage":                         "replicated-raid6 dispersed-raid6 dispersed-jbod dense-replicated-raid6 dense-dispersed-raid6 dense-dispersed-jbod",
		"variants.*.members.*.workload.parameters.file_size": "128MB 4GB 128GB",
		"variants.*.members.*.workload.parameters.operation": "write read",
		"study.ladder.rungs":                                 "1 6 12 24 48 96",
	},
	"gluster-small published": {
		"variants.*.members.*.workload.parameters.file_size": "32KiB 4MiB",
		"variants.*.members.*.workload.parameters.operation": "create read",
		"variants.*.storages.*.parameters.drives":            "72 144",
	},
	"gluster-nfs published": {"variants.*.members.*.workload.parameters.file_size": "128MB 4GB 128GB"},
	"gluster-nfs small":     {"variants.*.members.*.workload.parameters.file_size": "32KiB 4MiB", "variants.*.members.*.workload.name": "smallfiles"},
	"gluster-nfs":           {"variants.*.factors.storage": "replicated-native replicated-nfs dispersed-native dispersed-nfs"},
	"gluster-video":         {"variants.*.storages.*.parameters.geometry": "6x2 24x(4+2)", "variants.*.storages.*.parameters.peers": "6", "variants.*.members.*.workload.parameters.rate": "4430kB"},
	"gluster-tier":          {"variants.*.storages.tiered.parameters.disk.tier.size": "800GB"},
	"containers-social": {
		"variants.*.members.*.stack.db.name":                         "mariadb",
		"variants.*.members.*.stack.php.settings.pm.max_children":    "16",
		"variants.*.members.*.stack.web.settings.worker_processes":   "4",
		"variants.*.members.*.stack.web.settings.worker_connections": "4096",
		"variants.*.members.*.load.users":                            "1500",
		"variants.*.members.*.workload.parameters.mix":               "home:26.14, login:10.22, tag-search:33.37, event:24.71, person:2.65, add-person:0.86, add-event:2.04",
		"study.phases.warmup":                                        "5m",
		"study.phases.measure":                                       "30m",
		"study.ladder.rungs":                                         "1 2 4 8",
	},
	"containers-ds2": {"variants.*.members.*.load.users": "4", "variants.*.factors.deployment": "bare container", "study.ladder.rungs": "1 4 16", "variants.*.members.*.stack.db.name": "postgres"},
	"raid-or-pool": {
		"variants.*.members.*.workload.parameters.outstanding": "64",
		"variants.*.members.*.workload.parameters.occupied":    "50 100",
		"variants.*.members.*.workload.parameters.size":        "100GB",
		"variants.*.members.*.workload.parameters.read":        "70",
		"study.ladder.rungs":                                   "1",
		"study.phases.warmup":                                  "1h",
		"study.phases.measure":                                 "1h",
	},
	"raid-or-pool-tiles groups": {"variants.*.storages.*.parameters.drives": "15", "study.repetitions": "2", "study.ladder.rungs": "1 7 13"},
	"raid-or-pool-tiles pool":   {"variants.*.storages.*.parameters.width": "60", "variants.*.storages.*.parameters.drives": "15"},
	"vsan-tiles":                {"study.ladder.rungs": "1 2 4 8 12 16 20 24 27 30 32 34 36 38 40"},
	"library-transfer":          {"variants.*.members.*.workload.parameters.way": "direct streamed"},
	"receive-offload":           {"variants.*.members.*.workload.parameters.message": "256B 16KiB 64KiB"},
	"desktops":                  {},
	"image-import":              {},
	"gluster-saturation":        {"variants.*.storages.*.parameters.drives": "144"},
}

// TestPublishedLevelsAreInThePlan: plan --offline prints each published experiment without its machines, and with
// its levels.
func TestPublishedLevelsAreInThePlan(t *testing.T) {
	s := newSite(t)
	for _, name := range slices.Sorted(maps.Keys(published)) {
		t.Run(name, func(t *testing.T) {
			args := []string{"plan", "--offline", "--json"}
			of, profile, chosen := strings.Cut(name, " ")
			if chosen {
				args = append(args, "--profile", profile)
			}
			code, out, errs := s.plimsoll(append(args, of)...)
			if code != 0 {
				t.Fatalf("exit code %d: %s%s", code, out, errs)
			}
			var plan any
			if err := json.Unmarshal([]byte(out), &plan); err != nil {
				t.Fatal(err)
			}
			for path, want := range published[name] {
				got := valuesAt(plan, strings.Split(path, "."))
				if wanted := splitLevels(want); !slices.Equal(sortedLevels(got), sortedLevels(wanted)) {
					t.Errorf("%s: %q, and %q was published", path, got, wanted)
				}
			}
		})
	}
}

func splitLevels(text string) []string {
	if strings.ContainsAny(text, "|:=") {
		return strings.Split(text, "|")
	}
	return strings.Fields(text)
}

func sortedLevels(all []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// valuesAt gives the values at a path, as far as there are any. A key may contain dots.
func valuesAt(of any, path []string) (all []string) {
	if len(path) == 0 {
		if list, ok := of.([]any); ok {
			for _, one := range list {
				all = append(all, fmt.Sprint(one))
			}
			return all
		}
		return []string{fmt.Sprint(of)}
	}
	switch of := of.(type) {
	case []any:
		for _, one := range of {
			all = append(all, valuesAt(one, path[1:])...)
		}
	case map[string]any:
		for key, one := range of {
			if path[0] == "*" {
				all = append(all, valuesAt(one, path[1:])...)
				continue
			}
			if parts := strings.Split(key, "."); len(parts) <= len(path) && slices.Equal(parts, path[:len(parts)]) {
				all = append(all, valuesAt(one, path[len(parts):])...)
			}
		}
	}
	return all
}
