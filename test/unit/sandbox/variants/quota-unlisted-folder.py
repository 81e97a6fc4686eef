import os, time
os.mkdir("d", 0o300)
for i in range(10):
    with open(f"d/f{i}", "wb") as f:
        for _ in range(8): f.write(bytes(1 << 20))
time.sleep(0.3)
print("80 MB held")
