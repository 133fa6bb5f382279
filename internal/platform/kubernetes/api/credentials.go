package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// credentials are the credentials of a client. Tokens and certificates expire during a run,
// and somebody renews them on disk: in kubeconfig or in the files that it names. When the
// API server refuses the current ones, the client reads them again and retries the refused
// request for a minute (patience), since the renewal may be late.
//
// client-go reads files again by itself, but tokens only once a minute, certificates every
// five minutes and kubeconfig never.
type credentials struct {
	read         func() (*rest.Config, error)
	pace         *pacer
	limit, pause time.Duration

	mu  sync.Mutex
	use *inUse
}

// inUse is a configuration and how requests are sent with it.
type inUse struct {
	config *rest.Config
	next   http.RoundTripper
}

func newCredentials(config *rest.Config, pace *pacer, read func() (*rest.Config, error)) (*credentials, error) {
	use, err := prepared(config, pace)
	return &credentials{read: read, pace: pace, limit: patience, pause: retryPause, use: use}, err
}

// prepared is a configuration with the pace of this client, whose requests wait for
// the API server.
func prepared(config *rest.Config, pace *pacer) (*inUse, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = "plimsoll"
	config.RateLimiter = pace
	config.Wrap(pace.seeing)
	config.Wrap(patient)
	// The transport caches connections by the contents of the configuration: a renewed
	// certificate must not be sent over a connection made with the expired one.
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, err
	}
	next, err := rest.TransportFor(config)
	return &inUse{config, next}, err
}

func (c *credentials) current() *inUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.use
}

// renew reads the credentials again, unless others have done so since some were used.
// What cannot be read may be in the middle of being written: the next try reads it.
func (c *credentials) renew(refused *inUse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.use != refused {
		return
	}
	config, err := c.read()
	if err != nil {
		return
	}
	if use, err := prepared(config, c.pace); err == nil {
		c.use = use
		utilnet.CloseIdleConnectionsFor(refused.next)
	}
}

// try does something until the credentials are accepted, or the time is up.
func (c *credentials) try(ctx context.Context, do func(*inUse) (refused bool)) {
	for deadline := time.Now().Add(c.limit); ; {
		use := c.current()
		if !do(use) || time.Now().After(deadline) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.pause):
		}
		c.renew(use)
	}
}

// stream does what opens a stream, which needs a configuration.
func (c *credentials) stream(ctx context.Context, open func(*rest.Config) error) (err error) {
	c.try(ctx, func(use *inUse) bool {
		err = open(use.config)
		return apierrors.IsUnauthorized(err) || isAlert(err)
	})
	return err
}

// RoundTrip sends a request, which was not carried out if it was refused.
func (c *credentials) RoundTrip(request *http.Request) (answer *http.Response, err error) {
	tried := false
	c.try(request.Context(), func(use *inUse) bool {
		if answer != nil {
			_ = answer.Body.Close()
		}
		if tried {
			if request, err = fresh(request); err != nil {
				answer = nil
				return false
			}
		}
		tried = true
		answer, err = use.next.RoundTrip(request)
		return refuses(answer, err) && repeatable(request)
	})
	return answer, err
}

// refuses reports whether the API server, or what stands before it, does not accept the
// credentials.
func refuses(answer *http.Response, err error) bool {
	return isAlert(err) || err == nil && answer.StatusCode == http.StatusUnauthorized
}

// isAlert reports whether a server ended a connection by an alert of TLS, as one does that
// looks at certificates when it is connected to: it carried nothing out.
func isAlert(err error) bool {
	var at *net.OpError
	return errors.As(err, &at) && at.Op == "remote error"
}
