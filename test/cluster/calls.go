package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// ServiceAccount is the name of a service account as a user of the API.
func ServiceAccount(namespace, name string) string {
	return "system:serviceaccount:" + namespace + ":" + name
}

// Calls counts the calls of the API that a user has made so far, by what they did:
// "create pods", "create pods/exec". Only simulated clusters know.
func (c *Cluster) Calls(user string) (map[string]int, error) {
	file, err := os.Open(c.config.Audit())
	if err != nil {
		return nil, fmt.Errorf("count the calls of the API: %w", err)
	}
	defer file.Close()
	counted := map[string]bool{} // long ones are listed at their begin and their end
	calls := map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one struct {
			AuditID, Verb, RequestURI string
			User                      struct{ Username string }
			ObjectRef                 struct{ Resource, Subresource string }
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("count the calls of the API: %w", err)
		}
		if one.User.Username != user || counted[one.AuditID] {
			continue
		}
		counted[one.AuditID] = true
		what := one.Verb + " " + one.ObjectRef.Resource
		if one.ObjectRef.Resource == "" {
			what = one.Verb + " " + one.RequestURI
		}
		if one.ObjectRef.Subresource != "" {
			what += "/" + one.ObjectRef.Subresource
		}
		calls[what]++
	}
	return calls, lines.Err()
}
