import ctypes, struct
l = ctypes.CDLL(None, use_errno=True); l.syscall.restype = ctypes.c_long
code = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FC00000), 8)
head = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(code)), 16)
for name, r in (("notify", l.syscall(317, 1, 8, head)), ("prctl", l.prctl(22, 2, head, 0, 0)), ("nondumpable", l.prctl(4, 0, 0, 0, 0)), ("ptracer", l.prctl(0x59616D61, -1, 0, 0, 0)), ("tsc", l.prctl(26, 2, 0, 0, 0)), ("name of memory", l.prctl(35, 8, 1, 0, 0))):
    print("taken" if r >= 0 else "refused", name)
