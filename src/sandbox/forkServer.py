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
FOLDER_GRACE = 0.05  # seconds between two looks at how much a call has written, where no file system limits it
SPACE = _socket.CMSG_SPACE(3 * 4)
RIGHTS = struct.Struct('=3i')


def template(settings):
    dies_with(settings['broker'])
    os.nice(settings['nice'])
    give_up_first()
    sock = _socket.socket(fileno=3)
    sys.path[:] = settings['sysPath']  # without the working folder
    load(settings['modules'], settings['warmUp'])
    prepare_to_run()
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
                confine(settings, slot, me)
            except BaseException as error:
                own.sendall(REFUSED + (getattr(error, 'strerror', None) or str(error)).encode()[:400])
                os._exit(1)
            serve(own, settings)
        os.close(end)


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


def dies_with(parent):
    if COLUMN is None:
        return
    prctl(SET_PDEATHSIG, _signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def confine(settings, slot, template_pid):
    level, memory, files = settings['level'], settings['memoryBytes'], settings['fileBytes']
    readable = settings['readable']
    folder = f"{settings['folder']}/{settings['kind']}-{slot}"
    os.mkdir(folder, 0o700)
    space = address_space()
    dies_with(template_pid)
    work = folder
    if level == 'namespaces':
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
    if level != 'limits':
        if can_be_nobody(settings['sysPath']):
            os.chown(work, NOBODY, NOBODY)
            become_nobody()
        drop_capabilities()
        prctl(SET_PDEATHSIG, _signal.SIGKILL)  # a change of user has undone it
    os.chdir(work)
    os.environ['HOME'] = os.environ['TMPDIR'] = work
    if version:
        landlock(version, readable, [work], DEVICES)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 128)
    limit(resource.RLIMIT_FSIZE, files)
    limit(resource.RLIMIT_AS, space + memory)
    if level != 'limits':
        Filter(server_filter(level == 'namespaces' or version >= 3)).install()
    elif COLUMN is not None:
        prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what a call leaves behind becomes ours to end


def serve(sock, settings):
    confined = settings['level'] != 'limits'
    looks = settings['level'] in ('landlock', 'limits')
    filter = ChildFilter() if confined else None
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
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                text = begin(code, output, errors, me, filter, cpu)
            except BaseException:
                os._exit(126)
            run(text, seed)
        for file in files:
            os.close(file)
        full = 0
        while True:
            ready = poll.poll(FOLDER_GRACE * 1000 if looks else None)
            if not ready and is_full(settings['fileBytes']):
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
        sock.sendall(FROM_SERVER.pack(DONE, full, status, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss))
        empty_folder()


def begin(code, output, errors, server, filter, cpu):
    os.dup2(output, 1)
    os.dup2(errors, 2)
    text = os.pread(code, os.fstat(code).st_size, 0)
    os.closerange(3, 128)
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    if filter is None:
        os.setsid()
        dies_with(server)
    else:
        dies_with(server)
        filter.install_for(os.getpid())
    return text


def is_full(most_bytes, most_files=256):
    """Looks into the working folder, which no file system limits at this level."""
    waiting, size, files = ['.'], 0, 0
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
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
    """@raises OSError when something stays: a server whose folder is not clean ends."""
    for name in os.listdir('.'):
        remove(name)


def remove(path):
    try:
        os.unlink(path)
    except (IsADirectoryError, PermissionError):
        for name in os.listdir(path):
            remove(f'{path}/{name}')
        os.rmdir(path)


def end_group(leader):
    """Without seccomp a snippet can have children; in a group of their own they have become ours."""
    try:
        os.killpg(leader, _signal.SIGKILL)
    except OSError:
        pass
    for _ in range(200):
        try:
            with open(f'/proc/self/task/{os.getpid()}/children') as file:
                left = file.read().split()
        except OSError:
            left = []
        for pid in left:
            os.kill(int(pid), _signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG if not left else 0)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)
