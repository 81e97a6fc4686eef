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
  hub: z
    .string()
    .default('https://huggingface.co')
    .describe(
      'Where files of models and data sets come from that are named as files of a hub: an address, "modelscope", or a folder laid out as OWNER/NAME. HF_ENDPOINT in the environment comes first.',
    )
    // A folder that is opened names no host that a token would be sent to.
    .meta({ scope: 'machine' }),
  'dashboard.openOnStart': z.boolean().default(true).describe('Open the dashboard when training starts.'),
  'dashboard.smoothing': z
    .number()
    .min(0)
    .max(0.99)
    .default(0.6)
    .describe('Smoothing of curves: weight of the time-weighted moving average. 0 is off.'),
});
export type Settings = z.infer<typeof Settings>;
