// Package s3 is the storage class of an existing object store: every volume is a bucket of
// its own, which is made, marked as the run's and removed with all its contents. No other
// bucket is touched. Each bucket is in the journal before it is made, so that clean removes
// the remains of a crash.
package s3

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/client/bucket"
	"plimsoll/internal/describe"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/storage"
)

// Name is the class's key in studies.
const Name = "s3"

// Ways to name the bucket of a request.
const (
	Path    = "path"    // https://store.example/bucket/key
	Virtual = "virtual" // https://bucket.store.example/key
)

// Parameters configure the class.
type Parameters struct {
	URLs         []string `yaml:"urls" json:"urls" jsonschema:"description=URLs of the store's gateways such as https://store.example:9000; users are spread over them"`
	Region       string   `yaml:"region,omitempty" json:"region,omitempty" jsonschema:"description=Region that requests are signed for; default us-east-1"`
	Addressing   string   `yaml:"addressing,omitempty" json:"addressing,omitempty" jsonschema:"enum=path,enum=virtual,description=Whether a bucket's name stands in the path of a request or in its host; default path"`
	CAFile       string   `yaml:"ca_file,omitempty" json:"ca_file,omitempty" jsonschema:"description=File in PEM with the authority that signed the certificate of https URLs; those that this machine trusts when omitted"`
	KeysFile     string   `yaml:"keys_file,omitempty" json:"keys_file,omitempty" jsonschema:"description=File of mode 0600 with the access key in its first line and the secret key in its second"`
	AccessKeyEnv string   `yaml:"access_key_env,omitempty" json:"access_key_env,omitempty" jsonschema:"description=Environment variable with the access key in place of keys_file"`
	SecretKeyEnv string   `yaml:"secret_key_env,omitempty" json:"secret_key_env,omitempty" jsonschema:"description=Environment variable with the secret key"`
	Media        string   `yaml:"media,omitempty" json:"media,omitempty" jsonschema:"description=What the store keeps objects on: nvme; hdd"`
	Protection   string   `yaml:"protection,omitempty" json:"protection,omitempty" jsonschema:"description=How it keeps data when a part fails: replica 3; EC 4+2"`
	Text         string   `yaml:"text,omitempty" json:"text,omitempty" jsonschema:"description=What the store is in one sentence for people"`

	// givenKeys returns the keys where neither a file nor variables do; see With.
	givenKeys Keys
}

// Keys gives the keys of a user of the store.
type Keys func() (access, secret string, err error)

// With are the parameters with keys that another class knows, in place of a file or variables.
func (p *Parameters) With(keys Keys) *Parameters {
	of := *p
	of.givenKeys = keys
	return &of
}

// KeysGiven reports whether the study says where the keys are.
func (p *Parameters) KeysGiven() bool {
	return p.KeysFile != "" || p.AccessKeyEnv != "" || p.SecretKeyEnv != ""
}

// Kind implements storage.Kind.
type Kind struct{}

var _ storage.Kind = Kind{}

// Capabilities implements storage.Kind.
func (k Kind) Capabilities() storage.KindCapabilities {
	return storage.KindCapabilities{Asks: k.Asks, Lender: k, Class: (&class{}).Capabilities()}
}

// Name returns the registry key.
func (Kind) Name() string { return Name }

// Defaults returns fresh parameters.
func (Kind) Defaults() any { return &Parameters{Region: defaultRegion, Addressing: Path} }

const defaultRegion = "us-east-1"

// VolumeKinds are buckets.
func (Kind) VolumeKinds(any) []string { return []string{endpoint.Bucket} }

// Place is elsewhere: the store has the space.
func (Kind) Place(any) storage.Place { return storage.Place{Elsewhere: true} }

// Validate reports every impossible value.
func (Kind) Validate(parameters any) []describe.Problem {
	p, ok := parameters.(*Parameters)
	if !ok {
		return []describe.Problem{{Text: fmt.Sprintf("the parameters of an object store are %T", parameters)}}
	}
	bad := describe.Bounds(p)
	wrong := bad.Add
	if err := p.checkURLs(); err != nil {
		wrong("urls", "%v", err)
	} else if p.CAFile != "" && !slices.ContainsFunc(p.URLs, isSecure) {
		wrong("ca_file", "no URL is https")
	}
	if p.givenKeys != nil && !p.KeysGiven() {
		return bad
	}
	both := p.AccessKeyEnv != "" && p.SecretKeyEnv != ""
	if none := p.AccessKeyEnv == "" && p.SecretKeyEnv == ""; !both && !none || both == (p.KeysFile != "") {
		wrong("keys_file", "the keys are given nowhere, or twice: keys_file names a file of mode 0600, or access_key_env and secret_key_env two variables")
	}
	return bad
}

func (p *Parameters) checkURLs() error {
	if len(p.URLs) == 0 {
		return fmt.Errorf("lists no URL of the store, such as https://store.example:9000")
	}
	for n, text := range p.URLs {
		at, err := bucket.Gateway(endpoint.Store{URLs: p.URLs}, n)
		switch {
		case err != nil && strings.Contains(text, "@"):
			return fmt.Errorf("URL %d is not the URL of an object store, such as https://store.example:9000", n+1)
		case err != nil:
			return err
		case at.User != nil:
			return fmt.Errorf("the URL of %s must not hold keys: they belong into keys_file or variables", at.Host)
		case strings.Trim(at.Path, "/") != "" || at.RawQuery != "" || at.Fragment != "":
			return fmt.Errorf("%q has more than a host and a port", text)
		case slices.Contains(p.URLs[:n], text):
			return fmt.Errorf("%s is listed twice", text)
		}
	}
	return nil
}

func isSecure(text string) bool {
	at, err := url.Parse(text)
	return err == nil && at.Scheme == "https"
}

// askLimit is how long the store may take to answer before anything is made.
const askLimit = 20 * time.Second

// Asks implements storage.Connector.
func (Kind) Asks(parameters any) string {
	p := parameters.(*Parameters)
	with := ""
	switch {
	case p.KeysFile != "":
		with = " with the keys from the file " + p.KeysFile
	case p.AccessKeyEnv != "":
		with = " with the access key in the variable " + p.AccessKeyEnv + " and the secret key in " + p.SecretKeyEnv
	}
	return strings.Join(p.URLs, ", ") + with
}

// Usable checks that the store lets us in.
func (Kind) Usable(parameters any) error {
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	p := parameters.(*Parameters)
	at, err := p.store()
	if err != nil {
		return err
	}
	return p.ask(ctx, newGateways(at))
}

// New binds the parameters; nothing is made before Up.
func (k Kind) New(name string, parameters any, env storage.Env) (storage.Class, error) {
	if err := describe.Problems(k.Validate(parameters)).Err(); err != nil {
		return nil, err
	}
	return &class{name: name, p: *parameters.(*Parameters), env: env, buckets: map[string]bool{}}, nil
}

// region is what requests are signed for.
func (p *Parameters) region() string { return cmp.Or(p.Region, defaultRegion) }
