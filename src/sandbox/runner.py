# Prepares the process, then runs the code that it finds on its standard input. Every millisecond here is paid on every
# call, so it imports nothing that is written in Python, and leaves without tearing the interpreter down.
#
# File 0 carries a mark and the code, is emptied when the code begins, and at the end gets CPU seconds and peak bytes: a
# report of the process about itself, for display only.


def run(sys_path, lifeline, wall_seconds, cpu_seconds, memory_bytes, file_bytes):
    import sys

    sys.path[:] = sys_path
    import _ast, _signal, builtins, fcntl, posix, resource, time

    seed = int(sys.argv[1]) % 2**32
    sys.argv[:] = ['']
    posix.closerange(3, 256)  # the host's own parent may have left some open

    # A host killed with -9 lets go of its end of the FIFO, and the kernel then kills this process group, whatever it is
    # doing; a thread that watches would cost more and a busy interpreter would starve it. Where the signal cannot be
    # chosen (macOS), and for code that closes the FIFO, the timer and the CPU limit remain.
    if sys.platform == 'linux':
        F_SETSIG, O_ASYNC = 10, 0o20000
        end = posix.open(lifeline, posix.O_RDONLY | posix.O_NONBLOCK)
        fcntl.fcntl(end, F_SETSIG, _signal.SIGKILL)
        fcntl.fcntl(end, fcntl.F_SETOWN, -posix.getpid())
        fcntl.fcntl(end, fcntl.F_SETFL, posix.O_NONBLOCK | O_ASYNC)
        try:
            posix.read(end, 1)
            posix._exit(1)  # no writer: the host is gone already
        except BlockingIOError:
            pass
    _signal.setitimer(_signal.ITIMER_REAL, wall_seconds + 1)
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)

    def limit(which, soft, hard):
        try:
            resource.setrlimit(which, (soft, hard))
        except (ValueError, OSError):
            pass  # a lower limit is in force, or the system has none of this kind

    limit(resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1)
    limit(resource.RLIMIT_AS, memory_bytes, memory_bytes)
    limit(resource.RLIMIT_FSIZE, file_bytes, file_bytes)
    limit(resource.RLIMIT_CORE, 0, 0)
    posix.nice(5)

    find = sys.meta_path[-1].find_spec

    class Seeding:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name not in ('random', 'numpy.random'):
                return None
            spec = find(name, path, target)
            if spec and spec.loader:
                load = spec.loader.exec_module

                def load_seeded(module):
                    load(module)
                    module.seed(seed)

                spec.loader.exec_module = load_seeded
            return spec

    sys.meta_path.insert(0, Seeding)

    runner = sys.modules['__main__']  # kept: its names are these
    main = sys.modules['__main__'] = type(sys)('__main__')
    names = main.__dict__
    names['__builtins__'] = builtins
    builtins.exit = builtins.quit = sys.exit
    show = print

    code = posix.read(0, posix.fstat(0).st_size)[1:]
    posix.ftruncate(0, 0)
    status = 0
    try:
        tree = compile(str(code, 'utf-8'), '<code>', 'exec', _ast.PyCF_ONLY_AST, True)
        last = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr):
            last = compile(_ast.Expression(tree.body.pop().value), '<code>', 'eval', 0, True)
        if tree.body:
            exec(compile(tree, '<code>', 'exec', 0, True), names)
        if last is not None:
            value = eval(last, names)
            if value is not None:
                show(value)
    except SystemExit as leaving:
        if isinstance(leaving.code, int):
            status = leaving.code & 255
        elif leaving.code is not None:
            status = 1
            show(leaving.code, file=sys.__stderr__)
    except BaseException as error:
        status = 1
        sys.stderr = sys.__stderr__
        error.__traceback__ = error.__traceback__.tb_next
        sys.__excepthook__(type(error), error, error.__traceback__)

    try:
        if 'threading' in sys.modules:
            sys.modules['threading']._shutdown()
        if 'atexit' in sys.modules:
            sys.modules['atexit']._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:
        pass
    try:
        peak = 0
        if sys.platform == 'linux':
            own = posix.open('/proc/self/status', posix.O_RDONLY)
            peak = int(posix.read(own, 4096).partition(b'VmHWM:')[2].split(None, 1)[0]) * 1024
        posix.pwrite(0, b'%f %d' % (time.process_time(), peak), 0)
    except BaseException:
        pass
    posix._exit(status)
