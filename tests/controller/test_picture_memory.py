"""Buffers of a picture's size cost page faults once, not with every picture."""

import platform
import subprocess
import sys

import pytest

ROUNDS = 20
BUFFERS = 5
BUFFER = 6_220_800
PROGRAM = f"""
import resource
import numpy as np
from controller.picture_memory import keep_picture_memory
assert keep_picture_memory()
def picture():
    buffers = [np.ones({BUFFER}, np.uint8) for _ in range({BUFFERS})]
picture()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({ROUNDS}):
    picture()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library has no mallopt")
def test_buffers_that_come_and_go_are_the_same_memory() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    once = BUFFERS * BUFFER / 4096
    assert int(done.stdout) < 2 * once
