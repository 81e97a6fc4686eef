import { parentPort, workerData } from 'node:worker_threads';
import { RetoolError } from '../lib/errors';
import { AdamOptimizer } from './adam';
import { modelLayout } from './layout';
import { SequenceScheduler } from './sequenceScheduler';
import type { ThreadCall, ThreadReply, ThreadRequest, ThreadSetup } from './threadMessages';
import { type RowOutput, TrainingPass } from './trainingPass';
import { WasmMemory } from './wasmMemory';

const { kernels, shape, cacheBytes } = workerData as ThreadSetup;
const port = parentPort!;
const layout = modelLayout(shape);
const memory = new WasmMemory(kernels);
let optimizer: AdamOptimizer | undefined;
let training: { pass: TrainingPass; version: string } | undefined;
let isStepping = false;

const scheduler = new SequenceScheduler(memory, shape, layout, cacheBytes, (id, result) => {
  if (result instanceof RetoolError) fail(id, result);
  else reply({ id, value: result });
});

port.on('message', (message: ThreadRequest) => {
  if (message.kind === 'abort') scheduler.abort(message.id);
  else if (message.kind === 'release') scheduler.releaseSnapshot(message.snapshot);
  else handle(message.id, message.call);
});

function handle(id: number, call: ThreadCall): void {
  try {
    if (call.kind === 'train') reply({ id, value: train(call) });
    else if (call.kind === 'optimize') reply({ id, value: optimize(call) });
    else {
      scheduler.submit(id, call.snapshot, call.weights, call.request);
      keepStepping();
    }
  } catch (error) {
    fail(id, RetoolError.from('bug', 'The local trainer failed', error));
  }
}

function train({ version, weights, rows, loss, config, gradient }: ThreadCall & { kind: 'train' }): RowOutput[] {
  training ??= { pass: new TrainingPass(memory, shape, layout), version: '' };
  if (training.version !== version) {
    training.pass.load(weights);
    training.version = version;
  }
  return training.pass.run(rows, loss, config, gradient);
}

function optimize(call: ThreadCall & { kind: 'optimize' }): number {
  optimizer ??= new AdamOptimizer(memory, layout.size);
  return optimizer.step(call, call.shards, call.adam, call.step);
}

/** Steps while there is something to sample, letting messages in between. An error here ends the thread. */
function keepStepping(): void {
  if (isStepping) return;
  isStepping = true;
  setImmediate(function next() {
    scheduler.step();
    isStepping = !scheduler.isIdle;
    if (isStepping) setImmediate(next);
  });
}

function reply(message: ThreadReply): void {
  port.postMessage(message);
}

function fail(id: number, { code, message, hint }: RetoolError): void {
  const known = code === 'data' || code === 'service' ? code : 'bug';
  reply({ id, failure: { code: known, message, hint } });
}
