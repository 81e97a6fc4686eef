import sys, builtins, gc
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None): raise ImportError("FINDER")
sys.meta_path.insert(0, Finder)
sys.path_hooks.insert(0, lambda path: 1 / 0); sys.path_importer_cache.clear(); sys.path.clear()
builtins.__import__ = lambda *a, **k: 1 / 0
gc.callbacks.append(lambda *a: print("GC"))
