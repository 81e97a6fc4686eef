# Namespaces, and what a process gives up besides: users, capabilities, limits.
import resource
import struct

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
AT_FDCWD, AT_RECURSIVE, MNT_DETACH = -100, 0x8000, 2
NOBODY = 65534
DEVICES = ('/dev/null', '/dev/zero', '/dev/urandom', '/dev/random')


def mount(source, target, kind, flags, data=b''):
    try:
        syscall('mount', source.encode(), target.encode(), kind, flags, data)
    except OSError as error:
        raise OSError(error.errno, f'mount {target}: {os.strerror(error.errno)}')


def attributes_of(path, flags, attributes):
    change = ctypes.create_string_buffer(struct.pack('=QQQQ', attributes, 0, 0, 0), 32)
    syscall('mount_setattr', AT_FDCWD, path.encode(), flags, change, 32)


def unshare():
    """Own mounts, processes, network and queues; as an ordinary user by a user namespace of its own."""
    flags = NEWNS | NEWUTS | NEWIPC | NEWPID | NEWNET
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        try:
            return syscall('unshare', flags)
        except OSError:
            pass  # a container's root
    syscall('unshare', flags | NEWUSER)
    for name, line in (('setgroups', 'deny'), ('uid_map', f'{user} {user} 1'), ('gid_map', f'{group} {group} 1')):
        with open(f'/proc/self/{name}', 'w') as file:
            file.write(line)


def build_root(root, readable, quota_bytes, quota_files):
    """A root of its own over `root`: what is readable, a few devices, and a small /work in memory. No /proc."""
    mount('none', '/', 0, REC | PRIVATE)
    mount('tmpfs', root, b'tmpfs', NOSUID | NODEV, b'size=256k,mode=755')
    bound = []
    for path in sorted({*readable, *DEVICES}):
        if not os.path.exists(path) or any(path.startswith(f'{above}/') for above in bound):
            continue
        target = root + path
        os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
        if os.path.islink(path):
            os.symlink(os.readlink(path), target)
            continue
        if os.path.isdir(path):
            os.makedirs(target, 0o755, exist_ok=True)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        mount(path, target, 0, BIND | REC)
        attributes_of(target, AT_RECURSIVE, RDONLY | NOSUID | (0 if path in DEVICES else NODEV))
        bound.append(path)
    os.mkdir(f'{root}/work')
    own = f'size={quota_bytes},nr_inodes={quota_files},mode=700'
    mount('tmpfs', f'{root}/work', b'tmpfs', NOSUID | NODEV | NOEXEC, own.encode())
    os.chdir(root)
    syscall('pivot_root', b'.', b'.')
    syscall('umount2', b'.', MNT_DETACH)
    os.chdir('/work')
    attributes_of('/', 0, RDONLY)


def can_be_nobody(folders):
    """Root steps down to a user without rights, where that user can still import."""
    if os.geteuid() != 0:
        return False
    there = [folder for folder in folders if os.path.isdir(folder)]
    pid = os.fork()
    if pid == 0:
        try:
            become_nobody()
            for folder in there:
                os.listdir(folder)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def become_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def drop_capabilities():
    PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            pass  # not ours to drop, or the kernel has no such one
    head = ctypes.create_string_buffer(struct.pack('=Ii', 0x20080522, 0), 8)
    syscall('capset', head, ctypes.create_string_buffer(24))
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def address_space():
    """Bytes that this process has mapped already; 0 where that cannot be known."""
    try:
        with open('/proc/self/statm') as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def tasks_by_user():
    """Linux: processes and threads of all users, by their real ids."""
    counts = {}
    for name in os.listdir('/proc') if sys.platform == 'linux' else ():
        if not name.isdigit():
            continue
        try:
            with open(f'/proc/{name}/status') as file:
                facts = dict(line.split(':', 1) for line in file)
            user = int(facts['Uid'].split()[0])
            counts[user] = counts.get(user, 0) + int(facts['Threads'])
        except (OSError, KeyError):
            pass  # it has ended
    return counts


def limit(which, value):
    try:
        resource.setrlimit(which, (value, value))
    except (ValueError, OSError):
        pass  # a lower limit is in force, or the system has none of this kind
