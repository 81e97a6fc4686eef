import type { Experiment } from '../../src/schema/experiment';
import type { ProtocolName } from '../../src/schema/rollout';

export interface SeedSystem {
  readonly protocol: ProtocolName;
  readonly observation: Partial<Experiment['observation']>;
}

/** What an experiment sets to show output as each of these systems does; docs/turns.md has the same table. */
export const seedSystems = {
  retool: {
    protocol: 'retool-code',
    observation: { errors: 'lastLine', timeout: 'Timeout Error', characters: 400, lastExpression: 'whenSilent' },
  },
  pytrio: {
    protocol: 'qwen3.5-xml',
    observation: {
      errors: 'stderrOnly',
      empty: '',
      timeout: 'Error: execution timed out after 30 seconds.',
      characters: 4096,
      keep: 'tail',
      marker: '[... truncated {count} chars ...]\n',
      tokenMarker: '[... truncated ...]\n',
      lastExpression: 'off',
      unfence: 'off',
    },
  },
  verl: {
    protocol: 'qwen3-json',
    observation: {
      errors: 'streams',
      empty: '',
      timeout: 'no stdout here',
      characters: 256,
      marker: '...(truncated)...',
      lastExpression: 'printLastLine',
      unfence: 'firstPython',
    },
  },
  torl: {
    protocol: 'torl-fences',
    observation: {
      errors: 'lastLineIfError',
      empty: "timeout_decorator.timeout_decorator.TimeoutError: 'Timed Out'",
      timeout: 'UnknownError',
      characters: 256,
      lastExpression: 'off',
      unfence: 'off',
    },
  },
  slime: {
    protocol: 'qwen3-json',
    observation: {
      errors: 'labelled',
      empty: '',
      timeout: 'Error: Code execution timed out after 120 seconds',
      lastExpression: 'off',
      unfence: 'off',
    },
  },
} satisfies Record<string, SeedSystem>;
