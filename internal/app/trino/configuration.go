package trino

import (
	"cmp"
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // Trino knows no other
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf16"

	"plimsoll/internal/app"
	client "plimsoll/internal/client/trino"
	"plimsoll/internal/describe/endpoint"
)

var errStarting = errors.New("it starts")

// The files of a server.
const (
	configFile   = "${RUNTIME}/config.properties"
	logFile      = "${RUNTIME}/log.properties"
	authFile     = "${RUNTIME}/password.properties"
	passwordFile = "${RUNTIME}/password.db"
	catalogs     = "${RUNTIME}/catalog"
)

func files(in app.Installation, c app.Config) []app.File {
	all := []app.File{
		private(configFile, configuration(in, c)),
		private(logFile, "io.trino=WARN\nio.airlift=WARN\nio.trino.server=INFO\nBootstrap=WARN\n"),
		private(authFile, "password-authenticator.name=file\nfile.password-file="+passwordFile+"\n"),
		private(passwordFile, app.Admin+":"+hashed(c.AdminPassword)+"\n"),
		private(catalogs+"/tpcds.properties", "connector.name=tpcds\n"),
	}
	if store, ok := c.Store(); ok {
		all = append(all, private(catalogs+"/"+Catalog+".properties", lake(c, store)))
	}
	return all
}

func private(path, content string) app.File {
	return app.File{Path: path, Content: content, Mode: 0o600, Escape: escape}
}

// escape writes a path as files of properties want it (java.util.Properties).
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r < 0x80:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}

// line is one of a file of properties.
func line(s app.Setting) string {
	return s.Name() + "=" + strings.ReplaceAll(s.Value(), `\`, `\\`) + "\n"
}

// configuration is config.properties. The server requires the password on requests that are
// declared to have been encrypted, and accepts no others: the network is local to the
// machine or the run. So does a worker, since Trino does not require the servers' shared
// secret from clients that fetch metrics or threads or stop the worker.
func configuration(in app.Installation, c app.Config) string {
	return app.Configuration(line, ofServer(c.Settings), role(c), []app.Setting{
		{"node.environment", "plimsoll"},
		{"node.id", nodeOf(c.Name)},
		{"node.bind-ip", "${HOST}"},
		{"node.internal-address", host(c)},
		{"http-server.http.port", "${PORT}"},
		{"http-server.log.enabled", "false"},
		{"http-server.process-forwarded", "true"},
		{"internal-communication.shared-secret", shared(c.AdminPassword)},
		{"http-server.authentication.type", "PASSWORD"},
		{"password-authenticator.config-files", authFile},
		{"plugin.dir", in.Paths[name] + "/plugin"},
		{"catalog.management", "static"},
		{"catalog.config-dir", catalogs},
	}, spill(c))
}

// notOfNodes is what Trino refuses in the name of a node.
var notOfNodes = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// nodeOf turns the name of a server into a valid name of a node. Servers of golden volumes
// have versions in their names: 1.8.0.
func nodeOf(name string) string { return notOfNodes.ReplaceAllString(name, "-") }

// role is what makes a server a coordinator or a worker of one.
func role(c app.Config) []app.Setting {
	if at, ok := coordinator(c); ok {
		return []app.Setting{{"coordinator", "false"}, {"discovery.uri", "http://" + at.Address}}
	}
	return []app.Setting{
		{"coordinator", "true"},
		{"discovery.uri", "http://${HOST}:${PORT}"},
		{"web-ui.enabled", "false"},
	}
}

// coordinator is the server that a worker works for.
func coordinator(c app.Config) (endpoint.Endpoint, bool) {
	for _, p := range c.Peers {
		if p.Kind == client.Kind {
			return p, true
		}
	}
	return endpoint.Endpoint{}, false
}

// host is where the other servers reach it: where it listens on all addresses, only its
// siblings' list has its own.
func host(c app.Config) string {
	if c.Self >= 0 && c.Self < len(c.Siblings) {
		if at, _, err := net.SplitHostPort(c.Siblings[c.Self]); err == nil {
			return at
		}
	}
	return "${HOST}"
}

// spill lets a server that has a directory move there what does not fit into its memory.
func spill(c app.Config) []app.Setting {
	n := 0
	for _, m := range c.Mounts {
		if m.Kind != endpoint.Directory {
			continue
		}
		at := "${VOLUME}"
		if n > 0 {
			at = "${VOLUME:" + m.Role + "}"
		}
		return []app.Setting{{"spill-enabled", "true"}, {"spiller-spill-path", at + "/spill"}}
	}
	return nil
}

// metastoreOf is the database that has the descriptions of a server's tables, if any does.
func metastoreOf(c app.Config) (endpoint.Endpoint, bool) {
	for _, p := range c.Peers {
		if p.Kind == postgres {
			return p, true
		}
	}
	return endpoint.Endpoint{}, false
}

// postgres is the kind of the databases that the connector has a driver for.
const postgres = "sql:postgres"

// lake is the catalogue of the bucket: tables of Hive with their metadata in the bucket, or
// of Iceberg with their metadata in a database. Only the first of several gateways is used.
func lake(c app.Config, e endpoint.Endpoint) string {
	s := endpoint.StoreOf(e)
	return app.Configuration(line, ofCatalog(c.Settings), connector(c, "s3://"+cmp.Or(s.Name, Bucket)+"/tables"), []app.Setting{
		{"fs.native-s3.enabled", "true"},
		{"s3.endpoint", s.URLs[0]},
		{"s3.region", s.Region},
		{"s3.path-style-access", fmt.Sprint(!s.VirtualHost)},
		{"s3.aws-access-key", e.User},
		{"s3.aws-secret-key", e.Password},
	})
}

// connector configures the connector that reads the tables at a place and lists them.
func connector(c app.Config, at string) []app.Setting {
	m, ok := metastoreOf(c)
	if !ok {
		return []app.Setting{
			{"connector.name", "hive"},
			{"hive.metastore", "file"},
			{"hive.metastore.catalog.dir", at},
			{"hive.storage-format", "PARQUET"},
			{"hive.non-managed-table-writes-enabled", "true"},
		}
	}
	return []app.Setting{
		{"connector.name", "iceberg"},
		{"iceberg.catalog.type", "jdbc"},
		{"iceberg.jdbc-catalog.catalog-name", Catalog},
		{"iceberg.jdbc-catalog.driver-class", "org.postgresql.Driver"},
		{"iceberg.jdbc-catalog.connection-url", "jdbc:postgresql://" + endpoint.DatabaseTCP(m) + "/" + url.PathEscape(endpoint.Database(m))},
		{"iceberg.jdbc-catalog.connection-user", m.User},
		{"iceberg.jdbc-catalog.connection-password", m.Password},
		{"iceberg.jdbc-catalog.default-warehouse-dir", at},
	}
}

// iterations is the iteration count of the password's hash: Trino's minimum, since
// passwords are random and long.
const iterations = 1000

// hashed is a password as Trino's file of passwords has it: iterations, salt and key of
// PBKDF2 with HMAC-SHA-1. The salt is the same each time, so that the file is.
func hashed(password string) string {
	salt := sha256.Sum256([]byte("salt of " + password))
	key, err := pbkdf2.Key(sha1.New, password, salt[:16], iterations, 32)
	if err != nil {
		panic("hash a password: " + err.Error()) // only of impossible lengths
	}
	return fmt.Sprintf("%d:%s:%s", iterations, hex.EncodeToString(salt[:16]), hex.EncodeToString(key))
}

// shared is the secret that servers of a cluster show each other.
func shared(password string) string {
	sum := sha256.Sum256([]byte("servers of the cluster " + password))
	return hex.EncodeToString(sum[:])
}
