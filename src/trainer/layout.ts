import { deriveSeed, mulberry32 } from '../lib/seed';
import type { ModelShape } from './engine';

/** Where one tensor lives in the flat array of a model's weights, and how it starts. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly [rows: number, columns: number];
  /** In floats from the start of the array. */
  readonly offset: number;
  readonly size: number;
  readonly initialDeviation: number;
}

/** The tensors of one block. Matrices are (inputs x outputs): a row of activations is multiplied from the left. */
export interface LayerParameters {
  readonly qkv: Parameter;
  readonly out: Parameter;
  readonly up: Parameter;
  readonly down: Parameter;
}

export interface Layout {
  /** Token tables of a position: its own token, the one before and the one before that. The first is also the head. */
  readonly token: Parameter;
  readonly previous: Parameter;
  readonly before: Parameter;
  readonly layers: readonly LayerParameters[];
  readonly all: readonly Parameter[];
  readonly size: number;
}

/** Hidden units of the feed-forward part, per unit of width. */
export const expansion = 4;

const embeddingDeviation = 0.06;

/** What writes into the residual stream starts smaller, so that a fresh block is close to the identity. */
const residualGain = 0.3;

export function modelLayout({ vocabulary, width, layers }: ModelShape): Layout {
  const all: Parameter[] = [];
  let size = 0;
  const add = (name: string, rows: number, columns: number, initialDeviation: number): Parameter => {
    const parameter = { name, shape: [rows, columns], offset: size, size: rows * columns, initialDeviation } as const;
    all.push(parameter);
    size += parameter.size;
    return parameter;
  };
  const hidden = expansion * width;
  return {
    token: add('embedding.token', vocabulary, width, embeddingDeviation),
    previous: add('embedding.previous', vocabulary, width, embeddingDeviation),
    before: add('embedding.before', vocabulary, width, embeddingDeviation),
    layers: Array.from({ length: layers }, (_, layer) => ({
      qkv: add(`layers.${layer}.qkv`, width, 3 * width, 1 / Math.sqrt(width)),
      out: add(`layers.${layer}.out`, width, width, residualGain / Math.sqrt(width)),
      up: add(`layers.${layer}.up`, width, hidden, 1 / Math.sqrt(width)),
      down: add(`layers.${layer}.down`, hidden, width, residualGain / Math.sqrt(hidden)),
    })),
    all,
    size,
  };
}

/** Normal deviates by Box-Muller; each tensor has its own stream, so that its start depends on its name alone. */
export function initializeWeights(layout: Layout, seed: number, weights: Float32Array): void {
  for (const { name, offset, size, initialDeviation } of layout.all) {
    const random = mulberry32(deriveSeed(seed, 'initial weights', name));
    for (let i = 0; i < size; i += 2) {
      const radius = initialDeviation * Math.sqrt(-2 * Math.log(1 - random()));
      const angle = 2 * Math.PI * random();
      weights[offset + i] = radius * Math.cos(angle);
      weights[offset + i + 1] = radius * Math.sin(angle);
    }
  }
}
