import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { EvaluationBasis } from '../run/evaluationPlan';
import type { EvaluationChoices } from '../run/evaluationProtocol';
import type { RunState } from '../schema/runState';
import { planWords } from './model/evaluationWords';
import { onDemand } from './onDemand';
import { type Choose, chooseInTurn, dismissed } from './quickPick';
import type { Strings } from './strings';

const heldOut = 'held-out';

export interface ChosenSet {
  readonly dataset: string;
  readonly choices: EvaluationChoices;
}

interface SetItem extends vscode.QuickPickItem {
  readonly does: { readonly dataset: string } | 'file' | 'settings';
  /** Its problems have no room in this model. */
  readonly tooLong?: boolean;
}

const fitting = (sets: readonly SetItem[]): SetItem | undefined => sets.find(({ tooLong }) => !tooLong);

/** Asks on which problems. Enter takes the first that fits, without another question. @throws RetoolError `cancelled`. */
export async function pickEvaluationSet(
  run: RunState,
  title: string,
  models: number,
  strings: Strings,
): Promise<ChosenSet> {
  const words = strings.evaluation;
  const { evaluationBasis } = await onDemand.evaluationPlan();
  const basis = await evaluationBasis(run);
  const chosen = await chooseInTurn(async (choose) => {
    const sets = await itemsOf(basis, {}, models, strings);
    const first = await choose(title, sets, fitting(sets));
    if (first.does !== 'settings') return { does: first.does, choices: {} };
    const choices = await askSettings(basis, choose, strings);
    const set = (await itemsOf(basis, choices, models, strings)).filter(({ does }) => does !== 'settings');
    return { does: (await choose(title, set, fitting(set))).does, choices };
  });
  const { does, choices } = chosen;
  if (typeof does === 'object') return { dataset: does.dataset, choices };
  return { dataset: await askForFile(words.file, strings), choices };
}

/** @throws RetoolError `cancelled`. */
export async function askForFile(title: string, { evaluation }: Strings): Promise<string> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title,
      openLabel: evaluation.evaluate,
      filters: { [evaluation.fileKind]: ['jsonl', 'json', 'parquet'] },
    })) ?? [];
  if (!file) throw dismissed();
  return file.fsPath;
}

async function itemsOf(
  basis: EvaluationBasis,
  choices: EvaluationChoices,
  models: number,
  strings: Strings,
): Promise<SetItem[]> {
  const words = strings.evaluation;
  const [{ planEvaluation }, { namedSets }] = await Promise.all([onDemand.evaluationPlan(), onDemand.namedSets()]);
  const item = (dataset: string, name: string, problems: number | undefined, description?: string): SetItem => {
    const plan = problems === undefined ? undefined : planEvaluation(basis, { dataset: name, problems }, choices);
    return {
      label: words.on(dataset === heldOut ? words.heldOut : name),
      ...(description !== undefined && { description }),
      ...(plan && { detail: planWords(plan, models, strings), tooLong: plan.tooLong !== undefined }),
      does: { dataset },
    };
  };
  const { facts, asked } = basis.run;
  const named = namedSets.map(({ name, problems }) => item(name, name, problems));
  const held = facts?.problems.evaluation ?? 0;
  const [first, ...others] = named;
  return [
    first!,
    ...(held > 0 ? [item(heldOut, heldOut, held)] : []),
    ...others,
    ...filesOf(asked).map(([path, problems]) => item(path, basename(path), problems, path)),
    { label: words.file, detail: words.fileDetail, does: 'file' as const },
    ...(Object.keys(choices).length > 0
      ? []
      : [{ label: words.otherSettings, detail: words.otherSettingsDetail, does: 'settings' as const }]),
  ];
}

/** Files that evaluations of the run were asked on, newest first, with the number of their problems. */
const filesOf = (asked: RunState['asked']): [string, number][] =>
  [
    ...new Map(
      asked.flatMap(({ source, problems }): [string, number][] =>
        source !== undefined && source !== basename(source) ? [[source, problems]] : [],
      ),
    ),
  ].reverse();

async function askSettings(
  { experiment }: EvaluationBasis,
  choose: Choose,
  strings: Strings,
): Promise<EvaluationChoices> {
  const words = strings.evaluation;
  const { samplesPerProblem, temperature } = experiment.evaluation;
  const mode = await choose(
    words.pickMode,
    (['tool', 'text'] as const).map((value) => ({ value, label: words.modes[value] })),
  );
  const samples = await askNumber(
    words.askSamples,
    samplesPerProblem,
    words.wantsWhole,
    (n) => Number.isInteger(n) && n >= 1 && n <= 1024,
  );
  const heat = await askNumber(words.askTemperature, temperature, words.wantsTemperature, (n) => n >= 0 && n <= 100);
  const wantsSeed = (n: number) => Number.isInteger(n) && n >= 0 && n <= 2_147_483_647;
  const seed = await askNumber(words.askSeed, experiment.seed, words.wantsSeed, wantsSeed);
  return { mode: mode.value, samples, temperature: heat, seed };
}

async function askNumber(title: string, value: number, wanted: string, fits: (n: number) => boolean): Promise<number> {
  const text = await vscode.window.showInputBox({
    title,
    value: String(value),
    validateInput: (typed) => (typed.trim() !== '' && fits(Number(typed)) ? undefined : wanted),
  });
  if (text === undefined) throw dismissed();
  return Number(text);
}
