import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(process.cwd(), 'src', 'rl');
const name = /['`]((?:reward|rollout|sandbox|train|time|perf|calls)\/[a-z_]*)(?=['`$])/g;

it('has a definition for every metric', () => {
  const page = readFileSync('docs/metrics.md', 'utf8');
  const defined = [...page.matchAll(/`([a-z]+\/[a-z_*]+)`/g)].map(([, metric]) => metric!);
  const names = readdirSync(source).flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(name)].map(([, metric]) => metric!),
  );
  expect(names.length).toBeGreaterThan(50);
  const isDefined = (metric: string) =>
    defined.some((one) => (one.endsWith('*') ? metric.startsWith(one.slice(0, -1)) : one === metric));
  expect([...new Set(names)].filter((metric) => !isDefined(metric))).toEqual([]);
});
