import os
try:
    os.ftruncate(0, 0); os.pwrite(0, b"LEFT_CANARY_7\n", 0); os.lseek(0, 0, 0)
    print("left")
except OSError as e: print(e)
