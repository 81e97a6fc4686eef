import os, time
parent, pipes = os.getppid(), []
for n in range(3, 32):
    try: pipes.append(os.open(f"/proc/{parent}/fd/{n}", os.O_RDWR | os.O_NONBLOCK))
    except OSError: pass
print("pipes", len(pipes), flush=True)
end = time.time() + 0.8
while pipes and time.time() < end:
    for p in pipes:
        try: os.write(p, b"x"); os.read(p, 9)
        except OSError: pass
