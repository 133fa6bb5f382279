package ceph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plimsoll/internal/storage/peers"
)

// inspection describes an existing cluster and its pool.
type inspection struct {
	status     status
	version    string // 16.2.15; several, with commas, where daemons differ
	client     string // the version of the programs here
	media      string
	pool       string // with the data
	protection string
	space      space
}

// space is the space of a pool in bytes, not counting copies.
type space struct {
	Stored    int64 `json:"stored"`
	Available int64 `json:"max_avail"`
}

// inspect looks whether a run can begin: the cluster lets us in, the pool is there, takes
// images and is not full, and nothing warns that the study does not accept.
func (e *ExistingCluster) inspect(ctx context.Context, c cluster) (f inspection, err error) {
	if f.status, err = c.look(ctx); err != nil {
		return f, e.explained(err)
	}
	if f.pool, err = e.dataPool(ctx, c); err != nil {
		return f, e.explained(err)
	}
	if f.protection, err = e.inspectPool(ctx, c, f.pool); err != nil {
		return f, e.explained(err)
	}
	if f.status, err = e.awaitWell(ctx, c, f.status, heldLimit); err != nil {
		return f, err
	}
	if f.version, err = c.versions(ctx); err != nil {
		return f, e.explained(err)
	}
	if f.client, err = c.clientVersion(ctx); err != nil {
		return f, err
	}
	if f.media, err = e.mediaOf(ctx, c); err != nil {
		return f, e.explained(err)
	}
	if f.space, err = c.spaceOf(ctx, f.pool); err != nil {
		return f, e.explained(err)
	}
	return f, e.explained(e.enter(ctx, c))
}

// enter runs a command that only a user who may make volumes is allowed to.
func (e *ExistingCluster) enter(ctx context.Context, c cluster) error {
	switch {
	case e.FS != "":
		return c.subvolume(ctx, nil, "ls", e.FS)
	case e.ownUser():
		_, _, err := c.storeUser(ctx, nobodys)
		return err
	case e.Store != nil:
		return nil // who has its keys asks the gateways
	}
	return c.rbd(ctx, "ls", e.Pool)
}

// nobodys is the identifier of a user that nobody has.
const nobodys = "plimsoll-nobody-is-this-user"

// dataPool is the pool with the data.
func (e *ExistingCluster) dataPool(ctx context.Context, c cluster) (string, error) {
	if e.FS == "" {
		return e.Pool, nil
	}
	var all []struct {
		Name  string
		Pools []string `json:"data_pools"`
	}
	if err := c.ceph(ctx, &all, "fs", "ls"); err != nil {
		return "", err
	}
	var names []string
	for _, fs := range all {
		if fs.Name == e.FS && len(fs.Pools) > 0 {
			return fs.Pools[0], nil
		}
		names = append(names, fs.Name)
	}
	return "", fmt.Errorf("the cluster shows client.%[1]s no file system %[2]s; it shows %[3]s: name one of those, or `ceph auth caps client.%[1]s %[4]s`", e.user(), e.FS, orNone(names), e.needs())
}

// use is the application of the pool with the data, and the command that sets it.
func (e *ExistingCluster) use() (application, what, by string) {
	switch {
	case e.FS != "":
		return "cephfs", "files", "`ceph fs new`"
	case e.Store != nil:
		return "rgw", "objects", "a gateway of the cluster"
	}
	return "rbd", "images", fmt.Sprintf("`rbd pool init %s` on a node of the cluster", e.Pool)
}

// slowRequest is the health check of requests to CephFS that have waited for 30 s.
const slowRequest = "MDS_SLOW_REQUEST"

// heldLimit is how long a new run waits for slow requests. CephFS releases a killed
// client's locks once it has not heard of the client for 60 s (session_timeout, by
// default). By then, the request that waited longest has caused a warning for half of that
// time.
const heldLimit = time.Minute

// awaitWell refuses a cluster that warns, given its last status. What only warns of slow
// requests may have waited for a client that was killed, and has the time to get over it.
func (e *ExistingCluster) awaitWell(ctx context.Context, c cluster, last status, limit time.Duration) (s status, err error) {
	s = last
	waited := peers.Poll(ctx, limit, "the cluster to warn of no slow requests", func() (bool, error) {
		if !slices.Equal(e.unaccepted(s), []string{slowRequest}) {
			return true, nil
		}
		s, err = c.look(ctx)
		return false, err
	})
	if waited != nil && cmp.Or(err, ctx.Err()) != nil { // it was not the time that was up
		return s, e.explained(waited)
	}
	if err = e.well(s); err != nil && waited != nil {
		err = fmt.Errorf("waited for %.0f s, as CephFS does for a client that was killed (session_timeout): %w", limit.Seconds(), err)
	}
	return s, err
}

// unaccepted names the health checks that keep a run from beginning, in their order.
func (e *ExistingCluster) unaccepted(s status) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Health.Checks)) {
		if c := s.Health.Checks[name]; !c.Muted && (c.Severity == healthError || !slices.Contains(e.Accept, name)) {
			names = append(names, name)
		}
	}
	return names
}

// well refuses a cluster with warnings that the study does not accept: the cluster's
// recovery would distort the figures, and the data of others may be at risk.
func (e *ExistingCluster) well(s status) error {
	names := e.unaccepted(s)
	var left []string
	for _, name := range names {
		left = append(left, name+": "+s.Health.Checks[name].Summary.Message)
	}
	switch {
	case len(names) == 0 && s.Health.Status != healthError:
		return nil
	case s.Health.Status == healthError:
		return fmt.Errorf("the cluster reports %s (%s): no run begins on it; `ceph health detail` on a node of the cluster says more", s.Health.Status, strings.Join(left, "; "))
	}
	return fmt.Errorf("the cluster reports %s (%s), and what it does about that would be in the figures: have it put right (`ceph health detail`) or muted (`ceph health mute`), or accept it: existing: {accept: [%s]}", s.Health.Status, strings.Join(left, "; "), strings.Join(names, ", "))
}

// healthError is the status and severity of dangers to data.
const healthError = "HEALTH_ERR"

// poolDetail is an entry of `osd pool ls detail`.
type poolDetail struct {
	Name    string `json:"pool_name"`
	Flags   string `json:"flags_names"`
	Size    int
	Profile string         `json:"erasure_code_profile"`
	Uses    map[string]any `json:"application_metadata"`
}

// inspectPool looks for the pool with the data, and describes its protection.
func (e *ExistingCluster) inspectPool(ctx context.Context, c cluster, pool string) (protection string, err error) {
	application, what, by := e.use()
	var all []poolDetail
	if err := c.ceph(ctx, &all, "osd", "pool", "ls", "detail"); err != nil {
		return "", err
	}
	n := slices.IndexFunc(all, func(p poolDetail) bool { return p.Name == pool })
	if n < 0 {
		var names []string
		for _, p := range all {
			names = append(names, p.Name)
		}
		return "", fmt.Errorf("the cluster has no pool %[1]s; it has %[2]s. `ceph osd pool create %[1]s` on a node of the cluster makes one, and %[3]s puts it to use", pool, strings.Join(names, ", "), by)
	}
	p := all[n]
	if p.Flags == "" || p.Size == 0 {
		return "", errForm
	}
	if _, is := p.Uses[application]; !is {
		return "", fmt.Errorf("pool %s is not for %s (its applications: %s): name one that is; one that is new is put to use by %s", pool, what, orNone(slices.Sorted(maps.Keys(p.Uses))), by)
	}
	if p.Profile != "" && application == "rbd" {
		return "", fmt.Errorf("pool %s has an erasure code, and the tables of images need a pool with copies: name one", pool)
	}
	for _, flag := range strings.Split(p.Flags, ",") {
		if flag == "full" || flag == "full_quota" {
			return "", errors.New(full(pool))
		}
	}
	if p.Profile != "" {
		return fmt.Sprintf("erasure code of profile %s, %d parts", p.Profile, p.Size), nil
	}
	return fmt.Sprintf("replica %d", p.Size), nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// osdLife is since when an OSD is up, and whether it is.
type osdLife struct {
	Up   int `json:"up"`
	From int `json:"up_from"` // the version of the cluster's map that it came up with
}

// osdLives has the OSDs by their numbers.
func (c *cluster) osdLives(ctx context.Context) (map[int]osdLife, error) {
	var all struct {
		OSDs []struct {
			OSD int
			osdLife
		}
	}
	if err := c.ceph(ctx, &all, "osd", "dump"); err != nil {
		return nil, err
	}
	lives := map[int]osdLife{}
	for _, o := range all.OSDs {
		lives[o.OSD] = o.osdLife
	}
	return lives, nil
}

// changedLives names the OSDs that went down or came up from then to now.
func changedLives(then, now map[int]osdLife) (names []string) {
	for _, n := range slices.Sorted(maps.Keys(now)) {
		if then[n] != now[n] {
			names = append(names, fmt.Sprintf("osd.%d", n))
		}
	}
	return names
}

// versions returns the versions of all daemons.
func (c *cluster) versions(ctx context.Context) (string, error) {
	var all struct{ Overall map[string]int }
	if err := c.ceph(ctx, &all, "versions"); err != nil {
		return "", err
	}
	var short []string
	for _, long := range slices.Sorted(maps.Keys(all.Overall)) {
		if version := versionIn(long); version != "" {
			short = append(short, version)
		}
	}
	if len(short) == 0 {
		return "", errForm
	}
	return strings.Join(slices.Compact(short), ", "), nil
}

// clientVersion is the version of the programs on this machine.
func (c *cluster) clientVersion(ctx context.Context) (string, error) {
	out, err := c.run(ctx, "ceph", "--version")
	return versionIn(string(out)), err
}

// versionIn is the number in "ceph version 16.2.15 (hash) pacific (stable)"; empty in another text.
func versionIn(long string) string {
	words := strings.Fields(long)
	if len(words) < 3 || words[0] != "ceph" {
		return ""
	}
	return words[2]
}

// mediaOf names the pool's media: from the study, or else the cluster's device classes.
func (e *ExistingCluster) mediaOf(ctx context.Context, c cluster) (string, error) {
	if e.Media != "" {
		return e.Media, nil
	}
	var classes []string
	if err := c.ceph(ctx, &classes, "osd", "crush", "class", "ls"); err != nil {
		return "", err
	}
	if len(classes) == 1 {
		return classes[0], nil
	}
	return "unknown", nil
}

// spaceOf returns a pool's space as the cluster last counted it.
func (c *cluster) spaceOf(ctx context.Context, pool string) (space, error) {
	var all struct {
		Pools []struct {
			Name  string
			Stats *space
		}
	}
	if err := c.ceph(ctx, &all, "df"); err != nil {
		return space{}, err
	}
	for _, p := range all.Pools {
		if p.Name == pool && p.Stats != nil {
			return *p.Stats, nil
		}
	}
	return space{}, errForm
}
