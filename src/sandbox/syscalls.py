# System calls that Python's standard library has no function for, by number. Part of the fork server.
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
if sys.platform == 'linux':
    libc.syscall.restype = ctypes.c_long
    libc.syscall.argtypes = [ctypes.c_long] * 7
    libc.prctl.argtypes = [ctypes.c_ulong] * 5

# name: (x86-64, arm64); None where the architecture has no such call.
NUMBERS = {
    'read': (0, 63), 'write': (1, 64), 'open': (2, None), 'close': (3, 57), 'stat': (4, None), 'fstat': (5, 80),
    'lstat': (6, None), 'poll': (7, None), 'lseek': (8, 62), 'mmap': (9, 222), 'mprotect': (10, 226),
    'munmap': (11, 215), 'brk': (12, 214), 'rt_sigaction': (13, 134), 'rt_sigprocmask': (14, 135),
    'rt_sigreturn': (15, 139), 'ioctl': (16, 29), 'pread64': (17, 67), 'pwrite64': (18, 68), 'readv': (19, 65),
    'writev': (20, 66), 'access': (21, None), 'pipe': (22, None), 'select': (23, None), 'sched_yield': (24, 124),
    'mremap': (25, 216), 'msync': (26, 227), 'madvise': (28, 233), 'dup': (32, 23), 'dup2': (33, None),
    'pause': (34, None), 'nanosleep': (35, 101), 'getitimer': (36, 102), 'alarm': (37, None), 'setitimer': (38, 103),
    'getpid': (39, 172), 'sendfile': (40, 71), 'sendto': (44, 206), 'recvfrom': (45, 207), 'sendmsg': (46, 211),
    'recvmsg': (47, 212), 'shutdown': (48, 210), 'getsockname': (51, 204), 'getpeername': (52, 205),
    'socketpair': (53, 199), 'getsockopt': (55, 209), 'clone': (56, 220), 'fork': (57, None), 'vfork': (58, None),
    'exit': (60, 93), 'wait4': (61, 260), 'kill': (62, 129), 'uname': (63, 160), 'fcntl': (72, 25), 'flock': (73, 32),
    'fsync': (74, 82), 'fdatasync': (75, 83), 'truncate': (76, 45), 'ftruncate': (77, 46), 'getcwd': (79, 17),
    'chdir': (80, 49), 'fchdir': (81, 50), 'rename': (82, None), 'mkdir': (83, None), 'rmdir': (84, None),
    'creat': (85, None), 'chmod': (90, None), 'unlink': (87, None), 'symlink': (88, None), 'readlink': (89, None), 'umask': (95, 166),
    'gettimeofday': (96, 169), 'getrlimit': (97, 163), 'getrusage': (98, 165), 'sysinfo': (99, 179),
    'times': (100, 153), 'getuid': (102, 174), 'getgid': (104, 176), 'geteuid': (107, 175), 'getegid': (108, 177),
    'getppid': (110, 173), 'getpgrp': (111, None), 'getgroups': (115, 158), 'getresuid': (118, 148),
    'getresgid': (120, 150), 'getpgid': (121, 155), 'getsid': (124, 156), 'capset': (126, 91),
    'rt_sigpending': (127, 136), 'rt_sigtimedwait': (128, 137), 'rt_sigsuspend': (130, 133), 'sigaltstack': (131, 132),
    'statfs': (137, 43), 'fstatfs': (138, 44), 'getpriority': (140, 141), 'sched_getparam': (143, 121),
    'sched_getscheduler': (145, 120), 'sched_get_priority_max': (146, 125), 'sched_get_priority_min': (147, 126),
    'pivot_root': (155, 41), 'prctl': (157, 167), 'arch_prctl': (158, None), 'setrlimit': (160, 164),
    'mount': (165, 40), 'umount2': (166, 39), 'gettid': (186, 178), 'time': (201, None), 'futex': (202, 98),
    'sched_getaffinity': (204, 123), 'epoll_create': (213, None), 'getdents64': (217, 61),
    'set_tid_address': (218, 96), 'restart_syscall': (219, 128), 'fadvise64': (221, 223), 'clock_gettime': (228, 113),
    'clock_getres': (229, 114), 'clock_nanosleep': (230, 115), 'exit_group': (231, 94), 'epoll_wait': (232, None),
    'epoll_ctl': (233, 21), 'tgkill': (234, 131), 'openat': (257, 56), 'mkdirat': (258, 34), 'newfstatat': (262, 79),
    'unlinkat': (263, 35), 'renameat': (264, 38), 'symlinkat': (266, 36), 'readlinkat': (267, 78),
    'fchmodat': (268, 53), 'faccessat': (269, 48), 'pselect6': (270, 72), 'ppoll': (271, 73), 'unshare': (272, 97),
    'set_robust_list': (273, 99), 'get_robust_list': (274, 100), 'epoll_pwait': (281, 22), 'timerfd_create': (283, 85),
    'eventfd': (284, None), 'fallocate': (285, 47), 'timerfd_settime': (286, 86), 'timerfd_gettime': (287, 87),
    'eventfd2': (290, 19), 'epoll_create1': (291, 20), 'dup3': (292, 24), 'pipe2': (293, 59), 'preadv': (295, 69),
    'pwritev': (296, 70), 'prlimit64': (302, 261), 'getcpu': (309, 168), 'renameat2': (316, 276),
    'seccomp': (317, 277), 'getrandom': (318, 278), 'membarrier': (324, 283), 'copy_file_range': (326, 285),
    'preadv2': (327, 286), 'pwritev2': (328, 287), 'statx': (332, 291), 'rseq': (334, 293), 'clone3': (435, 435),
    'close_range': (436, 436), 'faccessat2': (439, 439), 'epoll_pwait2': (441, 441), 'mount_setattr': (442, 442),
    'landlock_create_ruleset': (444, 444), 'landlock_add_rule': (445, 445), 'landlock_restrict_self': (446, 446),
}

MACHINE = os.uname().machine
COLUMN = {'x86_64': 0, 'aarch64': 1, 'arm64': 1}.get(MACHINE) if sys.platform == 'linux' else None


def number(name):
    if COLUMN is None:
        raise OSError(0, f'no table of system calls for {sys.platform} on {MACHINE}')
    return NUMBERS[name][COLUMN]


def check(name, result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f'{name}: {os.strerror(code)}')
    return result


def syscall(name, *arguments):
    """Arguments are integers, bytes (a C string) or ctypes buffers."""
    plain = [pointer(value) for value in arguments]
    return check(name, libc.syscall(number(name), *plain, *[0] * (6 - len(plain))))


def pointer(value):
    if isinstance(value, bytes):
        return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value
    return value if isinstance(value, int) else ctypes.addressof(value)


def prctl(option, *arguments):
    return check('prctl', libc.prctl(option, *arguments, *[0] * (4 - len(arguments))))
