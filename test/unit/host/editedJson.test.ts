import { expect, it } from 'vitest';
import { pinned } from '../../../src/host/model/editedJson';
import { parseExperiment } from '../../../src/run/experimentFile';

it('pins files of a hub in an experiment and keeps its comments and its other pins', () => {
  const text = `{
  // What it is for.
  "name": "small",
  "data": { "train": "hub:a/b/c.jsonl", "evaluation": "hub:a/b/d.jsonl" }, // two files
  "pins": { "hub:a/b/c.jsonl": "${'0'.repeat(64)}" },
  "reinforcement": { "steps": 1 }
}`;
  const after = pinned(text, { 'hub:a/b/c.jsonl': '1'.repeat(64), 'hub:a/b/d.jsonl': '2'.repeat(64) });
  expect(after).toContain('// What it is for.');
  expect(after).toContain('// two files');
  const pins = { 'hub:a/b/c.jsonl': '1'.repeat(64), 'hub:a/b/d.jsonl': '2'.repeat(64) };
  expect(parseExperiment(after).experiment?.pins).toEqual(pins);
  const first = pinned(text.replace(/\n {2}"pins".*/, ''), pins);
  expect(parseExperiment(first).experiment?.pins).toEqual(pins);
});
