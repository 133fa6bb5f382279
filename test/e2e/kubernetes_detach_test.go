package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll/internal/result"
)

// kubectl runs the cluster's.
func (s *clusterSite) kubectl(ctx context.Context, args ...string) {
	s.t.Helper()
	cmd := exec.CommandContext(ctx, "env", append([]string{"kubectl"}, args...)...) // which looks in the cluster's PATH
	cmd.Env = append(append(os.Environ(), s.Environment()...), "KUBECONFIG="+s.Kubeconfig)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Errorf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// install applies a kustomization of deploy/ in a namespace, with a class for the claim.
func (s *clusterSite) install(kustomization, namespace string) {
	s.t.Helper()
	s.make(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}})
	deploy, err := filepath.Abs(filepath.Join("..", "..", "deploy", "kustomize", kustomization))
	if err != nil {
		s.t.Fatal(err)
	}
	relative, err := filepath.Rel(s.dir, deploy)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("kustomization.yaml", "namespace: "+namespace+"\nresources: ["+relative+`]
patches:
- target: {kind: PersistentVolumeClaim}
  patch: '[{"op": "add", "path": "/spec/storageClassName", "value": "fast"}]'
`)
	s.kubectl(s.t.Context(), "apply", "-k", s.dir)
	s.t.Cleanup(func() { s.kubectl(context.Background(), "delete", "-k", s.dir) })
}

// A detached run goes on under the account of deploy/, also when its process is killed
// with -9, and comes home as any other run. Nothing of it stays.
func detachedRuns(t *testing.T) {
	for kustomization, platform := range map[string]string{"cluster": "name: kubernetes", "namespaced": "name: kubernetes, namespace: away"} {
		t.Run(kustomization, func(t *testing.T) {
			s := clusterSiteOfMany(t)
			s.install(kustomization, "away")
			study := s.study("ladder: [1]", "ladder: [1, 2]", "name: kubernetes", platform)
			s.plimsoll(0, away("run", study, "--detach", "--name", "far", "--min-grade", "F")...)
			b := s.start(away("attach", "far")...)
			b.until("the second trial begins", func() bool { return strings.Contains(b.out.String(), "[2/2]") })
			s.killCampaign("away")
			if code := b.wait(); code != 0 {
				t.Fatalf("exit code %d\n%s", code, &b.out)
			}
			contains(t, b.out.String(), "[1/2] fast/1/1 is already measured")
			s.plimsoll(0, away("fetch", "far")...)
			for _, id := range []string{"fast/1/1", "fast/2/1"} {
				if trial := s.trial("far", id); trial.Status != result.Passed || !trial.Audit.Passed {
					t.Errorf("%s: %+v %+v", id, trial.Failure, trial.Audit)
				}
			}
			s.plimsoll(0, "report", s.run("far"))
			out, _ := s.plimsoll(0, away("clean", "--platform", "kubernetes")...)
			contains(t, out, "detached far: removed its job")
			out, _ = s.plimsoll(0, away("attach")...)
			contains(t, out, "There are no detached runs")
		})
	}
}

// away adds the namespace of detached runs.
func away(args ...string) []string { return append(args, "--job-namespace", "away") }

// killCampaign kills the process of the campaign in a namespace.
func (s *clusterSite) killCampaign(namespace string) {
	s.t.Helper()
	pods, err := s.client.CoreV1().Pods(namespace).List(s.t.Context(), metav1.ListOptions{LabelSelector: "plimsoll.io/role=campaign", FieldSelector: "status.phase=Running"})
	if err != nil || len(pods.Items) != 1 {
		s.t.Fatalf("%d pods of the campaign: %v", len(pods.Items), err)
	}
	if err := s.KillProcess(s.t.Context(), namespace, pods.Items[0].Name, "plimsoll", ""); err != nil {
		s.t.Fatal(err)
	}
}
