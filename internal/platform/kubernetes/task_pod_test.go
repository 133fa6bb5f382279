package kubernetes

import (
	"strings"
	"testing"

	"plimsoll/internal/host/task"
	"plimsoll/internal/platform"
	"plimsoll/internal/storage"
	"plimsoll/internal/workload/driver"
)

func planned(t *testing.T, about platform.Task, at spot) string {
	t.Helper()
	p := defaults()
	p.Placement.Driver = Place{NodeSelector: map[string]string{"pool": "drivers"}, AvoidInstances: true}
	p.Placement.Application = Place{NodeSelector: map[string]string{"pool": "applications"}}
	k := &Kubernetes{env: platform.Env{RunID: "run"}, parameters: p, namespace: "space", uid: usualUser}
	pod, err := k.taskPod(about, at, 1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") {
		t.Error("the pod holds the job")
	}
	return pod.String()
}

func TestThePodOfATask(t *testing.T) {
	driver := platform.Task{Name: "t1-driver-0", Job: task.Job{Kind: driver.TaskKind, Spec: []byte(`{"password": "secret"}`)}}
	files := driver
	files.Volumes = []storage.Volume{{Path: "/volumes/a", Claim: "a"}, {Path: "/volumes/b", Claim: "b"}, {Path: "/volumes/a", Claim: "a"}}
	for _, c := range []struct {
		about  platform.Task
		at     spot
		has    []string
		hasNot []string
	}{
		{driver, spot{}, []string{"pool: drivers", "PodAntiAffinity:&PodAntiAffinity", "plimsoll.io/role: server"}, []string{"PersistentVolumeClaim:&", "InitContainers:[]Container{Container"}},
		{files, spot{}, []string{"pool: applications", "/volumes/a", "/volumes/b"}, []string{"PodAntiAffinity:&"}},
		{driver, spot{image: "postgres:17"}, []string{"Image:postgres:17", "InitContainers:[]Container{Container", "/etc/passwd"}, nil},
		{driver, spot{node: "n7"}, []string{"metadata.name", "n7", "Operator:Exists"}, []string{"pool: drivers", "pool:drivers"}},
	} {
		text := planned(t, c.about, c.at)
		for _, want := range c.has {
			if !strings.Contains(text, want) && !strings.Contains(text, strings.ReplaceAll(want, ": ", ":")) {
				t.Errorf("%s lacks %q:\n%s", c.about.Name, want, text)
			}
		}
		for _, not := range c.hasNot {
			if strings.Contains(text, not) {
				t.Errorf("%s has %q", c.about.Name, not)
			}
		}
		if strings.Count(text, "MountPath:/volumes/a,") > 1 {
			t.Error("a volume is mounted twice")
		}
	}
}

func TestTheReferenceOfWhatRan(t *testing.T) {
	for reference, want := range map[string]string{
		"postgres:17": "postgres@sha256:1", "registry:5000/postgres": "registry:5000/postgres@sha256:1",
		"registry:5000/postgres:17": "registry:5000/postgres@sha256:1", "postgres:17@sha256:0": "postgres@sha256:1",
	} {
		if got := withDigest(reference, "sha256:1"); got != want {
			t.Errorf("%s became %s", reference, got)
		}
	}
}
