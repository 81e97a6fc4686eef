"""Starts a program on a machine that gives no boundary, as it looks to the program: Linux without namespaces and Landlock.

Usage: belowBoundary.py PROGRAM ARGUMENT...; x86-64 only.
"""
import ctypes
import errno
import os
import struct
import sys

# unshare, and the three calls of Landlock
REFUSED = (272, 444, 445, 446)
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2

program = [(LOAD, 0, 0, 0)]
for call in REFUSED:
    program += [(JUMP_IF_EQUAL, 0, 1, call), (RETURN, 0, 0, REFUSE)]
program.append((RETURN, 0, 0, ALLOW))
code = ctypes.create_string_buffer(b''.join(struct.pack('=HBBI', *line) for line in program))
head = ctypes.create_string_buffer(struct.pack('@HP', len(program), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_ulong] * 5
for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(head), 0, 0)):
    if libc.prctl(*arguments) != 0:
        raise SystemExit(f'prctl: {os.strerror(ctypes.get_errno())}')
os.execvp(sys.argv[1], sys.argv[1:])
