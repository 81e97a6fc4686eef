"""Python as macOS has it, as far as that can be imitated on Linux: without what only Linux has. Its Seatbelt is
`RETOOL_SEATBELT`, in the text below: "absent", "refusing", or "idle", which takes a profile and confines nothing."""
import builtins
import ctypes
import errno
import os
import sys
from types import SimpleNamespace

SEATBELT, PROFILE = '@SEATBELT@', '@PROFILE@'
sys.platform = 'darwin'
for name in ('memfd_create', 'setresuid', 'setresgid', 'getresuid', 'O_PATH', 'unshare', 'sched_getaffinity'):
    if hasattr(os, name):
        delattr(os, name)

real = {'open': builtins.open, 'listdir': os.listdir}


def without_proc(function):
    def call(path='.', *arguments, **named):
        if str(path).startswith('/proc'):
            raise FileNotFoundError(errno.ENOENT, 'No such file or directory', path)
        return function(path, *arguments, **named)

    return call


builtins.open, os.listdir = without_proc(builtins.open), without_proc(os.listdir)


class Init:
    def __call__(self, profile, flags, message):
        with real['open'](PROFILE, 'ab') as file:
            file.write(profile)
        if SEATBELT == 'idle':
            return 0
        message._obj.value = b'operation not permitted by policy'
        return -1


def library(name=None, *_, **__):
    if name is None:
        return SimpleNamespace()
    if SEATBELT == 'absent':
        raise OSError('dlopen(libsandbox.1.dylib): image not found')
    return SimpleNamespace(sandbox_init=Init())


ctypes.CDLL = library
at = sys.argv.index('-c')
code, sys.argv = sys.argv[at + 1], ['-c', *sys.argv[at + 2:]]
exec(compile(code, '<string>', 'exec'), {'__name__': '__main__'})
