package kubernetes_test

import (
	"context"
	"database/sql"
	"net"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	corev1 "k8s.io/api/core/v1"

	"plimsoll/internal/app"
	"plimsoll/internal/app/mariadb"
	"plimsoll/internal/app/postgres"
	"plimsoll/internal/conformance/apptest"
	"plimsoll/internal/conformance/apptest/sqltest"
	"plimsoll/internal/conformance/platformtest"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform"
	"plimsoll/internal/platform/kubernetes"
	"plimsoll/internal/platform/kubernetes/api"
	"plimsoll/internal/storage"
	"plimsoll/test/nightly"
)

// reached is a platform whose servers this program reaches at their endpoints.
type reached struct{ *kubernetes.Kubernetes }

func (r reached) Start(ctx context.Context, s app.Server, v storage.Volume, others ...platform.Mounted) (platform.Process, error) {
	p, err := r.Kubernetes.Start(ctx, s, v, others...)
	if err != nil {
		return nil, err
	}
	return asked{p.(process)}, nil
}

type process interface {
	platform.Process
	Asked() endpoint.Endpoint
}

type asked struct{ process }

func (a asked) Endpoint() endpoint.Endpoint { return a.Asked() }

// shared makes a volume with the same path in pods as on this machine, so that tests can
// look into it.
func (b *bed) shared(t *testing.T, p platform.Platform, name string) storage.Volume {
	t.Helper()
	on, ok := p.(reached)
	if !ok {
		on.Kubernetes = p.(*kubernetes.Kubernetes)
	}
	v := b.volume(t, on.Kubernetes, name)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		claim, err := api.Of[corev1.PersistentVolumeClaim](b.client, on.Namespace()).Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if claim.Spec.VolumeName != "" {
			volume, err := api.Of[corev1.PersistentVolume](b.client, "").Get(t.Context(), claim.Spec.VolumeName)
			if err != nil {
				t.Fatal(err)
			}
			v.Path = volume.Spec.Local.Path
			return v
		}
		if time.Now().After(deadline) {
			t.Fatalf("claim %s is not bound", name)
		}
	}
}

// inOneNamespace spares every test the making and removing of one.
func inOneNamespace(t *testing.T, b *bed) *bed {
	t.Helper()
	space := b.existing(t, "suite")
	return newBed(t, func(p *kubernetes.Parameters) {
		p.Namespace = space
		for _, e := range []app.Engine{postgres.Engine{}, mariadb.Engine{}} { // their tests name no image
			p.Images[e.Kind()] = p.Images[e.Name()]
		}
	})
}

func TestServersOfThePlatform(t *testing.T) {
	t.Parallel()
	b := inOneNamespace(t, newBed(t))
	platformtest.Suite{
		Kind: b.kind, Platform: func(t *testing.T) platform.Platform { return b.open(t) }, Volume: b.shared, Remote: true,
	}.RunServers(t)
}

func TestPostgreSQL(t *testing.T) {
	nightly.Only(t, "TestServersOfThePlatform here, the suite of PostgreSQL on servers of this machine, and TestKubernetesRuns with both")
	t.Parallel()
	testEngine(t, postgres.Engine{}, 48<<20, 45e6, func(to endpoint.Endpoint) (*sql.DB, error) {
		config, err := pgx.ParseConfig("sslmode=disable")
		if err != nil {
			return nil, err
		}
		config.Database, config.User, config.Password = endpoint.Database(to), to.User, to.Password
		config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
		config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, to.Network, to.Address)
		}
		return stdlib.OpenDB(*config), nil
	})
}

func TestMariaDB(t *testing.T) {
	nightly.Only(t, "TestPostgreSQL here, and the suite of MariaDB on servers of this machine")
	t.Parallel()
	testEngine(t, mariadb.Engine{}, 96<<20, 0, func(to endpoint.Endpoint) (*sql.DB, error) {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.DBName, config.User, config.Passwd = to.Network, to.Address, endpoint.Database(to), to.User, to.Password
		connector, err := mysql.NewConnector(config)
		if err != nil {
			return nil, err
		}
		return sql.OpenDB(connector), nil
	})
}

// testEngine runs the conformance suite of engines. The paths of its programs in the test
// cluster's images are the same as on this machine.
func testEngine(t *testing.T, e app.Engine, least, largest int64, open func(endpoint.Endpoint) (*sql.DB, error)) {
	b := inOneNamespace(t, newBed(t))
	if b.Images[e.Name()] == "" {
		t.Skipf("%s is not installed on this machine, so that there is no image of it", e.Name())
	}
	sqltest.Run(t, sqltest.Suite{
		Suite: apptest.Suite{
			Engine: e, Platform: func(t *testing.T) platform.Platform { return reached{b.open(t)} }, Volume: b.shared, Plain: true, Least: least, Largest: largest,
		},
		Connect: open,
	})
}
