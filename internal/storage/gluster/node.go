package gluster

import (
	"os/exec"

	"plimsoll/internal/host/simnet"
	"plimsoll/internal/storage/peers"
)

// Deployments (tables of the source: converged or independent storage).
const (
	coupled   = "coupled"   // instances live on the storage servers
	decoupled = "decoupled" // storage servers serve, and nothing else
)

// peer is the one that the volume is dealt out to: for its NFS server, and
// when coupled for its client and instance.
func (v *volume) peer() *peers.Peer {
	all := v.pool.machines.Peers()
	return all[v.serial%len(all)]
}

// host is where the client of the volume runs.
func (v *volume) host() simnet.Host {
	if v.pool.p.Deployment == coupled {
		return v.peer().Host
	}
	return v.pool.machines.Client()
}

// launch starts the client: inside the peer's limits when coupled, in a group
// of its own there, so that killing the peer's daemons spares it.
func (v *volume) launch(cmd *exec.Cmd) (err error) {
	if v.pool.p.Deployment != coupled {
		return cmd.Start()
	}
	v.share, err = v.pool.machines.Below(v.peer(), "client-"+v.name)
	if err != nil {
		return err
	}
	return v.share.Start(cmd)
}

// cgroups are the groups that the instance shares when coupled.
func (v *volume) cgroups() map[string]string {
	if v.pool.p.Deployment != coupled {
		return nil
	}
	return v.peer().Group.Directories()
}
