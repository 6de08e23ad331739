"""What an address says about where something is. Pure: no name is looked up."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this computer itself.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1")]
    [True, True, True, True]
    >>> [is_loopback(host) for host in ("192.168.1.20", "broker.example", "", "127.0.0.1.example")]
    [False, False, False, False]
    """
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback
