import { describe, expect, it } from 'vitest';
import { isReduced, presets } from '../../../src/presets/presets';
import { play } from '../../support/presetTranscript';
import { transcriptText } from '../../support/transcriptText';

describe('a step of a published system', () => {
  it.each(presets.filter(isReduced).map((preset) => [preset.name, preset] as const))(
    'of %s does with fixed completions what its golden transcript says',
    async (name, preset) => {
      const rule =
        /^(protocol|budgets|observation|calls|malformedCalls|reward|coldStart|reinforcement\.(loss|adv|min))/;
      const rules = preset.settings
        .filter(({ path }) => rule.test(path))
        .map(({ path, value, why }) => `- ${path} ${JSON.stringify(value)} (${why})`)
        .join('\n');
      const text = await transcriptText(await play(preset), name, rules);
      await expect(text).toMatchFileSnapshot(`golden/${name}.md`);
    },
  );
});
