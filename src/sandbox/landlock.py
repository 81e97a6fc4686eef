# Landlock: which paths a process may use, given up by an ordinary user for good.
import struct

READ = 0b1100  # READ_FILE, READ_DIR
READ_FILE, WRITE_FILE, TRUNCATE = 1 << 2, 1 << 1, 1 << 14
# Not EXECUTE, MAKE_CHAR, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, REFER, IOCTL_DEV.
OWN = READ | WRITE_FILE | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | TRUNCATE


def landlock_version():
    """@raises OSError where the kernel has no Landlock, or it is off, or a container forbids it."""
    return syscall('landlock_create_ruleset', 0, 0, 1)


def landlock(version, readable, writable, devices):
    """Paths that are missing are left out. Before version 3 truncating is not covered: seccomp must forbid writing."""
    handled = (1 << 13) - 1
    handled |= 1 << 13 if version >= 2 else 0
    handled |= TRUNCATE if version >= 3 else 0
    handled |= 1 << 15 if version >= 5 else 0
    net = 3 if version >= 4 else 0
    scoped = 3 if version >= 6 else 0  # abstract sockets and signals
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack('=QQQ', handled, net, scoped), 24)
    rules = syscall('landlock_create_ruleset', attributes, size, 0)
    kinds = [(path, READ) for path in readable] + [(path, OWN) for path in writable]
    for path, access in kinds + [(path, READ_FILE | WRITE_FILE) for path in devices]:
        try:
            at = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        if not os.path.isdir(path):
            access &= READ_FILE | WRITE_FILE | TRUNCATE
        rule = ctypes.create_string_buffer(struct.pack('=Qi', access & handled, at), 12)
        syscall('landlock_add_rule', rules, 1, rule, 0)
        os.close(at)
    syscall('landlock_restrict_self', rules, 0)
    os.close(rules)
