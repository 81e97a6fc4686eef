import type { ModelShape } from './engine';
import { expansion, type Layout, type Parameter } from './layout';
import type { WasmMemory } from './wasmMemory';

/** Columns of a packed panel. */
const panel = 8;

export const toWholePanels = (columns: number) => Math.ceil(columns / panel) * panel;

interface PackedLayer {
  readonly qkv: number;
  readonly out: number;
  readonly up: number;
  readonly down: number;
}

/** Pointers to one version of a model's weights in a thread's memory, ready to multiply by. */
export class PackedWeights {
  readonly token: number;
  readonly previous: number;
  readonly before: number;
  readonly layers: PackedLayer[];
  /** The token table as a matrix (width x vocabulary). */
  readonly head: number;
  /** The transposes, for gradients with respect to inputs; empty where only forward passes are made. */
  readonly transposed: { readonly layers: PackedLayer[]; readonly head: number } | undefined;

  private readonly memory: WasmMemory;
  private readonly layout: Layout;
  private readonly raw: number;
  private readonly owned: number[] = [];

  constructor(memory: WasmMemory, shape: ModelShape, layout: Layout, trainable: boolean) {
    this.memory = memory;
    this.layout = layout;
    const own = (floats: number) => {
      const pointer = memory.allocate(floats * 4);
      this.owned.push(pointer);
      return pointer;
    };
    const { vocabulary, width } = shape;
    const hidden = expansion * width;
    this.raw = own(layout.size);
    this.token = this.raw + layout.token.offset * 4;
    this.previous = this.raw + layout.previous.offset * 4;
    this.before = this.raw + layout.before.offset * 4;
    this.head = own(width * toWholePanels(vocabulary));
    const packLayer = (): PackedLayer => ({
      qkv: own(width * toWholePanels(3 * width)),
      out: own(width * toWholePanels(width)),
      up: own(width * toWholePanels(hidden)),
      down: own(hidden * toWholePanels(width)),
    });
    const packLayerTransposed = (): PackedLayer => ({
      qkv: own(3 * width * toWholePanels(width)),
      out: own(width * toWholePanels(width)),
      up: own(hidden * toWholePanels(width)),
      down: own(width * toWholePanels(hidden)),
    });
    this.layers = layout.layers.map(packLayer);
    this.transposed = trainable
      ? { layers: layout.layers.map(packLayerTransposed), head: own(vocabulary * toWholePanels(width)) }
      : undefined;
  }

  load(weights: Float32Array): void {
    const { memory, layout, raw, transposed } = this;
    memory.floats(raw, layout.size).set(weights);
    const { packColumns, packRows } = memory.kernels;
    const pack = ({ offset, shape: [rows, columns] }: Parameter, to: number) =>
      packColumns(raw + offset * 4, columns, to, rows, columns);
    const packTransposed = ({ offset, shape: [rows, columns] }: Parameter, to: number) =>
      packRows(raw + offset * 4, columns, to, columns, rows);

    packTransposed(layout.token, this.head);
    for (const [index, layer] of layout.layers.entries()) {
      for (const name of ['qkv', 'out', 'up', 'down'] as const) {
        pack(layer[name], this.layers[index]![name]);
        if (transposed) packTransposed(layer[name], transposed.layers[index]![name]);
      }
    }
    if (transposed) pack(layout.token, transposed.head);
  }

  free(): void {
    for (const pointer of this.owned) this.memory.free(pointer);
  }
}
