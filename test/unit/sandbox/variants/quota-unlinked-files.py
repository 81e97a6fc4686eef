import os, time
keep = []
for i in range(10):
    f = os.open("f", os.O_RDWR | os.O_CREAT); os.unlink("f"); keep.append(f)
    for _ in range(8): os.write(f, bytes(1 << 20))
time.sleep(0.3)
print("80 MB held")
