import ctypes, os, time
if os.fork() == 0:
    os.setsid(); ctypes.CDLL(None).prctl(15, b"hopper"); end = time.time() + 4
    while time.time() < end:
        if os.fork(): os._exit(0)
        time.sleep(0.002)
    os._exit(0)
