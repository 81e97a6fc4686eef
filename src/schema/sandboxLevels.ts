/** How far code is kept apart, best first. Each is proved by trying it when a sandbox starts. */
export const sandboxLevels = ['namespaces', 'landlock', 'seatbelt', 'seccomp', 'limits'] as const;
export type SandboxLevel = (typeof sandboxLevels)[number];

/** The levels that an operating system can have. */
export const levelsOf = (platform: NodeJS.Platform): readonly SandboxLevel[] =>
  sandboxLevels.filter((level) => level === 'limits' || (level === 'seatbelt') === (platform === 'darwin'));

/** A level that this machine refused, and why. */
export interface RefusedLevel {
  readonly level: SandboxLevel;
  readonly reason: string;
}

/** What a sandbox gives on a machine: the level that holds, those above it that were refused, and its Python. */
export interface SandboxReport extends LevelPromise {
  readonly level: SandboxLevel;
  readonly refused: readonly RefusedLevel[];
  readonly python: {
    readonly path: string;
    readonly version: string;
    /** Versions of the mathematical packages that are installed, by name. */
    readonly packages: Readonly<Record<string, string>>;
  };
}

/** What a level keeps code from, and what it does not. */
export interface LevelPromise {
  /** Safe for code by a model that nobody has read. Training below that asks for consent. */
  readonly boundary: boolean;
  readonly guarantees: readonly string[];
  readonly notGuaranteed: readonly string[];
}

const kernel = 'bugs of the kernel, and what can be learnt from time and load';
const memory = 'the sum of memory: each call has its own limit, all together have none';
const always = [
  'an empty environment and a working folder that is gone after the call',
  'limits on time, CPU, memory, open files, file size and output',
];
const confined = [
  'no new process, no program, no signal to another process',
  'no network and no socket of the host',
  ...always,
];

export const levelPromises: Readonly<Record<SandboxLevel, LevelPromise>> = {
  namespaces: {
    boundary: true,
    guarantees: [
      "no file of the host but Python's own libraries, read-only",
      'writes only to 16 MB of memory and 256 files',
      'processes, network and queues of its own, with nothing in them',
      ...confined,
    ],
    notGuaranteed: [kernel, memory],
  },
  landlock: {
    boundary: true,
    guarantees: [
      "no file of the host can be opened but Python's own libraries, read-only",
      'writes only to its working folder',
      ...confined,
    ],
    notGuaranteed: [
      'that a path exists, and its size and owner, can be seen',
      'the quota of the working folder is enforced 20 times a second and may be overshot',
      kernel,
      memory,
    ],
  },
  seatbelt: {
    boundary: true,
    guarantees: [
      "no file of the host can be opened but Python's own libraries and the system's, read-only",
      'writes only to its working folder',
      'no new process, no program, no signal to another process',
      'no network and no socket of the host',
      'an empty environment and a working folder that is gone after the call',
      'limits on time, CPU, open files, file size and output',
    ],
    notGuaranteed: [
      'that a path exists, and its size and owner, can be seen',
      'the quota of the working folder is enforced 20 times a second and may be overshot',
      'macOS limits the memory of no process',
      kernel,
    ],
  },
  seccomp: {
    boundary: false,
    guarantees: ['no file can be written or removed', ...confined],
    notGuaranteed: ['every file that you can read can be read and printed', kernel, memory],
  },
  limits: {
    boundary: false,
    guarantees: always,
    notGuaranteed: [
      'your files can be read, changed and removed',
      'the network can be reached',
      'programs can be started and your other processes killed',
      kernel,
      memory,
    ],
  },
};
