import * as vscode from 'vscode';
import type { UnsafeLevel } from '../run/runControl';
import type { Strings } from './strings';

/** The levels below a boundary that a person has agreed to in this workspace. */
const key = 'retool.unsafeSandboxLevels';

/** Asks once per workspace and level, in plain words, whether code may run where nothing keeps it from the person's files. */
export async function askForConsent(
  { level, risks, refused }: UnsafeLevel,
  memory: vscode.Memento,
  { sandbox: words }: Strings,
): Promise<boolean> {
  const agreed = memory.get<readonly string[]>(key, []);
  if (agreed.includes(level)) return true;
  const detail = [
    words.consentRisks,
    ...risks.map((risk) => `• ${words.promises[risk] ?? risk}`),
    '',
    ...refused.map((one) => `${one.level}: ${one.reason}`),
    '',
    words.consentOnce,
  ].join('\n');
  const chosen = await vscode.window.showWarningMessage(
    words.consentAsk(level),
    { modal: true, detail },
    words.consent,
  );
  if (chosen !== words.consent) return false;
  await memory.update(key, [...agreed, level]);
  return true;
}
