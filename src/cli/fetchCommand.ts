import { isHubName, parseDataName, parseModelName } from '../hub/hubName';
import { RetoolError } from '../lib/errors';
import { digestOf } from '../run/evaluationProtocol';
import { setNamed } from '../run/evaluationSets';
import { fetchExperiment } from '../run/hubData';
import { setCalled, setsHint } from '../run/namedSets';
import { readArguments } from './arguments';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
import { onInterrupt } from './interrupts';
import { exitCode, type Output } from './output';

/** Fetches files of a hub into the cache, and tells their hashes. */
export async function fetchCommand(args: readonly string[], output: Output): Promise<number> {
  const { usage } = commandHelp.fetch;
  const { values, positionals } = readArguments(
    usage,
    args,
    { least: 1, most: 1 },
    { json: { type: 'boolean' }, hub: { type: 'string' }, again: { type: 'boolean' } },
  );
  const [name] = positionals as [string];
  const { hub, onFetch } = hubAccess(values.hub, output);
  const stop = new AbortController();
  const interrupts = onInterrupt(() =>
    stop.abort(new RetoolError('cancelled', 'Stopped; a second call goes on from here.')),
  );
  const options = { onFetch, signal: stop.signal };
  const again = values.again === true;
  try {
    if (isHubName(name)) {
      const file = parseDataName(name);
      const { path, sha256 } = await (again ? hub.fetch(file, options) : hub.get(file, undefined, options));
      output.say(`${sha256}  ${path}`);
      sayPins({ [name]: sha256 }, output);
      output.summary({ files: { [name]: sha256 }, path });
    } else if (isNamedSet(name)) {
      const { problems, notices, name: set } = await setNamed(name, { hub, ...options });
      for (const notice of notices) output.say(notice);
      output.say(`${set}: ${problems.length} problems, ready to evaluate on.`);
      output.summary({ set, problems: problems.length, digest: digestOf(problems) });
    } else if (name.endsWith('.json')) {
      const files = await fetchExperiment(name, { hub, ...options }, again);
      for (const file of files) output.say(`${file.sha256}  ${file.name}${file.isPinned ? ', pinned' : ''}`);
      const pairs = Object.fromEntries(files.map((file) => [file.name, file.sha256]));
      if (files.length === 0) output.say(`${name} names no file of a hub.`);
      if (files.some(({ isPinned }) => !isPinned)) sayPins(pairs, output);
      output.summary({ files: pairs });
    } else {
      const model = parseModelName(name);
      if (!model) {
        throw new RetoolError('usage', `${JSON.stringify(name)} is no name of a hub, and no set.`, {
          hint: `${setsHint(name)}. Usage: ${usage}`,
        });
      }
      const { folder, files } = await hub.getModel(model, options, again);
      for (const [path, sha256] of Object.entries(files)) output.say(`${sha256}  ${path}`);
      output.say(folder);
      output.summary({ files, path: folder });
    }
  } finally {
    interrupts.dispose();
  }
  return exitCode.done;
}

/** `AIME25`, or `AIME25=FILE`. */
const isNamedSet = (name: string): boolean =>
  /^[^/]+$/.test(name.split('=')[0]!) && setCalled(name.split('=')[0]!) !== undefined;

/** The field that holds an experiment to what was fetched. */
function sayPins(pins: Readonly<Record<string, string>>, output: Output): void {
  const lines = JSON.stringify({ pins }, null, 2).split('\n').slice(1, -1);
  output.say(['To pin them, put into the experiment:', ...lines].join('\n'));
}
