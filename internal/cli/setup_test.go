package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSetupCommand(t *testing.T) {
	s := newSite(t)
	s.Write("net.yaml", "study: net\nworkload: {name: network, parameters: {}}\nengine: {name: netsink}\nstorage: {wire: {class: external, text: a network}}\nladder: [1]\nload: {users: 1}\n")
	if code, out, errs := s.plimsoll("setup", "net.yaml"); code != 0 || !strings.Contains(out, "No package is missing for net") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	var n struct{ Missing []string }
	if code, out, errs := s.plimsoll("setup", "net.yaml", "--json"); code != 0 || json.Unmarshal([]byte(out), &n) != nil || n.Missing == nil {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
