import { DisposableStore } from '../../../src/lib/lifecycle';
import type { Engine } from '../../../src/trainer/engine';
import { assetsIn } from '../../../src/trainer/kernelBuilds';
import { createEngine } from '../../../src/trainer/threadedEngine';
import { interleaved, processorSeconds, wallSeconds } from './interleaved';
import { type PeerProcess, startNumpy, startTfjs } from './peerProcess';
import { type Product, prepareProducts, products } from './products';
import { sampleBatch, shape, sizes, trainStep } from './workloads';

const assets = assetsIn(import.meta.dirname);

/** Sequences decoded together per thread. */
const decoders = 128;

/** A peer that is slower than this runs on something that is not its own kernel. */
const leastPeerGigaflops = 40;

export interface BenchResult {
  readonly ratios: Record<string, number>;
  readonly figures: Record<string, number>;
  /** Version, or the reason why a peer is missing. */
  readonly peers: Record<string, string>;
}

/**
 * Speed of the local trainer beside its peers: training and decoding beside TensorFlow.js on WASM, matrix products
 * beside numpy's OpenBLAS (one thread each, processor time), and two threads beside one (wall time).
 */
export async function bench(): Promise<BenchResult> {
  const result: BenchResult = { ratios: {}, figures: {}, peers: {} };
  const owned = new DisposableStore();
  try {
    const [one, two] = [owned.add(await startEngine(1)), owned.add(await startEngine(2))];
    for (const engine of [one, two]) {
      for (let i = 0; i < 4; i++) await trainStep(engine);
      await sampleBatch(engine, decoders);
    }
    await compareWithTfjs(result, one, owned);
    await compareWithNumpy(result, owned);
    await compareThreads(result, one, two);
    await compareArrivals(result, one);
  } finally {
    owned.dispose();
  }
  return result;
}

async function startEngine(threads: number): Promise<Engine> {
  const engine = await createEngine(shape, { threads, assets });
  await engine.createModel('bench', 1);
  return engine;
}

async function compareWithTfjs({ ratios, figures, peers }: BenchResult, engine: Engine, owned: DisposableStore) {
  const askTfjs = async (peer: PeerProcess, work: string) => {
    const { tokens, seconds } = JSON.parse(await peer.ask(work)) as { tokens: number; seconds: number };
    return tokens / seconds;
  };
  try {
    const peer = owned.add(await startTfjs({ ...shape, ...sizes }));
    for (const work of ['train', 'train', 'train', 'decode']) await askTfjs(peer, work);
    const training = await interleaved(
      () => perProcessorSecond(() => trainStep(engine)),
      () => askTfjs(peer, 'train'),
    );
    const decoding = await interleaved(
      () => perProcessorSecond(() => sampleBatch(engine, decoders)),
      () => askTfjs(peer, 'decode'),
    );
    ratios.trainingOverTfjs = training.ratio;
    ratios.decodingOverTfjs = decoding.ratio;
    figures.trainingTokensPerSecond = training.best;
    figures.decodingTokensPerSecond = decoding.best;
    figures.tfjsTrainingTokensPerSecond = training.bestPeer;
    figures.tfjsDecodingTokensPerSecond = decoding.bestPeer;
    peers.tfjs = '4.22.0 (WASM backend)';
  } catch (error) {
    peers.tfjs = reasonOf(error);
  }
}

async function compareWithNumpy({ ratios, figures, peers }: BenchResult, owned: DisposableStore) {
  try {
    const peer = owned.add(await startNumpy());
    const version = await peer.answer();
    const measure = await prepareProducts(assets.kernels);
    const ask = async ({ rows, depth, columns, transposed }: Product) =>
      Number(await peer.ask([rows, depth, columns, Number(transposed)].join(' ')));
    for (const product of products) measure(product);

    const geometricMean = async (rate: (product: Product) => number | Promise<number>) => {
      let logs = 0;
      for (const product of products) logs += Math.log(await rate(product));
      return Math.exp(logs / products.length);
    };
    const { ratio, best, bestPeer } = await interleaved(
      () => geometricMean(measure),
      () => geometricMean(ask),
    );
    figures.productGigaflops = best;
    figures.numpyProductGigaflops = bestPeer;
    if (bestPeer < leastPeerGigaflops) {
      peers.numpy = `numpy ${version} reaches ${bestPeer.toFixed(1)} GFLOP/s, too few to compare with`;
      return;
    }
    ratios.productOverOpenblas = ratio;
    peers.numpy = version;
  } catch (error) {
    peers.numpy = reasonOf(error);
  }
}

async function compareThreads({ ratios, figures }: BenchResult, one: Engine, two: Engine) {
  const training = await interleaved(
    () => perWallSecond(() => trainStep(two)),
    () => perWallSecond(() => trainStep(one)),
  );
  const decoding = await interleaved(
    () => perWallSecond(() => sampleBatch(two, 2 * decoders)),
    () => perWallSecond(() => sampleBatch(one, decoders)),
  );
  ratios.twoThreadsTraining = training.ratio;
  ratios.twoThreadsDecoding = decoding.ratio;
  figures.twoThreadsTrainingTokensPerSecond = training.best;
  figures.twoThreadsDecodingTokensPerSecond = decoding.best;
}

/** 32 requests that arrive at random over the time that they would take together. */
async function compareArrivals({ ratios }: BenchResult, engine: Engine) {
  const count = 32;
  const spread = await wallSeconds(() => sampleBatch(engine, count));
  const { ratio } = await interleaved(
    () => perProcessorSecond(() => sampleBatch(engine, count, spread)),
    () => perProcessorSecond(() => sampleBatch(engine, count)),
  );
  ratios.scatteredArrivals = ratio;
}

async function perProcessorSecond(work: () => Promise<number>): Promise<number> {
  let tokens = 0;
  const seconds = await processorSeconds(async () => {
    tokens = await work();
  });
  return tokens / seconds;
}

async function perWallSecond(work: () => Promise<number>): Promise<number> {
  let tokens = 0;
  const seconds = await wallSeconds(async () => {
    tokens = await work();
  });
  return tokens / seconds;
}

const reasonOf = (error: unknown) => `not measured: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
