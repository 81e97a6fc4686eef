# Seatbelt: what macOS lets a process do, given up for good. The call behind the program sandbox-exec.

SYSTEM = ('/System/Library', '/System/Volumes/Preboot/Cryptexes/OS', '/usr/lib', '/usr/share/zoneinfo', '/private/var/db/timezone')


def seatbelt_profile(readable, folder, devices):
    """Paths are those behind links, for that is how the kernel compares them."""
    def paths(kind, names):
        return ' '.join(f'({kind} "{quoted(os.path.realpath(name))}")' for name in names)

    return '\n'.join((
        '(version 1)',
        '(deny default)',
        '(allow sysctl-read)',
        '(allow process-info* (target self))',
        '(allow signal (target self))',
        '(allow file-read-metadata)',
        f'(allow file-read* {paths("subpath", [*readable, *SYSTEM, folder])} {paths("literal", devices)})',
        f'(allow file-write* {paths("subpath", [folder])})',
        f'(allow file-write-data {paths("literal", devices)})',
    ))


def quoted(path):
    return path.replace('\\', '\\\\').replace('"', '\\"')


class Seatbelt:
    def __init__(self, profile):
        self.profile = profile.encode()
        self.library = ctypes.CDLL('libsandbox.1.dylib', use_errno=True)
        self.library.sandbox_init.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p)]

    def install(self):
        message = ctypes.c_char_p()
        if self.library.sandbox_init(self.profile, 0, ctypes.byref(message)) != 0:
            raise OSError(0, f'sandbox_init: {(message.value or b"").decode("utf-8", "replace")}')
