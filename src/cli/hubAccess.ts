import { Hub } from '../hub/hub';
import { parseSource } from '../hub/hubSource';
import type { FetchProgress } from '../hub/hubWait';
import { byteUnit } from '../lib/byteUnit';
import type { Output } from './output';

/** The hub that `--hub` names, else that of the environment, with its progress told. */
export const hubAccess = (setting: string | undefined, output: Output) => ({
  hub: new Hub(setting === undefined ? {} : { source: parseSource(setting) }),
  onFetch: fetchProgress(output),
});

/** Bytes up to which a file is told once, when it is there. */
const small = 1_000_000;

/** A terminal is told ten times a second, anything else at every quarter. */
function fetchProgress(output: Output): (progress: FetchProgress) => void {
  let last = { name: '', quarter: -1, time: 0 };
  return ({ name, received, total, waiting }) => {
    if (waiting) {
      output.progress(`Fetching ${name}: waiting for ${waiting.host}, try ${waiting.next} of ${waiting.tries}`);
      return;
    }
    if (total === undefined ? received === 0 : total < small && received < total) return;
    const now = Date.now();
    const quarter = total ? Math.floor((4 * received) / total) : 0;
    const isNew = name !== last.name || quarter > last.quarter;
    if (!isNew && !(process.stdout.isTTY && now - last.time >= 100)) return;
    last = { name, quarter, time: now };
    output.progress(`Fetching ${name}: ${amount(received, total)}`);
  };
}

/** For example `12.3 of 45.6 MB`. */
function amount(received: number, total: number | undefined): string {
  const { name, bytes, digits } = byteUnit(total ?? received);
  const [far, all] = [received, total ?? 0].map((each) => (each / bytes).toFixed(digits));
  return `${total === undefined ? far : `${far} of ${all}`} ${name}`;
}
