package dns

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestNamesOfTheCluster(t *testing.T) {
	service := func(name, address string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "run"}, Spec: corev1.ServiceSpec{ClusterIP: address}}
	}
	host, ready, not := "db-0", true, false
	endpoints := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "db-x", Namespace: "run", Labels: map[string]string{discoveryv1.LabelServiceName: "db"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{"10.0.0.1"}, Hostname: &host, Conditions: discoveryv1.EndpointConditions{Ready: &ready}},
			{Addresses: []string{"10.0.0.2"}},
			{Addresses: []string{"10.0.0.3"}, Conditions: discoveryv1.EndpointConditions{Ready: &not}},
		},
	}
	address := freeAddress(t)
	if err := Serve(t.Context(), address, fake.NewClientset(service("web", "10.1.0.1"), service("db", corev1.ClusterIPNone), service("empty", corev1.ClusterIPNone), endpoints)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		kind  uint16
		code  int
		found string
	}{
		{"web.run.svc.cluster.local.", dns.TypeA, dns.RcodeSuccess, "10.1.0.1"},
		{"WEB.run.svc.cluster.local.", dns.TypeA, dns.RcodeSuccess, "10.1.0.1"},
		{"web.run.svc.cluster.local.", dns.TypeAAAA, dns.RcodeSuccess, ""},
		{"db.run.svc.cluster.local.", dns.TypeA, dns.RcodeSuccess, "10.0.0.1 10.0.0.2"},
		{"db-0.db.run.svc.cluster.local.", dns.TypeA, dns.RcodeSuccess, "10.0.0.1"},
		{"empty.run.svc.cluster.local.", dns.TypeA, dns.RcodeSuccess, ""},
		{"db-1.db.run.svc.cluster.local.", dns.TypeA, dns.RcodeNameError, ""},
		{"db-0.web.run.svc.cluster.local.", dns.TypeA, dns.RcodeNameError, ""},
		{"db.other.svc.cluster.local.", dns.TypeA, dns.RcodeNameError, ""},
		{"run.svc.cluster.local.", dns.TypeA, dns.RcodeNameError, ""},
		{"web.run.svc.cluster.local.run.svc.cluster.local.", dns.TypeA, dns.RcodeNameError, ""},
		{"example.com.", dns.TypeA, dns.RcodeNameError, ""},
	} {
		for _, network := range []string{"udp", "tcp"} {
			client := dns.Client{Net: network}
			reply, _, err := client.ExchangeContext(t.Context(), new(dns.Msg).SetQuestion(c.name, c.kind), address)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, record := range reply.Answer {
				found = append(found, record.(*dns.A).A.String())
			}
			slices.Sort(found)
			if reply.Rcode != c.code || strings.Join(found, " ") != c.found {
				t.Errorf("%s %s: %s, %v", network, c.name, dns.RcodeToString[reply.Rcode], found)
			}
		}
	}
	if Ask(t.Context(), address, "web.run.svc.cluster.local.") != nil || Ask(t.Context(), address, "empty.run.svc.cluster.local.") == nil {
		t.Error("Ask does not tell a name that has an address from one that has none")
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
