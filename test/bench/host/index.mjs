import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTests } from '@vscode/test-electron';
import { execa } from 'execa';
import { makeProfile, vscodeObstacle } from '../../support/vscodeHost.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/**
 * What training costs the editor: the event loop of the extension host while a run is under way in a real VS Code, its
 * dashboard open. Delays are beyond the sampling interval.
 */
export async function bench() {
  const obstacle = await vscodeObstacle(() => {});
  if (obstacle) return { ratios: {}, figures: {}, peers: { 'VS Code': obstacle } };
  const profile = await makeProfile();
  const scratch = await mkdtemp(join(tmpdir(), 'retool-bench-'));
  try {
    await cp(join(root, 'examples'), profile.workspace, { recursive: true });
    await writeShortExperiment(profile.workspace);
    const results = join(scratch, 'results.json');
    await runTests({
      vscodeExecutablePath: join(root, 'test/support/codeShim.mjs'),
      extensionDevelopmentPath: root,
      extensionTestsPath: join(root, 'dist/bench-hostSuite.js'),
      extensionTestsEnv: { RETOOL_HOST_RESULTS: results },
      launchArgs: [profile.workspace],
    });
    const { activation, idle, training, status } = JSON.parse(await readFile(results, 'utf8'));
    if (status !== 'completed') throw new Error(`The run in VS Code ended as ${status}, so nothing was measured.`);
    return {
      ratios: {},
      figures: {
        'activation, ms': activation,
        'event-loop delay while training, 99th percentile, ms': training.p99,
        'longest task while training, ms': training.longest,
        'event-loop delay while idle, 99th percentile, ms': idle.p99,
        'longest task while idle, ms': idle.longest,
        'package, MB': await packageMegabytes(scratch),
      },
      peers: { 'the same window, idle': 'measured in this call' },
    };
  } finally {
    await profile.remove();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The arithmetic example, cut to about a minute. */
async function writeShortExperiment(workspace) {
  const experiment = JSON.parse(await readFile(join(workspace, 'arithmetic.retool.json'), 'utf8'));
  experiment.name = 'bench';
  experiment.coldStart.steps = 100;
  experiment.reinforcement.steps = 8;
  experiment.evaluation = { limit: 128 };
  await writeFile(join(workspace, 'bench.retool.json'), JSON.stringify(experiment));
}

async function packageMegabytes(scratch) {
  const out = join(scratch, 'bench.vsix');
  await execa('npm', ['run', '--silent', 'package', '--', '--out', out], { cwd: root });
  return (await stat(out)).size / 1e6;
}
