package s3

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"sync"

	"github.com/minio/minio-go/v7"
	"golang.org/x/net/http/httpproxy"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
)

// gateways are a store's, with their clients. One that sends its clients to another name of the
// same server is asked by that name from then on, by users, too: a request that is made twice
// would be measured as one.
type gateways struct {
	mu      sync.Mutex
	at      endpoint.Endpoint
	clients map[int]*minio.Client
	moved   map[string]string // other names by URLs of the study
}

func newGateways(at endpoint.Endpoint) *gateways {
	return &gateways{at: at, clients: map[int]*minio.Client{}, moved: map[string]string{}}
}

// mostMoves is how often one may send its clients to another name.
const mostMoves = 2

// through does something by a client of the gateway of a number, and again at its other name.
func (g *gateways) through(ctx context.Context, n int, do func(*minio.Client) error) error {
	return g.follow(ctx, n, func() error {
		c, err := g.client(n)
		if err != nil {
			return err
		}
		return do(c)
	})
}

// ask has a gateway answer, at its other name where it sends there.
func (g *gateways) ask(ctx context.Context, n int) error {
	return g.follow(ctx, n, func() error { return bucket.Ask(ctx, g.endpoint(), n) })
}

func (g *gateways) follow(ctx context.Context, n int, do func() error) (err error) {
	for range 1 + mostMoves {
		err = do()
		r, moved := errors.AsType[*bucket.Redirect](err)
		if !moved || !r.SameServer(ctx) || !g.move(n, r.Elsewhere()) {
			break
		}
	}
	return err
}

func (g *gateways) client(n int) (c *minio.Client, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clients[n] == nil {
		c, err = bucket.Patient(g.at, n)
		g.clients[n] = c
	}
	return g.clients[n], err
}

// move switches a gateway to another URL. It reports whether that is possible: in a request
// with the bucket's name in its host, nobody knows the gateway's own name.
func (g *gateways) move(n int, url string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := endpoint.StoreOf(g.at)
	if s.VirtualHost {
		return false
	}
	if s.URLs[n] == url { // others have found it meanwhile
		return true
	}
	was := s.URLs[n]
	for of, is := range g.moved {
		if is == was {
			was = of
		}
	}
	s.URLs = slices.Clone(s.URLs)
	s.URLs[n], g.moved[was] = url, url
	g.at.Payload = endpoint.With(s)
	delete(g.clients, n)
	return true
}

// endpoint is how users reach the store.
func (g *gateways) endpoint() endpoint.Endpoint {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.at
}

// notes describe the route of requests where the study leaves it open.
func (g *gateways) notes() (all []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, from := range slices.Sorted(maps.Keys(g.moved)) {
		all = append(all, "the gateway "+from+" sends its clients to "+g.moved[from]+", another name of the same server: all requests went there")
	}
	return all
}

// proxied are the URLs that clients would reach by a proxy of the environment.
func (p *Parameters) proxied() (urls []string) {
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	for _, text := range p.URLs {
		at, err := url.Parse(text)
		if err != nil {
			continue
		}
		if by, err := proxy(at); err == nil && by != nil {
			urls = append(urls, text)
		}
	}
	return urls
}
