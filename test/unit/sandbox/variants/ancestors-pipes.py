import os
pid, taken = os.getppid(), 0
for _ in range(4):
    for n in range(0, 64):
        try:
            if os.readlink(f"/proc/{pid}/fd/{n}").startswith("pipe:"): os.close(os.open(f"/proc/{pid}/fd/{n}", os.O_RDONLY | os.O_NONBLOCK)); taken += 1
        except OSError: pass
    try: pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
    except OSError: break
print("taken" if taken else "none")
