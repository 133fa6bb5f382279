// Package dns is the name server of the test cluster. It knows the addresses of
// services, of the pods behind headless services, and of each of those by its host
// name; all other names it denies.
package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

const (
	zone = ".svc.cluster.local."
	ttl  = 1 // in seconds: tests change names all the time
)

// server answers from what informers keep.
type server struct {
	services corelisters.ServiceLister
	slices   discoverylisters.EndpointSliceLister
}

// Serve answers at an address until the context ends. It returns when it does.
func Serve(ctx context.Context, address string, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	s := &server{factory.Core().V1().Services().Lister(), factory.Discovery().V1().EndpointSlices().Lister()}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("read the cluster's names: %v: %w", kind, ctx.Err())
		}
	}
	packets, err := new(net.ListenConfig).ListenPacket(ctx, "udp", address)
	if err != nil {
		return fmt.Errorf("serve the cluster's names: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return errors.Join(fmt.Errorf("serve the cluster's names: %w", err), packets.Close())
	}
	for _, server := range []*dns.Server{{PacketConn: packets, Handler: s}, {Listener: listener, Handler: s}} {
		go func() { _ = server.ActivateAndServe() }() // until the context ends
		context.AfterFunc(ctx, func() { _ = server.Shutdown() })
	}
	return nil
}

// ServeDNS implements dns.Handler.
func (s *server) ServeDNS(w dns.ResponseWriter, request *dns.Msg) {
	answer := new(dns.Msg).SetReply(request)
	answer.Authoritative = true
	if len(request.Question) == 1 {
		s.answer(answer, request.Question[0])
	}
	if udp, ok := w.RemoteAddr().(*net.UDPAddr); ok && udp != nil {
		answer.Truncate(size(request))
	}
	_ = w.WriteMsg(answer) // who has gone asks no more
}

// size is how long an answer by UDP may be.
func size(request *dns.Msg) int {
	if extended := request.IsEdns0(); extended != nil {
		return max(dns.MinMsgSize, int(extended.UDPSize()))
	}
	return dns.MinMsgSize
}

func (s *server) answer(m *dns.Msg, q dns.Question) {
	addresses, exists := s.lookUp(strings.ToLower(q.Name))
	if !exists {
		m.Rcode = dns.RcodeNameError
		return
	}
	if q.Qtype != dns.TypeA {
		return // the name is there, without such a record
	}
	for _, address := range addresses {
		header := dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: ttl}
		m.Answer = append(m.Answer, &dns.A{Hdr: header, A: net.ParseIP(address)})
	}
}

// lookUp finds service.namespace and host.service.namespace.
func (s *server) lookUp(name string) (addresses []string, exists bool) {
	name, ok := strings.CutSuffix(name, zone)
	parts := strings.Split(name, ".")
	if !ok || len(parts) < 2 || len(parts) > 3 {
		return nil, false
	}
	at := len(parts) - 2
	service, err := s.services.Services(parts[at+1]).Get(parts[at])
	switch {
	case err != nil:
		return nil, false
	case service.Spec.ClusterIP != corev1.ClusterIPNone:
		return []string{service.Spec.ClusterIP}, at == 0
	case at == 0:
		return s.endpoints(service, ""), true
	}
	addresses = s.endpoints(service, parts[0])
	return addresses, len(addresses) > 0
}

// endpoints are the addresses of the pods behind a service that are ready, or of
// the one with a host name. The service says whether those that are not count as ready.
func (s *server) endpoints(service *corev1.Service, host string) (addresses []string) {
	slices, err := s.slices.EndpointSlices(service.Namespace).List(labels.Set{discoveryv1.LabelServiceName: service.Name}.AsSelector())
	if err != nil {
		return nil
	}
	for _, slice := range slices {
		for _, e := range slice.Endpoints {
			ready := e.Conditions.Ready == nil || *e.Conditions.Ready
			if ready && slice.AddressType == discoveryv1.AddressTypeIPv4 && (host == "" || e.Hostname != nil && *e.Hostname == host) {
				addresses = append(addresses, e.Addresses...)
			}
		}
	}
	return addresses
}

// Ask asks a server for a name, as a check of whether it serves.
func Ask(ctx context.Context, address, name string) error {
	client := dns.Client{Timeout: time.Second}
	reply, _, err := client.ExchangeContext(ctx, new(dns.Msg).SetQuestion(name, dns.TypeA), address)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", name, err)
	}
	if len(reply.Answer) == 0 {
		return fmt.Errorf("ask for %s: %s", name, dns.RcodeToString[reply.Rcode])
	}
	return nil
}
