import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { flipBit } from '../../../support/flipBit';
import { lossInput, ScriptedServer } from '../../../support/scriptedServer';

describe('checkpoints', () => {
  let service: ScriptedServer;
  beforeEach(async () => {
    service = await ScriptedServer.start();
  });
  afterEach(() => service.close());

  const file = (path: string) => join(service.directory, path.replace('tinker://', '').concat('.safetensors'));
  const files = async () =>
    (await readdir(service.directory, { recursive: true })).filter((name) => name.includes('.'));

  const trainAndSave = async (name: string) => {
    const { modelId } = await service.createModel();
    await service.finish('forward_backward', { model_id: modelId, seq_id: 1, forward_backward_input: lossInput() });
    await service.finish('optim_step', { model_id: modelId, seq_id: 2, adam_params: { learning_rate: 0.5 } });
    const saved = await service.finish('save_weights', { model_id: modelId, seq_id: 3, path: name });
    return { modelId, path: saved.path as string };
  };

  const load = async (path: string) => {
    const { modelId } = await service.createModel(9);
    return service.finish('load_weights', { model_id: modelId, path, seq_id: 1, optimizer: true });
  };

  it('are one file each, named by their path', async () => {
    const { modelId, path } = await trainAndSave('step-0001');
    expect(path).toBe(`tinker://${modelId}/weights/step-0001`);
    expect(await files()).toEqual([join(modelId, 'weights', 'step-0001.safetensors')]);
  });

  it('are equal byte by byte when the states are', async () => {
    const [a, b] = [await trainAndSave('a'), await trainAndSave('b')];
    expect(await readFile(file(a.path))).toEqual(await readFile(file(b.path)));
  });

  it('say the shape of their model where every safetensors reader finds it', async () => {
    const { path } = await trainAndSave('a');
    const bytes = await readFile(file(path));
    const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString());
    expect(header).toMatchObject({
      __metadata__: { format: 'retool', kind: 'weights', vocabulary: '272', width: '16', layers: '1', context: '64' },
      'adam.step': { dtype: 'F32', shape: [1], data_offsets: [1088, 1092] },
      'model.logits': { dtype: 'F32', shape: [272], data_offsets: [1092, 2180] },
    });
  });

  it('bring weights, optimizer and step count back', async () => {
    const { path } = await trainAndSave('a');
    const { model_id: modelId } = await load(path);
    const again = await service.finish('save_weights', { model_id: modelId, seq_id: 2, path: 'again' });
    expect(await readFile(file(again.path as string))).toEqual(await readFile(file(path)));
  });

  it('outlive the server that wrote them', async () => {
    const { path } = await trainAndSave('a');
    const later = await ScriptedServer.start({ directory: service.directory });
    const { modelId } = await later.createModel(9);
    const info = await later.post('weights_info', { tinker_path: path });
    expect(info.body).toMatchObject({ base_model: 'retool/local', is_lora: true });
    const loaded = await later.finish('load_weights', { model_id: modelId, path, seq_id: 1, optimizer: true });
    expect(loaded).toMatchObject({ type: 'load_weights', path });
    await later.server.close();
  });

  it('for sampling open a sampler later', async () => {
    const { modelId, sessionId } = await service.createModel();
    const { path } = await service.finish('save_weights_for_sampler', { model_id: modelId, seq_id: 1, path: 'a' });
    expect(path).toBe(`tinker://${modelId}/sampler_weights/a`);
    const request = { session_id: sessionId, sampling_session_seq_id: 0, model_path: path };
    const { body } = await service.post('create_sampling_session', request);
    const { body: sampler } = await service.send('GET', `/api/v1/samplers/${body.sampling_session_id}`);
    expect(sampler).toMatchObject({ base_model: 'retool/local', model_path: path });
  });

  it('keep their name until it is given up on purpose', async () => {
    const { modelId } = await trainAndSave('a');
    const again = await service.post('save_weights', { model_id: modelId, seq_id: 4, path: 'a' });
    expect(again).toEqual({
      status: 409,
      body: { detail: `The checkpoint tinker://${modelId}/weights/a exists already.` },
    });
    const over = await service.finish('save_weights', { model_id: modelId, seq_id: 4, path: 'a', overwrite: true });
    expect(over.path).toBe(`tinker://${modelId}/weights/a`);
  });

  it('cannot be saved outside of their folder', async () => {
    const { modelId } = await service.createModel();
    const reply = await service.post('save_weights', { model_id: modelId, seq_id: 1, path: '../a' });
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toBe('path: use 1 to 255 letters, digits, dashes and underscores.');
  });

  it('have no name that is too long for a file', async () => {
    const { modelId, path } = await trainAndSave('a');
    const long = 'x'.repeat(255);
    const reply = await service.post('save_weights', { model_id: modelId, seq_id: 4, path: long });
    const detail = "The checkpoint's name has 255 characters; files here can have 226.";
    expect(reply).toEqual({ status: 400, body: { detail } });
    const longest = await service.finish('save_weights', { model_id: modelId, seq_id: 4, path: 'x'.repeat(226) });
    expect(longest).toMatchObject({ type: 'save_weights' });
    const info = await service.post('weights_info', { tinker_path: path.replace(/a$/, long) });
    expect(info.status).toBe(404);
    const gone = await service.send('DELETE', `/api/v1/training_runs/${modelId}/checkpoints/weights/${long}`);
    expect(gone.status).toBe(404);
  });

  it('load into a fresh model only', async () => {
    const { modelId, path } = await trainAndSave('a');
    const reply = await service.post('load_weights', { model_id: modelId, path, seq_id: 4, optimizer: true });
    expect(reply.body.detail).toBe('load_weights must be the first request of a model: create a new model for it.');
  });

  it.each([
    ['truncated in its data', (path: string) => truncate(path, 2000), /: it has 2000 bytes instead of \d+\.$/],
    [
      'truncated in its header',
      (path: string) => truncate(path, 100),
      /: it ends inside its header, after 100 bytes\.$/,
    ],
    ['emptied', (path: string) => truncate(path, 0), /: it has only 0 bytes\.$/],
    ['changed by one bit in their data', flipBit, /: its data do not match its checksum\.$/],
    [
      'overwritten',
      (path: string) => writeFile(path, 'x'.repeat(3000)),
      /: it does not begin as a safetensors file does\.$/,
    ],
  ])('that were %s are refused in one sentence', async (_, damage, message) => {
    const { path } = await trainAndSave('a');
    await damage(file(path));
    const { modelId } = await service.createModel(9);
    const reply = await service.post('load_weights', { model_id: modelId, path, seq_id: 1, optimizer: true });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toMatch(/^The checkpoint \/.* is broken: /);
    expect(reply.body.detail).toMatch(message);
  });

  it.each([
    ['is missing', 'tinker://nobody/weights/a', 404, /^There is no checkpoint tinker:\/\/nobody\/weights\/a in /],
    ['is of the other kind', 'tinker://nobody/sampler_weights/a', 400, /holds sampler_weights, but this call needs/],
    ['climbs out of the folder', 'tinker://../weights/a', 400, /is not a checkpoint path/],
  ])('whose path %s are refused in one sentence', async (_, path, status, message) => {
    const { modelId } = await service.createModel();
    const reply = await service.post('load_weights', { model_id: modelId, path, seq_id: 1, optimizer: true });
    expect(reply.status).toBe(status);
    expect(reply.body.detail).toMatch(message);
  });

  it('are deleted with the folders that they leave empty', async () => {
    const { modelId } = await trainAndSave('a');
    const path = `/api/v1/training_runs/${modelId}/checkpoints/weights/a`;
    expect((await service.send('DELETE', path)).status).toBe(200);
    expect((await service.send('DELETE', path)).status).toBe(404);
    expect(await readdir(service.directory)).toEqual([]);
  });

  it('half written by a killed process are gone after the next start', async () => {
    const folder = join(service.directory, 'run', 'weights');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '.a.safetensors.999999999.partial'), 'half');
    const later = await ScriptedServer.start({ directory: service.directory });
    expect(await files()).toEqual([]);
    await later.server.close();
  });
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!canMount)('on a full disk (needs root to mount one)', () => {
  it('a save fails in one sentence and leaves nothing half written', async () => {
    const service = await ScriptedServer.start();
    const folder = join(service.directory, 'small');
    await mkdir(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    const small = await ScriptedServer.start({ directory: folder });
    try {
      const { modelId } = await small.createModel();
      await mkdir(join(folder, modelId, 'weights'), { recursive: true });
      await writeFile(join(folder, 'ballast'), Buffer.alloc(2 ** 20)).catch(() => undefined);
      const failed = await small.finish('save_weights', { model_id: modelId, seq_id: 1, path: 'a' });
      const path = join(folder, modelId, 'weights', 'a.safetensors');
      expect(failed).toEqual({ error: `the disk is full (${path})`, category: 'server' });
      expect(await readdir(join(folder, modelId, 'weights'))).toEqual([]);
      await expect(ScriptedServer.start({ directory: folder })).rejects.toThrow(
        `No checkpoint can be saved in ${folder}: the disk is full.`,
      );
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      await expect(ScriptedServer.start({ directory: folder })).rejects.toThrow(
        `No checkpoint can be saved in ${folder}: the disk is read-only.`,
      );
    } finally {
      await small.server.close();
      execFileSync('umount', [folder]);
      await service.close();
    }
  });
});
