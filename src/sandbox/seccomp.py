# Filters of system calls (seccomp-BPF). The fork server puts on the first, an allowlist, for good; each child puts on a
# second that takes away what only the server needs. So a call pays for a filter of two dozen instructions.
import struct

ALLOW, REFUSE, ABSENT, KILL_PROCESS = 0x7FFF0000, 0x50001, 0x50000 | 38, 0x80000000
EPERM_ON_WRITE = ('creat', 'mkdir', 'mkdirat', 'rmdir', 'unlink', 'unlinkat', 'rename', 'renameat', 'renameat2',
                  'symlink', 'symlinkat', 'truncate', 'chmod', 'fchmodat')
# What is allowed only with certain arguments, or only to the server, or not at all.
CONDITIONAL = {'open', 'openat', 'ioctl', 'fcntl', 'socketpair', 'sendto', 'clone', 'prctl', 'clone3'}
NEVER = {'unshare', 'mount', 'umount2', 'pivot_root', 'mount_setattr', 'capset', 'landlock_create_ruleset',
         'landlock_add_rule', 'landlock_restrict_self'}
THREAD, NAMESPACES = 0x10000, 0x7E020080  # CLONE_THREAD; CLONE_NEW*
WRITING = 0o3 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC: the same on both architectures
F_DUPFD_CLOEXEC, F_GETPIPE_SZ = 1030, 1032
# F_SETOWN and F_SETSIG stay out: with them a file event sends any signal to any process of the user.
FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, F_DUPFD_CLOEXEC, F_GETPIPE_SZ)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
SET_PDEATHSIG, SET_DUMPABLE, SET_NAME, GET_NAME, SET_SECCOMP = 1, 4, 15, 16, 22


def op(code, k, yes=0, no=0):
    return struct.pack('=HBBI', code, yes, no, k)


def load_word(offset):
    return op(0x20, offset)


def argument(index, high=False):
    return load_word(16 + 8 * index + 4 * high)


def answer(value):
    return op(0x06, value)


def when_equal(k, then):
    """Goes on after `then` unless the loaded word is k. `then` ends the filter."""
    return op(0x15, k, 0, len(then) // 8) + then


def when_any_bit(k, then):
    return op(0x45, k, 0, len(then) // 8) + then


def of_call(name, body):
    """`body` for calls of this name; it must end the filter."""
    nr = number(name)
    return b'' if nr is None else when_equal(nr, body)


def one_of(values, value_if, value_else):
    return b''.join(when_equal(value, answer(value_if)) for value in values) + answer(value_else)


def server_filter(writes):
    """@param writes whether something else confines them. Otherwise nothing can be opened for writing."""
    arch = {0: 0xC000003E, 1: 0xC00000B7}[COLUMN]
    program = load_word(4) + op(0x15, arch, 1, 0) + answer(KILL_PROCESS) + load_word(0)
    if COLUMN == 0:
        program += op(0x35, 0x40000000, 0, 1) + answer(KILL_PROCESS)  # the x32 calls
    opening = (lambda flags: answer(ALLOW)) if writes else (
        lambda flags: argument(flags) + when_any_bit(WRITING, answer(REFUSE)) + answer(ALLOW))
    program += of_call('openat', opening(2)) + of_call('open', opening(1))
    program += of_call('fcntl', argument(1) + one_of(FCNTL, ALLOW, REFUSE))
    program += of_call('ioctl', argument(1) + one_of(IOCTL, ALLOW, REFUSE))
    # A pair of streams and no destination: a datagram could be addressed to any socket of the host.
    program += of_call('socketpair', argument(0) + op(0x15, 1, 1, 0) + answer(REFUSE)
                       + argument(1) + op(0x54, 0xF) + one_of((1,), ALLOW, REFUSE))
    program += of_call('sendto', argument(4) + op(0x15, 0, 1, 0) + answer(REFUSE)
                       + argument(4, True) + one_of((0,), ALLOW, REFUSE))
    program += of_call('clone', argument(0) + when_any_bit(NAMESPACES, answer(REFUSE)) + answer(ALLOW))
    program += of_call('clone3', answer(ABSENT))  # its flags cannot be read; glibc falls back to clone
    program += of_call('prctl', argument(0) + one_of((SET_PDEATHSIG, SET_NAME, GET_NAME, SET_SECCOMP), ALLOW, REFUSE))
    refused = CONDITIONAL | NEVER | (set() if writes else set(EPERM_ON_WRITE))
    for name in NUMBERS:
        if name not in refused:
            program += of_call(name, answer(ALLOW))
    return program + answer(REFUSE)


def child_filter(pid, links):
    """
    What is left to a snippet: itself to signal, threads but no processes, and no more filters or limits.

    @param links whether it may see where symbolic links lead, which no other rule covers.
    """
    program = load_word(0)
    for name in ('fork', 'vfork', 'seccomp', 'setrlimit', 'sendmsg', 'recvmsg', 'chmod', 'fchmodat',
                 *(() if links else ('readlink', 'readlinkat'))):
        program += of_call(name, answer(REFUSE))
    program += of_call('clone', argument(0) + when_any_bit(THREAD, answer(ALLOW)) + answer(REFUSE))
    program += of_call('kill', argument(0) + one_of((pid,), ALLOW, REFUSE))
    program += of_call('tgkill', argument(0) + one_of((pid,), ALLOW, REFUSE))
    program += of_call('prctl', argument(0) + one_of((SET_NAME, GET_NAME), ALLOW, REFUSE))
    program += of_call('prlimit64', argument(2) + op(0x15, 0, 1, 0) + answer(REFUSE)
                       + argument(2, True) + one_of((0,), ALLOW, REFUSE))
    return program + answer(ALLOW)


class Filter:
    """A program ready for the kernel."""

    def __init__(self, program):
        self.code = ctypes.create_string_buffer(program, len(program))
        head = struct.pack('@HP', len(program) // 8, ctypes.addressof(self.code))
        self.head = ctypes.create_string_buffer(head, len(head))
        self.address = ctypes.addressof(self.head)

    def install(self):
        check('seccomp', libc.prctl(SET_SECCOMP, 2, self.address, 0, 0))


class ChildFilter(Filter):
    """Its program is made once; only the process id in it changes."""

    def __init__(self, links):
        mark = 0x7EADBEEF
        program = child_filter(mark, links)
        super().__init__(program)
        spot = struct.pack('=I', mark)
        self.spots = [i for i in range(0, len(program), 4) if program[i:i + 4] == spot]

    def install_for(self, pid):
        for spot in self.spots:
            struct.pack_into('=I', self.code, spot, pid)
        self.install()
