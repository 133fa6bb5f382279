package cli

import (
	"strings"
	"testing"
)

// No message repeats a password, wherever an address or a connection string was given.
func TestMessagesRepeatNoPassword(t *testing.T) {
	s := newSite(t)
	s.Write("study.yaml", small)
	addresses := []string{
		"http://me:s3cret@127.0.0.1:1/x", "postgres://me:s3cret@127.0.0.1:1/shop", "postgres://me:s3cret /@127.0.0.1:1/shop", "me:s3cret@tcp(127.0.0.1:1)/shop",
		"me:s3cret@127.0.0.1:1/shop", "me:s3cret@127.0.0.1", "host=127.0.0.1 user=me password=s3cret", "http://127.0.0.1:1/?token=s3cret", "http://s3cret@127.0.0.1:1",
	}
	for _, address := range addresses {
		demand := s.Write("demand.yaml", "demand: d\ninstances: 1\nprofile: database\ncapacity: 1GB\nbasis:\n  - {of: \""+address+"\", variant: ssd, nodes: 3}\n")
		quoted := `"` + address + `"`
		existing := s.Write("existing.yaml", "study: e\nworkload: dvdstore\nengine: {name: postgres, existing: {user: me, password_from_env: SHOP, servers: ["+quoted+"]}}\nladder: [1]\n")
		target := s.Write("target.yaml", "study: t\nworkload: {name: dvdstore, parameters: {tier: web}}\ntarget: ["+quoted+"]\nladder: [1]\n")
		watched := s.Write("watched.yaml", small+"platform: {kubernetes: {prometheus: {url: "+quoted+"}}}\nstorage_class: "+quoted+"\n")
		for _, args := range [][]string{
			{"plan", "study.yaml", "--set", "target=" + address}, {"plan", "study.yaml", "--set", "storage.memory.path=" + address, "--set", "ladder=" + address},
			{"plan", existing}, {"plan", target}, {"plan", watched}, {"plan", address}, {"size", demand}, {"size", address},
			{"run", "study.yaml", "--otlp", address}, {"run", "study.yaml", "--metrics", address}, {"run", "study.yaml", "--dir", "/proc/" + address},
			{"serve", "--listen", address}, {"serve", "--token", address}, {"probe", address}, {"try", address}, {"report", address}, {"show", address}, {"compare", address, address},
			{"clean", address}, {"storage", "up", address}, {"storage", "down", address}, {"sink", "--listen", address}, {"study", "new", "x.yaml", "--storage", address},
			{"studies", address}, {"schema", address}, {address}, {"doctor", "--platform", address}, {"attach", address, "--kubeconfig", "/nowhere/" + address},
		} {
			for _, format := range [][]string{nil, {"--json"}} {
				_, out, errs := s.plimsoll(append(args, format...)...)
				if strings.Contains(out+errs, "s3cret") {
					t.Errorf("%v repeats the password:\n%s%s", append(args, format...), out, errs)
				}
			}
		}
	}
}
