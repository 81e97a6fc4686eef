/** A snippet that tries something, and what is right: `@ARENA@` stands for a folder of a user with keys and answers. */
export interface Attack {
  readonly name: string;
  readonly code: string;
  /** Statuses that are right. */
  readonly status: readonly string[];
  /** What the output must match, and must not. */
  readonly out?: string | undefined;
  readonly not?: string | undefined;
  /** A call after it, and what that must print. */
  readonly followUp?: { readonly code: string; readonly out: string } | undefined;
  /** How many times it runs at once, with honest calls between that must come out right. 1 where it is not said. */
  readonly crowd?: number | undefined;
}

const any = ['ok', 'error', 'timeout', 'killed', 'outputLimit', 'memoryLimit'];
const fails = any.filter((status) => status !== 'ok');

const attack = (name: string, code: string, not: string, status: readonly string[] = any): Attack => ({
  name,
  code,
  not,
  status,
});
const benign = (name: string, code: string, out: string): Attack => ({ name, code, out, status: ['ok'] });
const ends = (name: string, code: string, status: readonly string[], out?: string): Attack => ({
  name,
  code,
  status,
  out,
});

/** Runs `calls` and prints `taken NAME` for each that is not refused. */
const each = (imports: string, calls: Readonly<Record<string, string>>) =>
  `import ${imports}\n${Object.entries(calls)
    .map(
      ([name, call]) =>
        `try:\n    ${call}\n    print("taken", "${name}")\nexcept (OSError, AttributeError, ImportError) as e: print(e)`,
    )
    .join('\n')}`;

const raw =
  'import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nl.syscall.restype = ctypes.c_long\nz = ctypes.create_string_buffer(4096)\n';

export const ownAttacks: readonly Attack[] = [
  // Resources
  ends('resource-spin', 'while True: pass', ['timeout']),
  ends(
    'resource-spin-deaf',
    'import signal\nfor s in range(1, 32):\n  if s not in (9, 19): signal.signal(s, lambda *_: None)\nwhile True: pass',
    ['timeout'],
  ),
  ends('resource-sleep', 'import time\nprint("a", flush=True)\ntime.sleep(99)', ['timeout'], '^a'),
  attack('resource-bytes', 'x = bytearray(3 * 10**9)\nprint("got it")', 'got it', fails),
  attack('resource-mmap', 'import mmap\nm = mmap.mmap(-1, 3 << 30)\nprint("got it")', 'got it', fails),
  attack(
    'resource-threads',
    'import threading, time\nn = 0\ntry:\n  for i in range(1500):\n    threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += 1\nexcept RuntimeError: pass\nprint("n", n)',
    'n 1[0-9]{3}',
  ),
  attack(
    'resource-big-file',
    'f = open("big", "wb")\nfor i in range(64): f.write(bytes(1 << 20)); f.flush()\nprint("all written")',
    'all written',
    fails,
  ),
  attack(
    'resource-many-big-files',
    'import time\nfor i in range(40):\n  open(f"f{i}", "wb").write(bytes(4 << 20))\ntime.sleep(0.3)\nprint("all written")',
    'all written',
    fails,
  ),
  attack(
    'resource-deep-folders',
    'import os, time\nfor i in range(3000):\n  os.mkdir("d"); os.chdir("d")\ntime.sleep(0.5)\nprint("all made")',
    'all made',
    fails,
  ),
  attack(
    'resource-hidden-folder',
    'import os, time\nos.umask(0); os.mkdir("d", 0o300)\nfor i in range(40):\n  open(f"d/f{i}", "wb").write(bytes(4 << 20))\ntime.sleep(0.3)\nprint("all written")',
    'all written',
    fails,
  ),
  attack(
    'resource-removed-files',
    'import os\nfiles = []\nfor i in range(99):\n  files.append(open("f", "wb")); files[-1].write(bytes(1 << 20)); files[-1].flush(); os.unlink("f")\nprint("all written")',
    'all written',
    fails,
  ),
  attack(
    'resource-small-threads',
    'import threading, time\nthreading.stack_size(32768)\nn = 0\ntry:\n  for i in range(1500):\n    threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += 1\nexcept RuntimeError: pass\nprint("n", n)',
    'n 1[0-9]{3}',
  ),
  attack(
    'resource-fill-shared',
    each('os', {
      ...Object.fromEntries(
        ['/tmp', '/var/tmp', '/dev/shm', '@ARENA@'].map((folder) => [
          folder,
          `p = f"${folder}/filled-{os.getpid()}"; open(p, "wb").write(bytes(9 << 20)); os.unlink(p)`,
        ]),
      ),
    }),
    'taken',
  ),
  attack(
    'resource-raise-limits',
    each('resource', {
      memory: 'resource.setrlimit(resource.RLIMIT_AS, (-1, -1))',
      cpu: 'resource.setrlimit(resource.RLIMIT_CPU, (9999, 9999))',
    }),
    'taken',
  ),
  attack(
    'resource-shared-memory',
    `${raw}print("taken" if l.syscall(29, 0, 1 << 30, 0o1600) >= 0 else "refused", "taken" if l.syscall(319, b"x", 0) >= 0 else "refused")`,
    'taken',
  ),
  // Processes and signals
  attack('process-fork', 'import os\nif os.fork() == 0: os._exit(0)\nprint("forked")', 'forked', fails),
  attack('process-spawn', 'import os\nos.posix_spawn("/bin/true", ["true"], {})\nprint("spawned")', 'spawned', fails),
  attack('process-shell', 'import os\nprint("ran", os.system("true") == 0)', 'ran True'),
  attack(
    'process-multiprocessing',
    'import multiprocessing as m\nif __name__ == "__main__":\n  p = m.Process(target=print, args=("CHILD",)); p.start(); p.join()',
    'CHILD',
    fails,
  ),
  attack(
    'process-kill-others',
    each('os, signal', {
      parent: 'os.kill(os.getppid(), 9) if os.getppid() else 1 / 0',
      all: 'os.kill(-1, 15)',
      group: 'os.killpg(os.getpgid(0), 15)',
    }),
    'taken',
  ),
  attack(
    'process-signal-by-owner',
    each('fcntl, os, socket', {
      owner: 'a, b = socket.socketpair(); fcntl.fcntl(a, fcntl.F_SETOWN, os.getppid()); fcntl.fcntl(a, 10, 9)',
    }),
    'taken',
  ),
  attack(
    'process-priority',
    each('os', {
      nice: 'os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)',
      affinity: 'os.sched_setaffinity(os.getppid(), {0})',
    }),
    'taken',
  ),
  attack(
    'process-limits-of-parent',
    each('resource, os', { parent: 'resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (4, 4))' }),
    'taken',
  ),
  attack(
    'process-kill-by-number',
    'import os\nn = 0\nfor pid in [os.getppid(), 1, *range(2, 70)]:\n  if pid != os.getpid():\n    try: os.kill(pid, 0); n += 1\n    except OSError: pass\nprint("reached" if n else "none")',
    'reached',
  ),
  ends('process-close-all', 'import os\nprint("a", flush=True)\nos.closerange(0, 99999)\nos._exit(3)', ['error'], '^a'),
  attack('process-session', each('os', { setsid: 'os.setsid()', setpgid: 'os.setpgid(0, 0)' }), 'taken'),
  // Files
  attack('file-read-key', 'print(open("@ARENA@/home/.ssh/id_rsa").read())', 'CANARY', fails),
  attack(
    'file-read-answer',
    'import os\nfd = os.open("@ARENA@/project/answer.json", os.O_RDONLY)\nprint(os.read(fd, 99))',
    'CANARY',
    fails,
  ),
  attack('file-read-passwd', 'print(open("/etc/passwd").read())', 'root:', fails),
  attack(
    'file-read-raw',
    `${raw}fd = l.syscall(257, -100, b"@ARENA@/project/answer.json", 0)\nprint(fd, l.syscall(0, fd, z, 99), z.value)`,
    'CANARY',
  ),
  attack(
    'file-list',
    each('os', { home: 'print(os.listdir("@ARENA@/home"))', root: 'print(os.listdir("/"))' }),
    'taken',
  ),
  attack(
    'file-link',
    each('os', {
      hard: 'os.link("@ARENA@/project/answer.json", "mine")',
      soft: 'os.symlink("@ARENA@/project/answer.json", "soft"); print(open("soft").read())',
    }),
    'taken|CANARY',
  ),
  attack(
    'file-write',
    each('os', {
      append: 'open("@ARENA@/home/.bashrc", "a").write("evil")',
      make: 'open("@ARENA@/project/new", "w")',
      folder: 'os.mkdir("@ARENA@/project/d")',
    }),
    'taken',
  ),
  attack(
    'file-remove',
    each('os', {
      unlink: 'os.unlink("@ARENA@/project/answer.json")',
      rename: 'os.rename("@ARENA@/project/answer.json", "@ARENA@/project/x")',
      truncate: 'os.truncate("@ARENA@/project/answer.json", 0)',
    }),
    'taken',
  ),
  attack(
    'file-attributes',
    each('os', {
      mode: 'os.chmod("@ARENA@/project/answer.json", 0o777)',
      time: 'os.utime("@ARENA@/project/answer.json", (1, 1))',
      owner: 'os.chown("@ARENA@/project/answer.json", os.getuid(), -1)',
      extra: 'os.setxattr("@ARENA@/project/answer.json", "user.x", b"1")',
    }),
    'taken',
  ),
  attack(
    'file-proc',
    each('os, glob', {
      environ: 'print([open(p, "rb").read() for p in glob.glob("/proc/[0-9]*/environ")][0])',
      own: 'print(open("/proc/self/maps").read()[:20])',
      root: 'print(os.listdir("/proc/self/root"))',
    }),
    'taken|CANARY',
  ),
  attack(
    'file-own-folder',
    each('os', {
      remove: 'd = os.getcwd(); os.chdir("/"); os.rmdir(d)',
      rename: 'os.rename(d, d + "-mine")',
      replace: 'os.symlink("@ARENA@/project", d + "-link")',
      above: 'os.rename(os.path.dirname(d), d + "x") if d.count("/") > 1 else 1 / 0',
      mode: 'os.chmod(d, 0)',
    }).replaceAll('ImportError)', 'ImportError, ZeroDivisionError)'),
    'taken',
  ),
  attack(
    'file-no-permissions',
    'import os\nfor name in ("a", "b", "c"):\n  os.umask(0); os.mkdir(name, 0o700); os.mkdir(f"{name}/in", 0o700); open(f"{name}/in/f", "w").write("x")\n  for path, mode in ((f"{name}/in", 0), (name, 0o300)):\n    try: os.chmod(path, mode)\n    except OSError: pass\nos.umask(0o777); os.mkdir("d"); open("e", "w").close(); os.chdir("a/in")',
    'nothing',
  ),
  attack('file-planted-module', 'import planted_helper\nprint(planted_helper.X)', 'PLANTED', ['error']),
  // Secrets
  attack(
    'secret-environment',
    'import os, ctypes\nprint(dict(os.environ))\ne = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")\ni = 0\nwhile e[i]: print(e[i]); i += 1',
    'CANARY',
  ),
  attack(
    'secret-other-calls',
    'import gc, re\nrx = re.compile("(PARENT_ANSWER|OTHER_TRAJ)_CAN[A]RY")\nprint("hits", sum(bool(rx.search(repr(o))) for o in gc.get_objects() if isinstance(o, (str, bytes, list, dict, tuple)) and len(o) < 400))',
    'hits [1-9]',
  ),
  {
    ...attack('secret-left-names', 'for i in range(9): open(f"LEFT_NAME_{i}", "w").close()', 'nothing'),
    followUp: {
      code: 'import ctypes, re\ntry: maps = open("/proc/self/maps").read()\nexcept OSError: maps = ""\nhits = 0\nfor line in maps.splitlines():\n  m = re.match("([0-9a-f]+)-([0-9a-f]+) rw", line)\n  if not m or "stack" in line: continue\n  a, b = int(m[1], 16), int(m[2], 16)\n  if b - a < 64 << 20: hits += bool(re.search(b"LEFT_NA[M]E_[0-9]", ctypes.string_at(a, b - a)))\nprint("hits", hits)',
      out: 'hits 0',
    },
  },
  {
    ...attack(
      'secret-left-input',
      'import os\ntry:\n  os.pwrite(0, b"OTHER_TRAJ_CANARY_8" * 9, 0); print("taken")\nexcept OSError as e: print(e)\ntry: print(os.ftruncate(0, 1 << 20), "taken")\nexcept OSError as e: print(e)',
      'taken',
    ),
    followUp: { code: 'import os\nprint(os.read(0, 99), 6 * 7)', out: "b'' 42" },
  },
  attack(
    'secret-left-folder',
    'import os\nprint(os.listdir("."), os.listdir(os.environ["TMPDIR"]))\nopen("OTHER_TRAJ_CANARY_9", "w").close()',
    'OTHER_TRAJ',
  ),
  // Network
  attack(
    'network-tcp',
    'import socket\nsocket.create_connection(("127.0.0.1", 47123), 2)\nprint("connected")',
    'connected',
    fails,
  ),
  attack(
    'network-abstract',
    'import socket\ns = socket.socket(socket.AF_UNIX); s.connect("\\0sbxcanary"); print("connected")',
    'connected',
    fails,
  ),
  attack(
    'network-datagram-pair',
    each('socket', {
      datagram: 'a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b"x", "\\0sbxcanary-datagram")',
    }),
    'taken',
  ),
  attack('network-netlink', 'import socket\nsocket.socket(16, 3, 0)\nprint("made")', 'made', fails),
  attack(
    'network-pass-files',
    each('socket, array', {
      files:
        'a, b = socket.socketpair(); a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])',
    }),
    'taken',
  ),
  // Kernel
  attack(
    'kernel-namespaces',
    `${raw}for n, a in ((272, (0x10000000,)), (56, (0x10000000 | 17, 0, 0, 0, 0)), (435, (z, 88)), (308, (3, 0)), (165, (b"n", b"/tmp", b"tmpfs", 0, 0))): print("taken" if l.syscall(n, *a) >= 0 else "refused")`,
    'taken',
  ),
  attack(
    'kernel-calls',
    `${raw}for n, a in ((425, (4, z)), (321, (0, z, 48)), (250, (0, -3, 1)), (323, (1,)), (298, (z, 0, -1, -1, 0)), (101, (16, 1, 0, 0)), (310, (1, z, 1, z, 1, 0)), (434, (1, 0)), (317, (1, 0, z)), (282, (-1, z, 8, 0)), (253, ())): print("taken" if l.syscall(n, *a) >= 0 else "refused")`,
    'taken',
  ),
  attack('kernel-x32', `${raw}print("pid", l.syscall(0x40000000 + 39))`, 'pid [1-9]'),
  attack(
    'kernel-undo',
    `${raw}print("taken" if l.prctl(1, 0, 0, 0, 0) == 0 or l.prctl(4, 1, 0, 0, 0) == 0 or l.prctl(36, 1, 0, 0, 0) == 0 else "refused")`,
    'taken',
  ),
  attack('kernel-terminal', 'import fcntl\nfcntl.ioctl(0, 0x5412, b"x")\nprint("pushed")', 'pushed', ['error']),
  // Output and status
  ends('output-flood', 'while True: print("x" * 99999)', ['outputLimit']),
  ends('output-flood-errors', 'import sys\nwhile True: sys.stderr.write("x" * 99999)', ['outputLimit']),
  ends(
    'output-forge',
    'import os, struct\nm = struct.pack("=cBxxiddq", b"d", 0, 0, 0, 0, 0)\nn = 0\nfor fd in range(3, 300):\n  try: os.write(fd, m); n += 1\n  except OSError: pass\nprint("wrote", n)\nraise SystemExit(3)',
    ['error'],
    'wrote 0',
  ),
  ends('output-closed', 'import os\nos.close(1); os.close(2)\nos._exit(5)', ['error']),
  ends('output-nonblocking', 'import os\nos.set_blocking(1, False)\nprint("fine")', ['ok'], 'fine'),
  // Ends
  ends('end-segfault', 'import ctypes\nctypes.string_at(0)', ['killed']),
  ends('end-kill-self', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)', ['killed']),
  ends('end-stop-self', 'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nprint("on")', [
    'killed',
    'timeout',
    'ok',
  ]),
  ends('end-exit-handler', 'import atexit\n@atexit.register\ndef f():\n  while True: pass', ['timeout']),
  ends('end-other-main', 'import sys, os\nsys.modules.clear()\nos._exit(4)', ['error']),
  // What must work
  benign(
    'works-threads',
    'from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(3) as p: print(sum(p.map(abs, [-1, -2, -3])))',
    '^6$',
  ),
  benign(
    'works-asyncio',
    'import asyncio\nasync def f():\n  await asyncio.sleep(0.01)\n  return 5\nprint(asyncio.run(f()))',
    '^5$',
  ),
  benign(
    'works-files',
    'import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n  p = os.path.join(d, "a"); open(p, "w").write("x"); os.rename(p, p + "2"); print(os.listdir(d))',
    'a2',
  ),
  benign(
    'works-library',
    'import decimal, fractions, itertools, json, re, statistics, datetime, zlib, sqlite3, csv, io, hashlib\nprint(fractions.Fraction(1, 3) + 1, hashlib.sha256(b"").hexdigest()[:4], sqlite3.connect(":memory:").execute("select 6*7").fetchone())',
    '4/3 e3b0 \\(42,\\)',
  ),
  {
    ...benign(
      'works-after-poison',
      'import math, builtins, sys\nmath.pi = 3; builtins.print = None; sys.modules["fractions"] = None',
      '',
    ),
    followUp: { code: 'import math, fractions\nprint(math.pi > 3.1, fractions.Fraction(1, 2))', out: 'True 1/2' },
  },
];
