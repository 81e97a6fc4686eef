# A fork server. The template is started by the broker, loads modules once and forks a server per slot. A server gives up
# all that it can for good, then forks a child per call and tells the broker how the kernel says that it ended. It never
# sees code or output: the code comes as a file that only the child reads, and the pipes lead to the broker.
#
# On the wire, each message of one size. To a template: a slot's number, with its socket. To a server: RUN with the seed,
# and code, stdout, stderr as files; or KILL. From a server: READY, or REFUSED and why; then DONE for each call.
import _socket
import gc
import select
import struct
import time

TO_SERVER, FROM_SERVER = struct.Struct('=cxxxI'), struct.Struct('=cBxxiddq')
RUN, KILL, READY, REFUSED, DONE = b'r', b'k', b'y', b'n', b'd'
LAST = 2  # beside whether the folder was full: it does not come clean, and another server must take the next call
UNFILTERED = ('seatbelt', 'limits')  # without seccomp
FOLDER_GRACE = 0.05  # seconds between two looks at how much a call has written, where no file system limits it
SPACE = _socket.CMSG_SPACE(3 * 4)
RIGHTS = struct.Struct('=3i')
# Files that a call may have open: one that is open and removed is seen by no quota but that of a file system. And its
# threads, beside what its user has.
MOST_FILES, MORE_TASKS = 16, 256


def template(settings):
    dies_with(settings['broker'])
    os.nice(settings['nice'])
    give_up_first()
    sock = _socket.socket(fileno=3)
    sys.path[:] = settings['sysPath']  # without the working folder
    load(settings['modules'], settings['warmUp'])
    prepare_to_run()
    hide()
    nothing = os.open('/dev/null', os.O_RDONLY)
    os.dup2(nothing, 0)  # what was there could be written, and all calls would share it
    os.close(nothing)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_IGN)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    gc.collect()
    gc.freeze()
    me = os.getpid()
    while True:
        message, ancillary, _, _ = sock.recvmsg(TO_SERVER.size, SPACE)
        if not message:
            os._exit(0)
        slot = TO_SERVER.unpack(message)[1]
        (end,) = struct.unpack('=i', ancillary[0][2][:4])
        if os.fork() == 0:
            sock.close()
            _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
            own = _socket.socket(fileno=end)
            try:
                tasks, belt = confine(settings, slot, me)
            except BaseException as error:
                own.sendall(REFUSED + reason_of(error).encode()[:400])
                os._exit(1)
            serve(own, settings, slot, tasks, belt)
        os.close(end)


def reason_of(error):
    words = getattr(error, 'strerror', None) or str(error)
    path = getattr(error, 'filename', None)
    return f'{words}: {path}' if path else words


def load(modules, warm_up):
    for name in modules:
        try:
            __import__(name)
        except Exception:
            pass
    try:
        exec(warm_up, {})
    except Exception:
        pass
    try:
        threads = len(os.listdir('/proc/self/task'))
    except OSError:
        threads = 1
    if threads > 1:
        raise SystemExit('a module started threads: a fork of them would hang')


def give_up_first():
    try:
        with open('/proc/self/oom_score_adj', 'w') as file:
            file.write('800')
    except OSError:
        pass  # not Linux


def hide():
    """Nothing of this process can be opened through /proc, by whoever else its user runs."""
    if COLUMN is not None:
        prctl(SET_DUMPABLE, 0)


def dies_with(parent):
    if COLUMN is None:
        return
    prctl(SET_PDEATHSIG, _signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def confine(settings, slot, template_pid):
    """
    @returns how many processes and threads the user that is left may have, for the kernel counts by user; and what only
        a child can put on, for a server has to fork.
    """
    level, memory, files = settings['level'], settings['memoryBytes'], settings['fileBytes']
    readable = settings['readable']
    folder = make_folder(settings, slot)
    space, tasks = address_space(), tasks_by_user()
    dies_with(template_pid)
    work = folder
    if level == 'namespaces':
        prctl(SET_DUMPABLE, 1)  # or the files that map users could not be written
        unshare()
        me = os.getpid()
        pid = os.fork()
        if pid:
            os.closerange(0, 64)
            os.waitpid(pid, 0)
            os._exit(0)
        prctl(SET_PDEATHSIG, _signal.SIGKILL)
        work = '/work'
    version = 0
    if level in ('namespaces', 'landlock'):
        try:
            version = landlock_version()
        except OSError:
            if level == 'landlock':
                raise
    if level == 'namespaces':
        build_root(folder, readable, files, 256)
    if can_be_nobody(settings['sysPath']):
        os.chown(work, NOBODY, NOBODY)
        become_nobody()
    if COLUMN is not None:
        drop_capabilities()
        prctl(SET_PDEATHSIG, _signal.SIGKILL)  # a change of user has undone it
    hide()
    os.chdir(work)
    os.environ['HOME'] = os.environ['TMPDIR'] = work
    if version:
        landlock(version, readable, [work], DEVICES)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_FSIZE, files if level == 'namespaces' else files // 4)
    limit(resource.RLIMIT_AS, space + memory)
    if level not in UNFILTERED:
        Filter(server_filter(level == 'namespaces' or version >= 3)).install()
    elif COLUMN is not None:
        prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what a call leaves behind becomes ours to end
    belt = Seatbelt(seatbelt_profile(readable, os.path.realpath(work), DEVICES)) if level == 'seatbelt' else None
    return tasks.get(os.getuid(), 0) + MORE_TASKS, belt


def make_folder(settings, slot):
    """Where nothing confines it, code may have removed the sandbox's folder, or have put something in the place of ours."""
    os.makedirs(settings['folder'], 0o711, exist_ok=True)
    folder = f"{settings['folder']}/{settings['kind']}-{slot}-{os.urandom(4).hex()}"
    os.mkdir(folder, 0o700)
    return folder


def serve(sock, settings, slot, tasks, belt):
    level = settings['level']
    confined = level not in UNFILTERED
    looks = level == 'landlock' or not confined
    filter = ChildFilter(links=level == 'namespaces') if confined else None
    cpu = settings['cpuSeconds']
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    _signal.set_wakeup_fd(wake)
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    poll.register(woken, select.POLLIN)
    me = os.getpid()
    sock.sendall(FROM_SERVER.pack(READY, 0, 0, 0, 0, 0))
    while True:
        message, ancillary, _, _ = sock.recvmsg(TO_SERVER.size, SPACE)
        if not message:
            os._exit(0)
        what, seed = TO_SERVER.unpack(message)
        if what != RUN:
            continue  # a kill that crossed the end of its call
        code, output, errors = files = RIGHTS.unpack(ancillary[0][2])
        if not confined and os.stat('.').st_nlink == 0:
            os.environ['HOME'] = os.environ['TMPDIR'] = folder = make_folder(settings, slot)
            os.chdir(folder)
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                text = begin(code, output, errors, me, filter, cpu, tasks)
                if belt:
                    belt.install()
            except BaseException as error:
                os.write(2, reason_of(error).encode())
                os._exit(126)
            run(text, seed)
        for file in files:
            os.close(file)
        full = 0
        while True:
            ready = poll.poll(FOLDER_GRACE * 1000 if looks else None)
            if not ready and not is_empty() and not in_fork(lambda: not is_full(settings['fileBytes'])):
                full = 1
                os.kill(pid, _signal.SIGKILL)
            for file, _ in ready:
                if file == woken:
                    os.read(woken, 512)
                else:
                    lost = not sock.recv(TO_SERVER.size)
                    os.kill(pid, _signal.SIGKILL)
                    if lost:
                        end_group(pid)
                        os._exit(0)
            ended, status, usage = os.wait4(pid, os.WNOHANG | os.WUNTRACED)
            if ended and os.WIFSTOPPED(status):
                os.kill(pid, _signal.SIGKILL)
            elif ended:
                break
        seconds = time.monotonic() - began
        if not confined:
            end_group(pid)
        try:
            clean = is_empty() or in_fork(empty_folder)
        except OSError:
            clean = False
        seen = full + (0 if clean else LAST)
        sock.sendall(FROM_SERVER.pack(DONE, seen, status, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss))
        if not clean:
            os._exit(0)


def begin(code, output, errors, server, filter, cpu, tasks):
    os.dup2(output, 1)
    os.dup2(errors, 2)
    text = os.pread(code, os.fstat(code).st_size, 0)
    os.closerange(3, 64)
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    limit(resource.RLIMIT_NPROC, tasks)
    limit(resource.RLIMIT_NOFILE, MOST_FILES)
    if filter is None:
        os.setsid()
        dies_with(server)
    else:
        dies_with(server)
        filter.install_for(os.getpid())
    return text


def in_fork(work):
    """
    Names of files are read by a process of their own, for what a server has read, a later call finds in its memory.

    @returns whether `work` came to its end and did not say False.
    """
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            dies_with(server)
            os._exit(1 if work() is False else 0)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


ENTRIES = ctypes.create_string_buffer(4096)


def is_empty():
    """@raises OSError when the working folder is no longer there."""
    if COLUMN is None:
        return not os.listdir('.')
    folder = os.open('.', os.O_RDONLY | os.O_DIRECTORY)
    try:
        # The two that every folder has, of 24 bytes each, then nothing.
        return [syscall('getdents64', folder, ENTRIES, 4096) for _ in range(2)] == [48, 0]
    finally:
        ctypes.memset(ENTRIES, 0, 4096)
        os.close(folder)


def is_full(most_bytes, most_files=256):
    """Looks into the working folder, which no file system limits at this level."""
    waiting, size, files = ['.'], 0, 0
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except PermissionError:
            return True  # made so, to hide what is in it
        except OSError:
            continue
        files += len(entries)
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
            except OSError:
                pass
        if files > most_files or size > most_bytes:
            return True
    return False


def empty_folder():
    """
    Removes all that is in the working folder, folder by folder, for a path has at most 4096 bytes.

    @raises OSError when something stays.
    """
    left = [os.listdir('.')]
    while True:
        if left[-1]:
            name = left[-1].pop()
            try:
                os.unlink(name)
            except (IsADirectoryError, PermissionError):
                os.chmod(name, 0o700)
                os.chdir(name)
                left[-1].append(name)
                left.append(os.listdir('.'))
        elif len(left) > 1:
            left.pop()
            os.chdir('..')
            os.rmdir(left[-1].pop())
        else:
            return


def end_group(leader):
    """Without seccomp a snippet can have children; in a group of their own they have become ours."""
    try:
        os.killpg(leader, _signal.SIGKILL)
    except OSError:
        pass
    for _ in range(2000):
        try:
            with open(f'/proc/self/task/{os.getpid()}/children') as file:
                left = [int(pid) for pid in file.read().split()]
        except OSError:
            left = []
        for pid in left:
            os.kill(pid, _signal.SIGKILL)
        for pid in left or [-1]:
            try:
                os.waitpid(pid, 0 if left else os.WNOHANG)
            except ChildProcessError:
                if not left:
                    return
