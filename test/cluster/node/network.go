package node

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/vishvananda/netlink"
)

// makeNetwork gives the node its address, on a bridge without ports: not every
// kernel has devices of type dummy.
func makeNetwork() error {
	loopback, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("make the network: %w", err)
	}
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "node0"
	bridge := &netlink.Bridge{LinkAttrs: attributes}
	own := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(address), Mask: net.CIDRMask(24, 32)}}
	if err := errors.Join(netlink.LinkSetUp(loopback), netlink.LinkAdd(bridge), netlink.AddrAdd(bridge, own), netlink.LinkSetUp(bridge)); err != nil {
		return fmt.Errorf("make the network: %w", err)
	}
	_, all, err := net.ParseCIDR(services)
	if err != nil {
		return err
	}
	// Without a route, programs on the node could not reach the addresses of
	// services, which are translated only on the way out.
	err = netlink.RouteReplace(&netlink.Route{LinkIndex: bridge.Index, Dst: all})
	if err == nil {
		err = os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0)
	}
	if err != nil {
		return fmt.Errorf("make the network: %w", err)
	}
	return nil
}
