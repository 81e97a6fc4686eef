import type { Experiment } from '../schema/experiment';

/** What an experiment changes of a protocol. Without a value the protocol has its own. */
export interface ProtocolSettings {
  readonly observation?: Partial<Experiment['observation']>;
  readonly calls?: Experiment['calls'];
}
