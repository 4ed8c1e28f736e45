package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Both are SO_ORIGINAL_DST, of IPv4 and of IPv6.
const originalDestination = 80

// originally is where a redirected connection was meant to go.
func originally(connection *net.TCPConn) string {
	raw, err := connection.SyscallConn()
	check(err)
	var wanted netip.AddrPort
	check(raw.Control(func(descriptor uintptr) {
		if connection.LocalAddr().(*net.TCPAddr).IP.To4() != nil {
			wanted, err = originally4(int(descriptor))
		} else {
			wanted, err = originally6(int(descriptor))
		}
	}))
	check(err)
	return wanted.String()
}

func originally4(descriptor int) (netip.AddrPort, error) {
	// The structure that is asked for happens to be large enough for a sockaddr_in.
	found, err := unix.GetsockoptIPv6Mreq(descriptor, unix.IPPROTO_IP, originalDestination)
	if err != nil {
		return netip.AddrPort{}, err
	}
	address := found.Multiaddr
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(address[4:8])), binary.BigEndian.Uint16(address[2:4])), nil
}

func originally6(descriptor int) (netip.AddrPort, error) {
	found, err := unix.GetsockoptIPv6MTUInfo(descriptor, unix.IPPROTO_IPV6, originalDestination)
	if err != nil {
		return netip.AddrPort{}, err
	}
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&found.Addr.Port))[:])
	return netip.AddrPortFrom(netip.AddrFrom16(found.Addr.Addr), port), nil
}
