// A real VS Code on this machine: code-server and a headless Chromium.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { codeServer, installCodeServer } from '../vscode/install.mjs';

/** Settings of a profile that asks nobody and shows nothing but the work. */
const quietSettings = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.simpleDialog.enable': true,
  'git.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'window.menuBarVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.experimentalOnboarding': false,
};

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const chromiumPath = () => process.env.CHROMIUM || chromiumPaths.find((path) => existsSync(path));

/** Installs what is missing. @returns why no VS Code can be had here, or undefined. */
export async function vscodeObstacle(say) {
  if (!chromiumPath()) return 'there is no Chromium: install chromium, or set CHROMIUM to its path';
  try {
    await installCodeServer(say);
    return undefined;
  } catch (error) {
    return `code-server could not be installed: ${error.message.split('\n')[0]}`;
  }
}

/** A fresh profile and an empty workspace below one temporary folder. */
export async function makeProfile(settings = {}) {
  const root = await mkdtemp(join(tmpdir(), 'retool-vscode-'));
  const profile = {
    root,
    data: join(root, 'data'),
    extensions: join(root, 'extensions'),
    workspace: join(root, 'workspace'),
    config: join(root, 'config.yaml'),
    settingsFile: join(root, 'data/User/settings.json'),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
  };
  await Promise.all(
    [profile.extensions, profile.workspace, join(profile.data, 'User')].map((folder) =>
      mkdir(folder, { recursive: true }),
    ),
  );
  await writeFile(profile.config, 'auth: none\ncert: false\n');
  await writeFile(profile.settingsFile, JSON.stringify({ ...quietSettings, ...settings }, null, 2));
  return profile;
}

const profileFlags = ({ config, data, extensions }) => [
  '--config',
  config,
  '--user-data-dir',
  data,
  '--extensions-dir',
  extensions,
];

/** The environment of a server that was perhaps started from inside a VS Code, or by npm. */
function serverEnvironment(extra) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|npm_)/.test(name));
  // An empty gallery keeps the server from asking the net for extensions.
  return { ...Object.fromEntries(inherited), EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }), ...extra };
}

/** Installs a packed extension. @throws with what the server said when it refuses. */
export async function installExtension(profile, vsix) {
  const child = spawn(codeServer.node, [codeServer.entry, ...profileFlags(profile), '--install-extension', vsix], {
    env: serverEnvironment({}),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${vsix} was not installed:\n${said}`);
}

/**
 * Starts the server on a free loopback port.
 * @param testMode lets a page run `extensionTestsPath`, which a shipped VS Code otherwise refuses.
 * @param launcher a command that starts what follows it.
 */
export async function startServer(profile, { env = {}, testMode = false, launcher = [] } = {}) {
  const port = await freePort();
  const flags = [
    ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    ...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-proxy'],
    ...['--disable-getting-started-override', '--ignore-last-opened'],
    ...(testMode ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
  ];
  const [program, ...words] = [...launcher, codeServer.node, codeServer.entry, ...profileFlags(profile), ...flags];
  const child = spawn(program, words, {
    env: serverEnvironment(env),
    detached: true,
  });
  const server = { port, url: `http://127.0.0.1:${port}`, pid: child.pid, said: '', stop };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (server.said += chunk));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The group is gone.
    }
  };
  const killAtExit = () => signalGroup('SIGKILL');
  process.once('exit', killAtExit);

  async function stop() {
    signalGroup('SIGTERM');
    await Promise.race([gone, wait(3000)]);
    signalGroup('SIGKILL');
    process.off('exit', killAtExit);
  }

  for (let tries = 0; !(await healthy(server.url)); tries++) {
    if (child.exitCode !== null || tries > 300) {
      await stop();
      throw new Error(`code-server did not start:\n${server.said}`);
    }
    await wait(100);
  }
  return server;
}

const healthy = (url) =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** The address of a workbench. @param payload pairs of names and values, as a desktop VS Code takes on its command line. */
export function workbenchUrl(server, folder, payload = []) {
  const url = new URL(server.url);
  url.searchParams.set('folder', folder);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

/** A path of this machine as the workbench names it. */
export const remoteUri = (server, path) => `vscode-remote://127.0.0.1:${server.port}${path}`;

export const launchBrowser = () =>
  chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
