"""Ports that are given before anybody listens on them."""

import random
import socket
from pathlib import Path

import pytest

from controller.processes import FIRST_LASTING, lasting_ports


def test_lasting_ports_are_free_different_and_given_to_no_connection() -> None:
    ports = lasting_ports(50)
    assert len(set(ports)) == 50
    given = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(given.read_text(encoding="ascii").split()[0]) if given.exists() else 32_768
    assert all(FIRST_LASTING <= port < max(lowest, FIRST_LASTING + 1) for port in ports)
    for port in ports:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", port))


def test_a_port_in_use_is_not_given() -> None:
    with socket.socket() as listener:
        random.seed(7)
        (port,) = lasting_ports(1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        random.seed(7)  # so the same one would be tried first
        assert lasting_ports(1) != [port]


def test_more_ports_than_there_are_is_an_error_that_says_so() -> None:
    with pytest.raises(OSError, match="60000 free ports below"):
        lasting_ports(60_000)
