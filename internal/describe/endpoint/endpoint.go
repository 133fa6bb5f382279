// Package endpoint says how a part of an instance is reached: a common part that
// every endpoint has, and a payload that only those read who know its kind. A new kind
// of endpoint is a name and a payload type in the package that serves or uses it; no
// generic package lists kinds.
package endpoint

import "net"

// Endpoint is one way into an instance: the address of a server, or a volume or
// bucket that needs none. Endpoints can be compared.
type Endpoint struct {
	Role string `json:"role"` // that it fills: db, web, volume
	Kind string `json:"kind"` // the protocol: sql:postgres, directory

	Network  string `json:"network,omitempty"` // tcp or unix
	Address  string `json:"address,omitempty"` // host:port, or the socket's path
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"` // what holds it goes through pipes or files of mode 0600

	// Certificate is in PEM. If TLS is empty it is the server's own: users trust it alone,
	// and the connection is encrypted. With TLS it is the certificate authority; if empty,
	// users trust the machine's authorities.
	Certificate string `json:"certificate,omitempty"`
	// TLS is how a connection to a database is encrypted, empty for not at all.
	TLS string `json:"tls,omitempty"`
	// ClientCertificate, with the certificates that lead to its authority, and ClientKey
	// identify users to a server that asks for them, in PEM; both are empty for none. The
	// key is as secret as the password.
	ClientCertificate string `json:"client_certificate,omitempty"`
	ClientKey         string `json:"client_key,omitempty"`
	// Lent reports that it is an existing server: what a session depends on is set when it
	// begins, because the server's configuration is not ours.
	Lent bool `json:"lent,omitempty"`

	// Payload holds the data that only this Kind has. As decodes it.
	Payload Payload `json:"payload,omitzero"`
}

// SystemRoots in place of a certificate trusts whom the machine trusts.
const SystemRoots = "system"

// Ways to encrypt, as libpq's sslmode has them.
const (
	TLSRequire    = "require"     // whoever the server is
	TLSVerifyCA   = "verify-ca"   // with a certificate that a trusted authority has signed
	TLSVerifyFull = "verify-full" // and that names the server's host
)

// Kinds of endpoints that need no server, with a Volume as their payload.
const (
	Directory = "directory" // a mounted file system
	Device    = "device"    // a raw block device
)

// Site is the kind of the endpoints of web sites, existing ones included.
const Site = "http"

// Volume is the payload of the kinds Directory and Device.
type Volume struct {
	Path string `json:"path"`
	// Bytes is the size of a device; 0 on a file system, which knows it.
	Bytes int64 `json:"bytes,omitempty"`
}

// OfDirectory is a role that a directory fills.
func OfDirectory(role, path string) Endpoint {
	return Endpoint{Role: role, Kind: Directory, Payload: With(Volume{Path: path})}
}

// OfDevice is a role that a device of so many bytes fills; 0 is not known.
func OfDevice(role, path string, bytes int64) Endpoint {
	return Endpoint{Role: role, Kind: Device, Payload: With(Volume{Path: path, Bytes: bytes})}
}

// SQL is the payload of databases (sql:…).
type SQL struct {
	Database string `json:"database"`
	// TCP is the server's host:port in addition to its socket, for clients that cannot use
	// unix sockets, such as Java's drivers. Empty if not known.
	TCP string `json:"tcp,omitempty"`
}

// Pages is the payload of web sites and application servers that were not started with
// their place being known, or whose content others read.
type Pages struct {
	// Base is where the pages of an existing site begin: /ds3. Of a server that
	// was started the workload knows.
	Base string `json:"base,omitempty"`
	// Content is the directory in which a server has them, for the servers that use it.
	Content string `json:"content,omitempty"`
}

// PathOf returns the path of a directory or device, or "" if the endpoint is neither.
func PathOf(e Endpoint) string {
	v, _ := As[Volume](e)
	return v.Path
}

// Database returns the name of an endpoint's database, or "" if it has none.
func Database(e Endpoint) string {
	s, _ := As[SQL](e) // no other payload is taken for one
	return s.Database
}

// DatabaseTCP returns the host:port of a database, or "" if it is not known or e is not a
// database.
func DatabaseTCP(e Endpoint) string {
	if e.Network == "tcp" {
		return e.Address
	}
	s, _ := As[SQL](e)
	return s.TCP
}

// PagesOf returns an endpoint's pages, or zero if it has none.
func PagesOf(e Endpoint) Pages {
	p, _ := As[Pages](e)
	return p
}

// OnLoopback reports whether the host of an address stays on this machine whatever its name
// servers answer: it is localhost or a loopback address.
func OnLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }
