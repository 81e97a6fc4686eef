import os, re
need, pid, found = re.compile(b"PARENT_ANSWER" + b"_CANARY_1"), os.getppid(), 0
for _ in range(6):
    try:
        with open(f"/proc/{pid}/maps") as f: maps = f.read()
        with open(f"/proc/{pid}/mem", "rb", 0) as mem:
            for line in maps.splitlines():
                m = re.match("([0-9a-f]+)-([0-9a-f]+) rw", line)
                if not m: continue
                a, b = int(m[1], 16), int(m[2], 16)
                if b - a > 16 << 20: continue
                try: mem.seek(a); found += len(need.findall(mem.read(b - a)))
                except (OSError, ValueError, OverflowError): pass
        pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
    except OSError: break
print("found", found > 0)
