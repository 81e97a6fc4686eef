import * as z from 'zod';

/** Settings of the extension, under `retool.`; `package.json` is generated from them. */
export const Settings = z.strictObject({
  'sandbox.python': z
    .string()
    .default('')
    .describe(
      'Python interpreter that runs model-written code. Empty: the one selected in the Python extension, else the python3 on the PATH.',
    ),
  'sandbox.packageIndex': z
    .string()
    .default('')
    .describe("Address of the package index that the sandbox's environment is made from. Empty: pip's own."),
  'dashboard.openOnStart': z.boolean().default(true).describe('Open the dashboard when training starts.'),
  'dashboard.smoothing': z
    .number()
    .min(0)
    .max(0.99)
    .default(0.6)
    .describe('Smoothing of curves: weight of the time-weighted moving average. 0 is off.'),
});
export type Settings = z.infer<typeof Settings>;
