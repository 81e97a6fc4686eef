// The same policy on TensorFlow.js' WASM backend. Reads a line `train` or `decode`, does that work once and answers with a
// line of JSON: {tokens, seconds}, where seconds are of processor time.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const require = createRequire(import.meta.url);
const tf = require('@tensorflow/tfjs');
require('@tensorflow/tfjs-backend-wasm');

const { vocabulary, width, layers, heads, batch, length, decoded } = JSON.parse(process.argv[2]);
const size = width / heads;

const turn = (x) => tf.transpose(x, [...Array(x.rank - 2).keys(), x.rank - 1, x.rank - 2]);

/** The backend multiplies transposed operands with a naive kernel, which its own gradient of matMul runs into. */
const product = tf.customGrad((a, b, save) => {
  save([a, b]);
  return {
    value: tf.matMul(a, b),
    gradFunc: (dy, [a, b]) => [tf.matMul(dy, turn(b)), tf.matMul(turn(a), dy)],
  };
});

const lookUp = (table, ids) =>
  tf.customGrad((table, save) => {
    save([]);
    const gradFunc = (dy) => tf.matMul(turn(tf.oneHot(ids, vocabulary, 1, 0, 'float32')), dy);
    return { value: tf.gather(table, ids), gradFunc };
  })(table);

const crossEntropy = (logits, targets) =>
  tf.customGrad((logits, save) => {
    const share = tf.softmax(logits);
    const hot = tf.oneHot(targets, vocabulary, 1, 0, 'float32');
    save([share, hot]);
    const value = tf.neg(tf.sum(tf.mul(hot, tf.log(tf.add(share, 1e-20)))));
    return { value, gradFunc: (dy, [share, hot]) => tf.mul(tf.sub(share, hot), dy) };
  })(logits);

const normalize = (x) => tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), 1e-5)));
const weight = (rows, columns, deviation) => tf.variable(tf.randomNormal([rows, columns], 0, deviation));

function createModel() {
  return {
    tables: [0, 1, 2].map(() => weight(vocabulary, width, 0.06)),
    positions: weight(256, width, 0.06),
    layers: Array.from({ length: layers }, () => ({
      qkv: weight(width, 3 * width, width ** -0.5),
      out: weight(width, width, 0.3 * width ** -0.5),
      up: weight(width, 4 * width, width ** -0.5),
      down: weight(4 * width, width, 0.15 * width ** -0.5),
    })),
  };
}

/** @param ids three flat id tensors. @param attend (q, k, v, layer), each (batch, heads, tokens, size), to the same. */
function logitsOf(model, ids, tokens, firstPosition, attend) {
  const rows = ids[0].shape[0] / tokens;
  let x = tf.addN(model.tables.map((table, i) => lookUp(table, ids[i])));
  const positions = tf.slice(model.positions, [firstPosition, 0], [tokens, width]);
  x = tf.reshape(tf.add(tf.reshape(x, [rows, tokens, width]), positions), [rows * tokens, width]);
  for (const [index, { qkv, out, up, down }] of model.layers.entries()) {
    const parts = tf.split(product(normalize(x), qkv), 3, 1);
    const split = parts.map((part) => tf.transpose(tf.reshape(part, [rows, tokens, heads, size]), [0, 2, 1, 3]));
    const attended = tf.transpose(attend(...split, index), [0, 2, 1, 3]);
    x = tf.add(x, product(tf.reshape(attended, [rows * tokens, width]), out));
    x = tf.add(x, product(tf.square(tf.relu(product(normalize(x), up))), down));
  }
  return product(normalize(x), turn(model.tables[0]));
}

const random = (count) =>
  tf.tensor1d(
    Int32Array.from({ length: count }, () => Math.random() * vocabulary),
    'int32',
  );

function train(model, optimizer, mask) {
  const ids = [0, 1, 2].map(() => random(batch * length));
  const targets = random(batch * length);
  const attend = (q, k, v) => {
    const scores = tf.add(tf.mul(product(q, turn(k)), size ** -0.5), mask);
    return product(tf.softmax(scores), v);
  };
  optimizer.minimize(() => tf.div(crossEntropy(logitsOf(model, ids, length, 0, attend), targets), batch * length));
  return batch * length;
}

function decode(model, rows) {
  let cache = [];
  for (let position = 0; position < decoded; position++) {
    const next = tf.tidy(() => {
      const ids = [0, 1, 2].map(() => random(rows));
      const kept = [];
      const logits = logitsOf(model, ids, 1, position, (q, k, v, layer) => {
        const before = cache[layer];
        const keys = before ? tf.concat([before[0], k], 2) : k;
        const values = before ? tf.concat([before[1], v], 2) : v;
        kept.push(keys, values);
        const scores = tf.mul(tf.matMul(q, keys, false, true), size ** -0.5);
        return tf.matMul(tf.softmax(scores), values);
      });
      return [tf.softmax(logits), ...kept];
    });
    next[0].dataSync();
    tf.dispose([next[0], cache]);
    cache = model.layers.map((_, layer) => [next[1 + 2 * layer], next[2 + 2 * layer]]);
  }
  tf.dispose(cache);
  return rows * decoded;
}

await tf.setBackend('wasm');
await tf.ready();
const model = createModel();
const optimizer = tf.train.adam(1e-3);
const mask = tf.tensor2d(Array.from({ length }, (_, i) => Array.from({ length }, (_, j) => (j > i ? -1e9 : 0))));

for await (const line of createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  const tokens = tf.tidy(() => (line === 'train' ? train(model, optimizer, mask) : decode(model, 128)));
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ tokens, seconds: (user + system) / 1e6 })}\n`);
}
