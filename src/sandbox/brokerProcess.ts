import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { execa } from 'execa';
import * as z from 'zod';
import { Emitter } from '../lib/lifecycle';
import { lastLine } from '../lib/readableText';
import { type RefusedLevel, type SandboxLevel, sandboxLevels } from '../schema/sandboxLevels';
import broker from './broker.py';
import {
  type CallFrame,
  cancelFrame,
  FrameReader,
  frameKind,
  type ResultFrame,
  readResult,
  runFrame,
} from './brokerFrames';
import forkServer from './forkServer.py';
import type { Interpreter } from './interpreter';
import jail from './jail.py';
import landlock from './landlock.py';
import seatbelt from './seatbelt.py';
import seccomp from './seccomp.py';
import type { ServerKind } from './serverKinds';
import snippet from './snippet.py';
import syscalls from './syscalls.py';

export interface BrokerSettings {
  readonly interpreter: Interpreter;
  readonly kinds: readonly ServerKind[];
  /** Levels that may be tried, best first. */
  readonly levels: readonly SandboxLevel[];
  /** Of the sandbox; its name is on the command line of all its processes. */
  readonly folder: string;
  readonly slots: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly outputBytes: number;
  readonly memoryBytes: number;
  /** Longest file, and all the files of a call together. */
  readonly fileBytes: number;
  /** Output at which a call is ended. */
  readonly floodBytes: number;
}

const Hello = z.object({
  level: z.enum(sandboxLevels).nullable(),
  refused: z.array(z.object({ level: z.enum(sandboxLevels), reason: z.string() })),
});

/** What is told of a broker when it has started. */
interface Ladder {
  /** Null when not even the last level works. */
  readonly level: SandboxLevel | null;
  readonly refused: readonly RefusedLevel[];
}

/** The broker is gone, and with it the calls that it had. */
export class BrokerEnded extends Error {
  override readonly name = 'BrokerEnded';
}

interface Waiting {
  readonly resolve: (result: ResultFrame) => void;
  readonly reject: (error: BrokerEnded) => void;
}

/** The process that all calls of a sandbox go through. It ends when its pipe closes, however this process ends. */
export class BrokerProcess {
  /** Rejects with `BrokerEnded` when the process cannot be started. */
  readonly ladder: Promise<Ladder>;
  readonly ended: Promise<void>;
  private readonly input: Writable;
  private readonly waiting = new Map<number, Waiting>();
  private readonly told = new Emitter<Ladder>();
  private gone: BrokerEnded | undefined;
  private calls = 0;

  constructor(settings: BrokerSettings) {
    const { interpreter, folder } = settings;
    const source = Buffer.from(`${broker}\nmain(${pythonLiteral(settings)})\n`);
    const child = execa(interpreter.path, [...flags, '-c', loader(source.length), folder, 'broker'], {
      env: environment,
      extendEnv: false, // the host's environment holds keys
      cwd: '/',
      detached: true, // Ctrl-C in a terminal is for the host alone
      cleanup: false,
      buffer: false,
      reject: false,
    });
    this.input = child.stdin;
    const reader = new FrameReader();
    let complaint = '';
    child.stdout.on('data', (data: Buffer) => reader.push(data, this.take));
    child.stderr.on('data', (data: Buffer) => {
      complaint = (complaint + data.toString('utf8')).slice(-2000);
    });
    this.input.on('error', () => {}); // its end is told below
    this.input.write(source);
    this.ended = child.then((result) => {
      const end = result.signal ? `it ended by ${result.signal}` : `it ended with code ${result.exitCode}`;
      const why = lastLine(complaint) ?? lastLine(result.originalMessage ?? '') ?? end;
      this.gone = new BrokerEnded(`${interpreter.path} cannot run the sandbox: ${why}`);
      for (const { reject } of this.waiting.values()) reject(this.gone);
      this.waiting.clear();
    });
    this.ladder = new Promise((resolve, reject) => {
      this.told.event(resolve);
      void this.ended.then(() => reject(this.gone));
    });
    this.ladder.catch(() => {});
  }

  /** Rejects with the signal's reason, or with `BrokerEnded`. */
  run(call: Omit<CallFrame, 'id'>, signal: AbortSignal): Promise<ResultFrame> {
    if (this.gone) return Promise.reject(this.gone);
    this.calls = (this.calls + 1) >>> 0;
    const id = this.calls;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(id);
        this.send(cancelFrame(id));
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const settle =
        <T>(how: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener('abort', leave);
          how(value);
        };
      this.waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.send(runFrame({ id, ...call }));
    });
  }

  /** What is sent within a turn of the event loop goes out by one write: hundreds of calls may begin at once. */
  private send(frame: Buffer): void {
    if (this.input.writableCorked === 0) {
      this.input.cork();
      setImmediate(() => this.input.uncork());
    }
    this.input.write(frame);
  }

  end(): void {
    this.input.destroy();
  }

  private readonly take = (kind: number, body: Buffer): void => {
    if (kind === frameKind.hello) {
      this.told.fire(Hello.parse(JSON.parse(body.toString('utf8'))));
      return;
    }
    const result = readResult(body);
    const call = this.waiting.get(result.id);
    this.waiting.delete(result.id);
    call?.resolve(result);
  };
}

const flags = ['-s', '-S', '-B', '-u', '-X', 'utf8'];

/** Ends when the host does before all has come. */
const loader = (length: number) =>
  `import posix\ns=b""\nwhile len(s)<${length}:\n d=posix.read(0,${length}-len(s))\n if not d:posix._exit(1)\n s+=d\nexec(compile(s,"<broker>","exec"))`;

const environment = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  MALLOC_ARENA_MAX: '2', // each arena takes 64 MB of the limit on address space
  PYTHONHASHSEED: '0',
};

/** Strings, numbers and lists of JSON are written as Python writes them. */
function pythonLiteral(settings: BrokerSettings): string {
  const { interpreter, kinds, ...plain } = settings;
  return JSON.stringify({
    ...plain,
    python: interpreter.path,
    kinds: kinds.map(({ name, modules, warmUp }) => [name, modules, warmUp]),
    mark: settings.folder,
    server: [syscalls, seccomp, landlock, seatbelt, jail, snippet, forkServer].join('\n'),
    readable: readablePaths(interpreter),
    sysPath: interpreter.sysPath,
    environment: { ...environment },
    trialFile: join(settings.folder, 'trial'),
    nice: 5,
  });
}

/** What code may read: the libraries of Python and of the system. Never a home folder, nor what holds one. */
function readablePaths(interpreter: Interpreter): string[] {
  const system = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/local/lib'];
  const others = ['/usr/share/zoneinfo', '/etc/alternatives', '/etc/ld.so.cache', '/etc/localtime', '/nix/store'];
  const own = [join(interpreter.prefix, 'lib'), ...interpreter.sysPath];
  const home = `${homedir()}/`;
  return [...system, ...others, ...own.filter((path) => path !== '/' && !home.startsWith(`${path}/`))];
}
