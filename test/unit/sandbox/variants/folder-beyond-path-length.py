import os
for i in range(40):
    os.mkdir("n" * 255); os.chdir("n" * 255)
open("f", "w").write("x")
print("made")
