package phpfpm

import (
	"bytes"
	"fmt"
	"net"
	"testing"

	"plimsoll/internal/app"
	"plimsoll/internal/describe/endpoint"
	"plimsoll/internal/platform/local/localtest"
	"plimsoll/internal/storage"
)

// run is what whoever reaches PHP-FPM can do: have it run code of his own before a page.
func run(network, address, page, code string) (string, error) {
	conn, err := net.Dial(network, address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var request bytes.Buffer
	record(&request, beginRequest, []byte{0, 1, 0, 0, 0, 0, 0, 0})
	record(&request, parameters, pairs("SCRIPT_FILENAME", page, "REQUEST_METHOD", "POST", "CONTENT_LENGTH", fmt.Sprint(len(code)),
		"PHP_VALUE", "auto_prepend_file = php://input", "PHP_ADMIN_VALUE", "allow_url_include = On"))
	record(&request, parameters, nil)
	record(&request, standardIn, []byte(code))
	record(&request, standardIn, nil)
	if _, err := conn.Write(request.Bytes()); err != nil {
		return "", err
	}
	return answer(conn)
}

// Another user of the machine ran code as the run's user, and read the password of the
// database from a file. The way in is the socket alone, which he does not reach.
func TestAnotherUserRunsNoCode(t *testing.T) {
	in, err := Engine{}.Find(t.Context(), "", false)
	if err != nil {
		t.Skip(err)
	}
	p := localtest.Platform(t)
	defer p.Close(t.Context())
	c := app.Config{Name: "php", Users: 1, Content: map[string]string{"page.php": "<?php echo 'page';"},
		Peers: []endpoint.Endpoint{{Role: "db", Kind: "sql:postgres", Password: "the password"}}}
	proc, err := p.Start(t.Context(), Engine{}.Server(in, c), storage.Volume{})
	if err != nil {
		t.Fatal(err)
	}
	e := proc.Endpoint()
	const code = `<?php echo file_get_contents('peers.php', true);`
	if text, err := run(e.Network, e.Address, endpoint.PagesOf(e).Content+"/page.php", code); err != nil || !bytes.Contains([]byte(text), []byte("the password")) {
		t.Fatalf("the attack does not even work for root: %q, %v", text, err)
	}
	err = localtest.AsOther(t, func() error {
		text, err := run(e.Network, e.Address, endpoint.PagesOf(e).Content+"/page.php", code)
		if err == nil {
			return fmt.Errorf("he got %q", text)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if ports := localtest.Listens(t, proc.(interface{ PIDs() []int }).PIDs()); len(ports) > 0 {
		t.Errorf("it listens on %v", ports)
	}
}
