package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"plimsoll/internal/result"
	"plimsoll/test/nightly"
)

// Short-lived tokens and certificates expire while a run goes on, and something else renews them
// on disk: in kubeconfig or in the files that it names. All streams break after that, and have to
// be opened with the new credentials. No record and no order is lost.
func TestKubernetesCredentialsAreRenewed(t *testing.T) {
	nightly.Only(t, "TestCredentialsAreReadAgainWhenTheyHaveExpired of the client")
	if os.Getenv(developing) != "" {
		t.Skip("it restarts the API server of a cluster of its own")
	}
	s := newClusterSite(t)
	account := s.renewedAccount()
	ways := map[string]*credentials{
		"token-file": s.credentials("token-file"), "token": s.credentials("token"), "certificate": s.credentials("certificate"),
	}
	first := s.secret("first")
	ways["token-file"].tokenFile(s.token(account, first))
	ways["token"].token(s.token(account, first))
	ways["certificate"].certificate(20 * time.Second)
	expire := time.Now().Add(20 * time.Second)

	runs := map[string]*background{}
	for name, way := range ways {
		runs[name] = s.start("run", s.study("measure: 5s", "measure: 60s"), "--name", name, "--min-grade", "F", "--json", "--kubeconfig", way.kubeconfig)
		if name == "certificate" {
			stop := way.renewCertificate()
			defer stop()
		}
	}
	for name, b := range runs {
		b.until(name+" is measured", b.measures("fast/1/1"))
	}
	time.Sleep(time.Until(expire))
	if err := s.client.CoreV1().Secrets(first.Namespace).Delete(t.Context(), first.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(12 * time.Second) // the API server caches answers for 10 s, and renewal may be late
	second := s.token(account, s.secret("second"))
	ways["token-file"].tokenFile(second)
	ways["token"].token(second)
	s.restart("kube-apiserver")
	for name, b := range runs {
		if code := b.wait(); code != 0 {
			t.Errorf("%s: exit code %d\n%s", name, code, &b.out)
			continue
		}
		trial := s.trial(name, "fast/1/1")
		if trial.Status != result.Passed || !trial.Audit.Passed || trial.Audit.Acknowledged == 0 {
			t.Errorf("%s: %s %+v %+v", name, trial.Status, trial.Failure, trial.Audit)
		}
	}
}

// renewedAccount is a service account that may do everything.
func (s *clusterSite) renewedAccount() *corev1.ServiceAccount {
	s.t.Helper()
	s.make(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "renewed"}})
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "renewed", Name: "renewed"}}
	s.make(account)
	s.make(&rbacv1.ClusterRoleBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"}, ObjectMeta: metav1.ObjectMeta{Name: "renewed"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}},
	})
	return account
}

func (s *clusterSite) secret(name string) *corev1.Secret {
	s.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "renewed", Name: name}}
	s.make(secret)
	return secret
}

// token is one of an account that is good until a Secret is deleted.
func (s *clusterSite) token(of *corev1.ServiceAccount, until *corev1.Secret) string {
	s.t.Helper()
	token, err := s.ShortToken(s.t.Context(), of.Namespace, of.Name, until)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// credentials are a kubeconfig and the files that it names.
type credentials struct {
	s               *clusterSite
	name            string
	kubeconfig, dir string
}

func (s *clusterSite) credentials(name string) *credentials {
	dir := s.t.TempDir()
	return &credentials{s: s, name: name, dir: dir, kubeconfig: filepath.Join(dir, "config")}
}

// put replaces a file at once, as those do who renew credentials.
func (c *credentials) put(name string, text []byte) string {
	c.s.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		c.s.t.Error(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		c.s.t.Error(err)
	}
	return path
}

// use makes the kubeconfig one of a user.
func (c *credentials) use(user *clientcmdapi.AuthInfo) {
	c.s.t.Helper()
	config, err := clientcmd.LoadFromFile(c.s.Kubeconfig)
	if err != nil {
		c.s.t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = user
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		c.s.t.Fatal(err)
	}
	c.put("config", text)
}

func (c *credentials) token(token string) { c.use(&clientcmdapi.AuthInfo{Token: token}) }

func (c *credentials) tokenFile(token string) {
	c.use(&clientcmdapi.AuthInfo{TokenFile: c.put("token", []byte(token))})
}

func (c *credentials) certificate(lifetime time.Duration) {
	certificate, key, err := c.s.ShortCertificate(c.name, lifetime)
	if err != nil {
		c.s.t.Error(err)
		return
	}
	c.use(&clientcmdapi.AuthInfo{ClientKey: c.put("key", key), ClientCertificate: c.put("certificate", certificate)})
}

// renewCertificate renews it soon before it expires, until it is stopped.
func (c *credentials) renewCertificate() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-time.After(18 * time.Second):
				c.certificate(20 * time.Second)
			}
		}
	}()
	return func() { close(quit); <-done }
}
