# Runs one snippet in the process that was forked for it, as its main module, and ends that process.
import _ast
import _signal
import builtins

FIND = sys.meta_path[-1].find_spec


class Seeding:
    """Seeds the generators of modules that are imported by the snippet; what is loaded already is seeded at the start."""

    seed = 0

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in SEEDED:
            return None
        spec = FIND(name, path, target)
        if spec and spec.loader:
            load = spec.loader.exec_module

            def load_seeded(module):
                load(module)
                SEEDED[name](module, Seeding.seed)

            spec.loader.exec_module = load_seeded
        return spec


def seed_numpy(module, seed):
    module.seed(seed)
    # default_rng() without a seed asks this for its entropy.
    generators = sys.modules.get('numpy.random.bit_generator')
    if generators is not None and hasattr(generators, 'randbits'):
        import random

        generators.randbits = random.Random(seed).getrandbits


SEEDED = {
    'random': lambda module, seed: module.seed(seed),
    'numpy.random': seed_numpy,
    'sympy.core.random': lambda module, seed: module.seed(seed),
}


def seed_loaded(seed):
    Seeding.seed = seed
    for name, start in SEEDED.items():
        module = sys.modules.get(name)
        if module is not None:
            start(module, seed)


def prepare_to_run():
    sys.meta_path.insert(0, Seeding)
    sys.argv[:] = ['']
    builtins.exit = builtins.quit = sys.exit


def run(code, seed):
    show = print
    main = sys.modules['__main__'] = type(sys)('__main__')
    names = main.__dict__
    names['__builtins__'] = builtins
    status = 0
    try:
        seed_loaded(seed)
        quiet = code[:1] == b'\xff'  # no UTF-8 has it: the value of a last expression is not printed
        tree = compile(str(code[quiet:], 'utf-8'), '<code>', 'exec', _ast.PyCF_ONLY_AST, True)
        del code
        last = None
        if not quiet and tree.body and isinstance(tree.body[-1], _ast.Expr):
            last = compile(_ast.Expression(tree.body.pop().value), '<code>', 'eval', 0, True)
        if tree.body:
            exec(compile(tree, '<code>', 'exec', 0, True), names)
        if last is not None:
            value = eval(last, names)
            if value is not None:
                show(value)
    except SystemExit as leaving:
        if isinstance(leaving.code, int):
            status = leaving.code & 255
        elif leaving.code is not None:
            status = 1
            show(leaving.code, file=sys.__stderr__)
    except BaseException as error:
        status = 1
        sys.stderr = sys.__stderr__
        error.__traceback__ = error.__traceback__.tb_next
        sys.__excepthook__(type(error), error, error.__traceback__)
    try:
        if 'threading' in sys.modules:
            sys.modules['threading']._shutdown()
        if 'atexit' in sys.modules:
            sys.modules['atexit']._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:
        pass
    os._exit(status)
