import type { Tokenizer, ToolProtocol } from '../rl/ports';
import type { ProtocolName } from '../schema/experiment';
import { compactProtocol } from './compact';
import { textProtocol } from './textProtocol';

/** The protocol of that name. @throws RetoolError `config` when the vocabulary lacks one of its control tokens. */
export const protocolOf = (name: ProtocolName, tokenizer: Tokenizer): ToolProtocol =>
  name === 'compact' ? compactProtocol(tokenizer) : textProtocol(name, tokenizer);
