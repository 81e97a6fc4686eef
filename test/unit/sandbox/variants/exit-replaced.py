import os, sys
os._exit = lambda status: None
os.close = lambda file: None
f = sys._getframe()
while f.f_back: f = f.f_back
for name in ("wait4", "kill"): setattr(os, name, lambda *a: (0, 0, None))
print("went on")
sys.exit(3)
