package study_test

import (
	"strings"
	"testing"

	"plimsoll/internal/study"
)

func TestDeploymentsAreLevels(t *testing.T) {
	s := parse(t, site+"matrix: {deployment: [bare, container, vm]}\n", "")
	variants, err := s.Expand()
	if err != nil || len(variants) != 3 {
		t.Fatalf("%d variants, %v", len(variants), err)
	}
	for i, want := range []study.Deployment{study.Bare, study.Container, study.VM} {
		v := variants[i]
		if v.Deployment != want || v.Factors["deployment"] != string(want) || v.Name != "d-"+string(want) {
			t.Errorf("variant %s is deployed as %s, %v", v.Name, v.Deployment, v.Factors)
		}
	}
	for text, want := range map[string]study.Deployment{"": study.Bare, "deployment: container\n": study.Container} {
		variants, err := parse(t, site+text, "").Expand()
		if err != nil || variants[0].Deployment.OrBare() != want || variants[0].Name != "d" {
			t.Errorf("%q gives %+v, %v", text, variants, err)
		}
	}
}

// onVolumes is a study without servers.
const onVolumes = `study: blocks
workload: {name: blocks}
storage: {d: {class: raw}}
ladder: [1]
`

func TestDeploymentsThatCannotBe(t *testing.T) {
	existing := strings.Replace(site, "postgres, cpu: 0.5, memory: 1GiB, settings: {fsync: on}", "postgres, existing: {servers: ['db1:5432/shop', 'db2:5432/shop'], user: me, password_env: SHOP}", 1)
	known := vocabulary()
	known.Classes["raw"] = study.VocabularyEntry{Defaults: func() any { return &struct{}{} }, Volumes: func(any) []string { return []string{"device"} }}
	known.Classes["theirs"] = study.VocabularyEntry{Defaults: func() any { return &struct{}{} }, Volumes: func(any) []string { return nil }}
	existing = strings.Replace(existing, "class: directory", "class: theirs", 1)
	for text, want := range map[string]string{
		site + "deployment: containers\n":                 `unknown deployment "containers"`,
		site + "matrix: {deployment: [bare, contaner]}\n": `unknown deployment "contaner"`,
		existing + "deployment: container\n":              "the server of role db is an existing one",
		existing + "matrix: {deployment: [bare, vm]}\n":   "the server of role db is an existing one",
		onVolumes + "deployment: container\n":             "has no servers to deploy",
		onVolumes + "matrix: {deployment: [container]}\n": "has no servers to deploy",
	} {
		_, err := study.Parse("site.yaml", []byte(text), "", known)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n%v, want %s", text, err, want)
		}
	}
}
