import { RetoolError } from '../lib/errors';
import type { ReachedLevel } from '../sandbox/pythonSandbox';
import { levelPromises } from '../schema/sandboxLevels';
import type { Consent } from './runControl';

/** @throws RetoolError `python` or `cancelled` where the level is no boundary and nobody consents to that. */
export async function requireConsent(consent: Consent, { level, refused }: ReachedLevel): Promise<void> {
  const { boundary, notGuaranteed } = levelPromises[level];
  const everywhere = levelPromises.namespaces.notGuaranteed;
  const risks = notGuaranteed.filter((risk) => !everywhere.includes(risk));
  if (boundary || consent === true) return;
  if (consent === false) {
    const why = refused.map((one) => `${one.level}: ${one.reason}`).join('; ');
    throw new RetoolError(
      'python',
      `The sandbox keeps model-written code apart at the level "${level}" only, where ${risks[0]}${why ? ` (${why})` : ''}.`,
      {
        hint: 'Take a machine on which `retool sandbox probe` shows a boundary, or consent by --allow-unsafe-sandbox.',
      },
    );
  }
  if (!(await consent({ level, risks, refused })))
    throw new RetoolError('cancelled', 'The sandbox was not consented to.');
}
