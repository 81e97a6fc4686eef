import type { EvaluationPlan } from '../../run/evaluationPlan';
import type { Strings } from '../strings';
import { count, duration } from './format';

/** Why nothing can be evaluated; else `360 generations · typically 410,000 tokens, at most 720,000 · about 12 m 30 s · at most 1.20 USD`, for all models. */
export function planWords(plan: EvaluationPlan, models: number, strings: Strings): string {
  const words = strings.evaluation;
  if (plan.tooLong) return words.tooLong(count(plan.tooLong.longest), count(plan.tooLong.room));
  const times = (value: number) => value * models;
  const tokens =
    plan.tokens.typical === undefined
      ? words.tokensAtMost(count(times(plan.tokens.most)))
      : words.tokensTypically(count(times(plan.tokens.typical)), count(times(plan.tokens.most)));
  return [
    models === 1 ? words.generations(count(plan.generations)) : words.each(count(plan.generations), count(models)),
    tokens,
    plan.seconds === undefined ? words.noPace : words.about(duration(times(plan.seconds), strings.duration)),
    ...(plan.money ? [moneyWords(plan.money, times, strings)] : []),
  ].join(' · ');
}

function moneyWords(
  { typical, most, currency }: NonNullable<EvaluationPlan['money']>,
  times: (value: number) => number,
  { evaluation }: Strings,
): string {
  const money = (value: number) => times(value).toFixed(2);
  return typical === undefined
    ? evaluation.moneyAtMost(money(most), currency)
    : evaluation.moneyTypically(money(typical), money(most), currency);
}
