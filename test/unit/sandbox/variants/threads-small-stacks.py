import threading, time
threading.stack_size(32768)
n = 0
try:
    for i in range(1200):
        threading.Thread(target=time.sleep, args=(1,), daemon=True).start(); n += 1
except RuntimeError: pass
import os
print("threads", n, flush=True); os._exit(0)
