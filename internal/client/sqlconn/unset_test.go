package sqlconn

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"plimsoll/internal/describe/endpoint"
)

// again is set where the test runs once more, in an environment of its own.
const again = "PLIMSOLL_TEST_AGAIN"

// Variables that are meant for other clients change nothing, not even when they are wrong.
// They stay in the environment: a study may name one of them for its password.
func TestTheEnvironmentDoesNotCount(t *testing.T) {
	if os.Getenv(again) == "" {
		for _, variable := range []string{
			"PGSERVICE=prod", "PGSERVICEFILE=/nowhere", "PGPORT=99999", "PGCONNECT_TIMEOUT=abc", "PGMINPROTOCOLVERSION=3.9", "PGSSLCERTMODE=", "PGTARGETSESSIONATTRS=x",
			"PGREQUIREAUTH=x", "PGCHANNELBINDING=x", "PGSSLNEGOTIATION=direct", "PGOPTIONS=-c fsync=off", "PGHOST=elsewhere", "PGPASSWORD=theirs", "PGTZ=Mars",
		} {
			c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			c.Env = append(os.Environ(), again+"="+variable, variable)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", variable, err, out)
			}
		}
		return
	}
	name, value, _ := strings.Cut(os.Getenv(again), "=")
	if got, there := os.LookupEnv(name); !there || got != value {
		t.Errorf("%s is %q", name, got)
	}
	c, err := Postgres(endpoint.Endpoint{Kind: postgresKind, Network: "tcp", Address: "127.0.0.1:6000", User: "u", Password: "ours", Payload: endpoint.With(endpoint.SQL{Database: "shop"})})
	if err != nil {
		t.Fatal(err)
	}
	if c.Host != "127.0.0.1" || c.Port != 6000 || c.User != "u" || c.Password != "ours" || c.Database != "shop" || c.ConnectTimeout != 0 || c.TLSConfig != nil ||
		c.ValidateConnect != nil || len(c.Fallbacks) > 0 || c.RequireAuth != "" || c.ChannelBinding != "prefer" || c.SSLNegotiation != "postgres" || c.MinProtocolVersion != "3.0" {
		t.Errorf("%+v", c.Config)
	}
	if len(c.RuntimeParams) != 2 {
		t.Errorf("it sets %v", c.RuntimeParams)
	}
}
