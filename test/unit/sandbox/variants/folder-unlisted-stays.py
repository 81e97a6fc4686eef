import os
os.mkdir("d", 0o300)
open("d/f", "w").write("x")
print("made")
