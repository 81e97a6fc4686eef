import { join, resolve } from 'node:path';
import { randomServiceKey } from '../lib/serviceKey';
import { readExperiment } from '../run/experimentFile';
import { Experiment } from '../schema/experiment';
import { serviceKeyVariable } from '../services/servedTrainer';
import { assetsIn } from '../trainer/kernelBuilds';
import { serve, sessionSeconds } from '../trainer/serve';
import { readArguments, wholeNumber } from './arguments';
import { commandHelp } from './help';
import { onInterrupt } from './interrupts';
import { exitCode, type Output } from './output';

export async function serveCommand(args: readonly string[], dist: string, output: Output): Promise<number> {
  const { values } = readArguments(
    commandHelp.serve.usage,
    args,
    { least: 0, most: 0 },
    {
      json: { type: 'boolean' },
      port: { type: 'string' },
      directory: { type: 'string' },
      context: { type: 'string' },
      experiment: { type: 'string' },
    },
  );
  const port = wholeNumber('--port', values.port, 0, 65_535) ?? 0;
  const context = wholeNumber('--context', values.context, 16, 2048) ?? 2048;
  const { experiment } = values;
  const service = experiment === undefined ? {} : (await readExperiment(experiment)).service;
  const directory = resolve(values.directory ?? join('.retool', 'served'));
  const { threads, ...shape } = { ...Experiment.shape.service.parse(service), context };
  // A key that stays the same lets a run go on with a trainer that was started anew.
  const given = process.env[serviceKeyVariable];
  const options = { key: given || randomServiceKey(), sessionSeconds };
  const server = await serve({ port, directory, shape, threads }, assetsIn(dist), options);
  output.say(`The local trainer listens at ${server.url} and keeps checkpoints in ${directory}.`);
  output.say(`Clients send the key ${given ? `of ${serviceKeyVariable}` : server.key}`);
  output.say('JSON form of the Tinker protocol. Ctrl-C ends it.');
  output.record({ kind: 'listening', url: server.url, ...(!given && { key: server.key }), directory });
  await new Promise<void>((end) => onInterrupt(end));
  await server.close();
  output.summary({ url: server.url });
  return exitCode.done;
}
