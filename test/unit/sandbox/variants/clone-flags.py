import ctypes, os, mmap
l = ctypes.CDLL(None, use_errno=True); l.syscall.restype = ctypes.c_long
THREAD, VM, SIGHAND, PARENT, PIDFD = 0x10000, 0x100, 0x800, 0x8000, 0x1000
for flags in (THREAD | 0x20000000 | VM | SIGHAND, THREAD | 0x40000000 | VM | SIGHAND, VM | SIGHAND | PARENT | 17, PIDFD | 17, 0x80000000 | 17):
    r = l.syscall(56, ctypes.c_ulong(flags), 0, 0, 0, 0)
    if r == 0: os._exit(9)
    print("cloned" if r > 0 else "refused")
