import { levelPromises, levelsOf, type SandboxReport } from '../../schema/sandboxLevels';
import type { Strings } from '../strings';

/** A line of the view of the sandbox. */
export interface SandboxRow {
  readonly label: string;
  readonly description?: string;
  /** Name of a codicon. */
  readonly icon: string;
  readonly children?: readonly SandboxRow[];
}

/** Packages that mathematical code asks for. */
const wanted = ['numpy', 'sympy'];

/** The ladder of levels, best first: why each was refused, what the one in force keeps code from; then Python. */
export function sandboxRows({ level, refused, python }: SandboxReport, { sandbox: words }: Strings): SandboxRow[] {
  const reasons = new Map<string, string>(refused.map((one) => [one.level, one.reason]));
  const promises = (sentences: readonly string[], icon: string) =>
    sentences.map((sentence) => ({ label: words.promises[sentence] ?? sentence, icon }));
  const rows = levelsOf(process.platform).map((name): SandboxRow => {
    const reason = reasons.get(name);
    if (reason !== undefined) return { label: name, description: words.refused(reason), icon: 'circle-slash' };
    if (name !== level) return { label: name, description: words.notNeeded, icon: 'circle-outline' };
    const { boundary, guarantees, notGuaranteed } = levelPromises[name];
    return {
      label: name,
      description: boundary ? words.boundary : words.noBoundary,
      icon: boundary ? 'shield' : 'warning',
      children: [
        { label: words.keepsFrom, icon: 'pass', children: promises(guarantees, 'check') },
        { label: words.doesNotKeepFrom, icon: 'info', children: promises(notGuaranteed, 'dash') },
      ],
    };
  });
  const packages = wanted.map((name) => ({
    label: name,
    description: python.packages[name] ?? words.notInstalled,
    icon: Object.hasOwn(python.packages, name) ? 'package' : 'circle-slash',
  }));
  return [
    ...rows,
    { label: words.python(python.version), description: python.path, icon: 'terminal', children: packages },
  ];
}
