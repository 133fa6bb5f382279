package ceph

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/vishvananda/netns"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/peer"
	"plimsoll/internal/host/relay"
	"plimsoll/internal/storage/peers"
)

// Names of the pools of RGW, which looks for them by these.
const storeData = "default.rgw.buckets.data"

func storeTables() []string {
	return []string{".rgw.root", "default.rgw.control", "default.rgw.log", "default.rgw.meta", "default.rgw.buckets.index", "default.rgw.buckets.non-ec"}
}

// firstPort is the port of the first gateway; the others follow.
const firstPort = 7480

// region is what requests are signed for.
const region = "us-east-1"

// gateway names a gateway, counted from 1, as Ceph names clients.
func gateway(n int) string { return fmt.Sprintf("client.rgw.%d", n) }

// gatewayNames returns the names of all gateways.
func (p *Parameters) gatewayNames() (all []string) {
	if p.Access != accessRGW {
		return nil
	}
	for n := 1; n <= max(1, p.Gateways); n++ {
		all = append(all, gateway(n))
	}
	return all
}

// makeStore makes the pools of RGW and its user, and serves it.
func (p *Pool) makeStore(ctx context.Context) error {
	for _, name := range storeTables() {
		if err := p.makePool(ctx, name, tableGroups); err != nil {
			return err
		}
	}
	if err := p.makeDataPool(ctx, storeData); err != nil {
		return err
	}
	for _, name := range append(storeTables(), storeData) {
		if err := p.ceph(ctx, nil, "osd", "pool", "application", "enable", name, "rgw"); err != nil {
			return err
		}
	}
	if err := p.makeUser(ctx); err != nil {
		return err
	}
	return errors.Join(p.openRelays(), p.serveStore(ctx))
}

// makeUser makes the user whose buckets volumes are.
func (p *Pool) makeUser(ctx context.Context) error {
	made, err := p.makeStoreUser(ctx, "plimsoll", "plimsoll")
	if err != nil {
		return err
	}
	p.user = endpoint.Endpoint{Kind: endpoint.Bucket}
	p.user.User, p.user.Password, err = made.keys()
	return err
}

// openRelays makes the ways to the gateways: users are on no network of the cluster.
func (p *Pool) openRelays() error {
	s := endpoint.Store{Region: region}
	for n := range p.p.gatewayNames() {
		host := p.machines.Client()
		address := fmt.Sprintf("%s:%d", host.Address, firstPort+n)
		r, err := relay.Open("tcp", "127.0.0.1:0", p.mayUse, func() (net.Conn, error) {
			network, err := netns.GetFromName(host.Netns)
			if err != nil {
				return nil, err
			}
			defer network.Close()
			return relay.DialIn(network, address)
		})
		if err != nil {
			return fmt.Errorf("make a way to gateway %d: %w", n+1, err)
		}
		p.relays = append(p.relays, r)
		s.URLs = append(s.URLs, "http://"+r.Address())
	}
	p.user.Payload = endpoint.With(s)
	return nil
}

// mayUse reports whether a connection to a gateway is of this run: of this process's user, who
// is its drivers', or of one of its servers.
func (p *Pool) mayUse(conn net.Conn) bool {
	uid, err := peer.User(conn)
	return err == nil && (uid == os.Geteuid() || uid == 0 || p.env.HasUser != nil && p.env.HasUser(uid))
}

func (p *Pool) closeRelays() error {
	var errs []error
	for _, r := range p.relays {
		errs = append(errs, r.Close())
	}
	p.relays = nil
	return errors.Join(errs...)
}

// serveStore starts the gateways and waits until each answers.
func (p *Pool) serveStore(ctx context.Context) error {
	for _, name := range p.p.gatewayNames() {
		if err := p.startControl(name, "radosgw", "-f", "-n", name); err != nil {
			return err
		}
	}
	for n, name := range p.p.gatewayNames() {
		c, err := bucket.Client(p.user, n)
		if err != nil {
			return err
		}
		err = peers.Poll(ctx, startLimit, name+" to answer", func() (bool, error) {
			if err := p.dead(p.daemon(name)); err != nil {
				return false, err
			}
			_, err := c.ListBuckets(ctx)
			return err == nil, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// restartStore ends the gateways, with their caches, and starts them again.
func (p *Pool) restartStore(ctx context.Context) error {
	for _, name := range p.p.gatewayNames() {
		p.daemon(name).stop(gatewayPatience)
		if err := p.env.Journal.Removed(journal.Object{Kind: journal.Process, Name: p.name + "-" + name}); err != nil {
			return err
		}
	}
	return p.serveStore(ctx)
}

// gatewayPatience is how long a gateway may take to end the requests that are under way.
const gatewayPatience = 30 * time.Second

// bucket is the name of the bucket that a volume is.
func (v *volume) bucket() string { return strings.ReplaceAll(strings.ToLower(v.name), "_", "-") }

// makeBucket makes the bucket of a volume, marked as this run's.
func (v *volume) makeBucket(ctx context.Context) error {
	c, err := bucket.Patient(v.pool.user, 0)
	if err != nil {
		return err
	}
	return bucket.Make(ctx, c, v.bucket(), region, v.pool.env.RunID)
}

// reached is how users reach the bucket.
func (v *volume) reached() endpoint.Endpoint {
	e := v.pool.user
	s := endpoint.StoreOf(e)
	s.Name = v.bucket()
	e.Payload = endpoint.With(s)
	return e
}

// removeBucket removes the bucket with all its objects, checks that it is gone, and has
// their space reclaimed, which the gateways do hours later by themselves.
func (v *volume) removeBucket(ctx context.Context) error {
	c, err := bucket.Patient(v.pool.user, 0)
	if err != nil {
		return err
	}
	if err := bucket.Remove(ctx, c, v.bucket(), v.pool.env.RunID); err != nil {
		return err
	}
	there, err := c.BucketExists(ctx, v.bucket())
	if err == nil && there {
		err = errors.New("it is still there")
	}
	if err != nil {
		return fmt.Errorf("look for bucket %s: %w", v.bucket(), err)
	}
	_, err = v.pool.run(ctx, "radosgw-admin", "gc", "process", "--include-all")
	return err
}
