package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plimsoll/internal/host/journal"
)

// storeUser is a user of an object store, as the cluster describes one.
type storeUser struct {
	Name string `json:"display_name"`
	Keys []struct {
		AccessKey string `json:"access_key"`
		SecretKey string `json:"secret_key"`
	}
}

// keys are those that the user signs with.
func (u storeUser) keys() (access, secret string, err error) {
	if len(u.Keys) == 0 {
		return "", "", fmt.Errorf("the cluster made a user of the object store and gave no keys of it: %w", errForm)
	}
	return u.Keys[0].AccessKey, u.Keys[0].SecretKey, nil
}

// makeStoreUser makes a user of the object store, whose keys the cluster makes. They are read
// from the command's output. One of this identifier and another name is refused.
func (c *cluster) makeStoreUser(ctx context.Context, id, name string) (u storeUser, err error) {
	out, err := c.run(ctx, "radosgw-admin", "user", "create", "--uid="+id, "--display-name="+name)
	if err != nil {
		return u, err
	}
	if err := json.Unmarshal(out, &u); err != nil {
		return u, errors.Join(err, errForm)
	}
	return u, nil
}

// storeUser looks for a user of the object store.
func (c *cluster) storeUser(ctx context.Context, id string) (u storeUser, there bool, err error) {
	out, err := c.run(ctx, "radosgw-admin", "user", "info", "--uid="+id)
	if says(err, "no user info saved") {
		return u, false, nil
	}
	if err == nil {
		err = json.Unmarshal(out, &u)
	}
	return u, err == nil, err
}

// userMark is a user's display name, which records the run that made it.
func userMark(run string) string { return markName + " " + run }

// removeUser removes a user that a run has made, and looks whether it is gone. The cluster
// refuses while the user has buckets.
func (c *cluster) removeUser(ctx context.Context, o journal.Object, run string) (found bool, err error) {
	u, there, err := c.storeUser(ctx, o.Name)
	if err != nil || !there {
		return there, err
	}
	if u.Name != userMark(run) {
		return true, fmt.Errorf("remove %s: %w: users that a run makes are called %q, and this one %q. It stays; if nobody needs it, on a node of the cluster: `%s`", o, errNotOurs, userMark(run), u.Name, removal(o))
	}
	if _, err := c.run(ctx, "radosgw-admin", "user", "rm", "--uid="+o.Name); err != nil {
		return true, err
	}
	if _, there, err = c.storeUser(ctx, o.Name); err == nil && there {
		err = stillThere(o)
	}
	return true, err
}
