import type { Tokenizer, ToolProtocol } from '../rl/ports';
import type { ProtocolName } from '../schema/rollout';
import { compactProtocol } from './compact';
import type { ProtocolSettings } from './settings';
import { textProtocol } from './textProtocol';

/** The protocol of that name. @throws RetoolError `config` when the vocabulary lacks one of its control tokens. */
export const protocolOf = (name: ProtocolName, tokenizer: Tokenizer, settings: ProtocolSettings = {}): ToolProtocol =>
  name === 'compact' ? compactProtocol(tokenizer, settings) : textProtocol(name, tokenizer, settings);
