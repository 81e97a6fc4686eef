import ctypes, threading, time
def stay():
    while True: time.sleep(0.05)
threading.Thread(target=stay, daemon=True).start()
print("left", flush=True)
ctypes.CDLL(None).syscall(60, 0)
