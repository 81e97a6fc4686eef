import os
print(os.readlink("@ARENA@/home/.lock"))
