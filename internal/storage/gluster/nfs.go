package gluster

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plimsoll/internal/host/journal"
	"plimsoll/internal/host/safefile"
	"plimsoll/internal/storage/nfs"
	"plimsoll/internal/storage/peers"
)

// Ways to reach a volume.
const (
	accessNative = "native" // FUSE client of Gluster
	accessNFS    = "nfs"    // NFS-Ganesha on a peer, NFS version 3
)

// gateway is the NFS server of one volume: an NFS-Ganesha on one of the
// peers, inside its limits, that reaches the volume with Gluster's library.
type gateway struct {
	volume *volume
	peer   *peers.Peer
	port   int // of NFS; the Mount service has the next
}

// gatewayBase is the first port of the gateways of a pool.
const gatewayBase = 2050

func (v *volume) newGateway() *gateway {
	return &gateway{volume: v, peer: v.peer(), port: gatewayBase + 2*v.serial}
}

func (g *gateway) dir() string    { return filepath.Join(g.peer.Dir, "nfs-"+g.volume.name) }
func (g *gateway) export() string { return "/" + g.volume.name }

func (g *gateway) object() journal.Object {
	return journal.Object{Kind: journal.Process, Name: g.volume.pool.name + "-gateway-" + g.volume.name}
}

// configuration is Ganesha's. Locks (NLM) and quotas are left out: a volume has one client.
// COMMIT writes unstable data.
func (g *gateway) configuration() string {
	return fmt.Sprintf(`NFS_CORE_PARAM {
	Protocols = 3; NFS_Port = %d; MNT_Port = %d; Bind_addr = %s;
	Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; mount_path_pseudo = true;
}
NFS_KRB5 { Active_krb5 = false; }
NFSv4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = %q; }
EXPORT {
	Export_Id = 1; Path = "/"; Pseudo = %q; Access_Type = RW; Squash = No_Root_Squash;
	SecType = sys; Protocols = 3; Transports = TCP;
	FSAL { Name = GLUSTER; Hostname = %q; Volume = %q; }
}
LOG { Default_Log_Level = WARN; }
`, g.port, g.port+1, g.peer.Host.Address, g.dir(), g.export(), g.peer.Host.Address, g.volume.name)
}

// starts is how often a server is started that ends at once. Ganesha gives up
// when another one on the same peer registers with rpcbind at the same moment.
const starts = 5

// start starts the server, alone on its peer, and waits until it takes
// connections.
func (g *gateway) start(ctx context.Context) (err error) {
	one := &g.volume.pool.gateways[g.peer.Number-1]
	one.Lock()
	defer one.Unlock()
	for range starts {
		if err = g.startOnce(ctx); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (g *gateway) startOnce(ctx context.Context) error {
	if err := safefile.Ensure(g.dir(), 0o700); err != nil {
		return err
	}
	config := filepath.Join(g.dir(), "ganesha.conf")
	if err := safefile.Write(config, []byte(g.configuration()), 0o600); err != nil {
		return err
	}
	o := g.object()
	if err := g.volume.pool.env.Journal.Making(o); err != nil {
		return err
	}
	cmd := g.peer.Command(context.WithoutCancel(ctx), "ganesha.nfsd", "-F", "-f", config,
		"-L", filepath.Join(g.dir(), "log"), "-p", filepath.Join(g.dir(), "pid"))
	cmd.Env = append(os.Environ(), g.volume.pool.env.Journal.Marker(o.Name))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := g.peer.Group.Start(cmd); err != nil {
		return fmt.Errorf("start NFS-Ganesha: %w", err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	o.PID, o.StartTime = cmd.Process.Pid, journal.StartTime(cmd.Process.Pid)
	if err := g.volume.pool.env.Journal.Made(o); err != nil {
		return err
	}
	return peers.Poll(ctx, time.Minute, "NFS-Ganesha to serve volume "+g.volume.name, func() (bool, error) {
		select {
		case <-ended:
			return false, fmt.Errorf("NFS-Ganesha ended: %s%s", strings.TrimSpace(out.String()), peers.Tail(filepath.Join(g.dir(), "log")))
		default:
		}
		return g.listens(), nil
	})
}

// listens looks into the kernel's table of the peer's sockets.
func (g *gateway) listens() bool {
	pid := g.peer.PID()
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			continue
		}
		if listening(string(text), g.port) && listening(string(text), g.port+1) {
			return true
		}
	}
	return false
}

// listening finds a listening socket (state 0A) of a port in /proc/net/tcp.
func listening(table string, port int) bool {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) > 3 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
			return true
		}
	}
	return false
}

// closes is how long a server may take to write its data and to close its files.
const closes = 20 * time.Second

// stop ends the server. It is asked first: one that is killed leaves the last writes
// of replicated files marked as unfinished, and the bricks then copy those files, which
// puts them into the caches that were just emptied.
func (g *gateway) stop(ctx context.Context) error {
	g.signal(syscall.SIGTERM)
	if err := g.ended(ctx, closes); err != nil {
		g.signal(syscall.SIGKILL)
		if err := g.ended(ctx, 30*time.Second); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(g.dir()); err != nil {
		return err
	}
	return g.volume.pool.env.Journal.Removed(g.object())
}

// processes returns the remaining processes of the server.
func (g *gateway) processes() (pids []int) {
	for _, f := range journal.Processes(g.volume.pool.env.RunID) {
		if f.Object == g.object().Name {
			pids = append(pids, f.PID)
		}
	}
	return pids
}

func (g *gateway) signal(s syscall.Signal) {
	for _, pid := range g.processes() {
		_ = syscall.Kill(pid, s) // gone already is as good
	}
}

func (g *gateway) ended(ctx context.Context, limit time.Duration) error {
	return peers.Poll(ctx, limit, "NFS-Ganesha to end", func() (bool, error) { return len(g.processes()) == 0, nil })
}

// restartGateways starts those that went with a peer.
func (p *Pool) restartGateways(ctx context.Context, r *peers.Peer) error {
	for _, v := range p.all() {
		if v.gateway == nil || v.gateway.peer != r {
			continue
		}
		if err := v.gateway.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// nfsClient mounts the volume, on the client host, and lives as long as the
// mount does.
func (v *volume) nfsClient(ctx context.Context) (*exec.Cmd, error) {
	server := v.gateway.peer.Host.Address
	config := nfs.Config{
		Name: v.pool.name + ":" + v.gateway.export(), Export: v.gateway.export(), Path: v.path,
		Address:      net.JoinHostPort(server, fmt.Sprint(v.gateway.port)),
		MountAddress: net.JoinHostPort(server, fmt.Sprint(v.gateway.port+1)),
		Kernel:       v.pool.kernelNFS,
	}
	path := filepath.Join(v.pool.env.Scratch, "log", v.name+".json")
	if err := config.Write(path); err != nil {
		return nil, err
	}
	return v.host().Command(ctx, v.pool.env.Executable, "nfsmount", "--config", path), nil
}

// nfsUsable names what access by NFS needs and this machine lacks.
func nfsUsable() error {
	for _, program := range []string{"ganesha.nfsd", "rpcbind"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("access by NFS needs %s; run: apt-get install nfs-ganesha nfs-ganesha-gluster rpcbind", program)
		}
	}
	found, err := filepath.Glob("/usr/lib*/*/ganesha/libfsalgluster.so")
	if more, _ := filepath.Glob("/usr/lib*/ganesha/libfsalgluster.so"); err == nil && len(found)+len(more) == 0 {
		return fmt.Errorf("access by NFS needs Ganesha's library for Gluster; run: apt-get install nfs-ganesha-gluster")
	}
	return nil
}
