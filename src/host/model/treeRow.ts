import { runningEvaluation, totalSteps } from '../../journal/forecast';
import type { RolloutSummary } from '../../journal/rolloutIndex';
import { wilson } from '../../lib/wilsonInterval';
import type { AskedEvaluation, RunState, RunStatus } from '../../schema/runState';
import type { RolloutPlace } from '../../schema/trajectory';
import type { Strings } from '../strings';
import { distinction, settingsText } from './askedDistinction';
import { askedRow, evaluationsOf, resultWords } from './askedRow';
import { count, duration, percent, reward as rewardText, signed, startText } from './format';
import type { TreeRow } from './row';
import { reinforcementPoints } from './runProgress';
import { sparkline } from './sparkline';
import { leftText, rewardNote } from './statusText';
import { subjectText } from './subjectText';
import type { NodeOf, TreeNode } from './treeNode';

const blue = 'retool.correct';
const orange = 'retool.incorrect';
const yellow = 'charts.yellow';

export const statusIcons: Record<RunStatus, { icon: string; color: string }> = {
  running: { icon: 'loading~spin', color: blue },
  completed: { icon: 'pass', color: blue },
  stopped: { icon: 'stop-circle', color: 'retool.secondaryText' },
  failed: { icon: 'error', color: 'errorForeground' },
  interrupted: { icon: 'debug-disconnect', color: yellow },
};

const joined = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(' · ');

export function treeRow(node: TreeNode, run: RunState, strings: Strings): TreeRow {
  const words = strings.tree;
  switch (node.kind) {
    case 'run':
      return runRow(run, strings);
    case 'imported':
      return importedRow(run, strings);
    case 'dashboard':
      return {
        label: words.dashboard,
        description: dashboardFacts(run, strings),
        icon: 'graph-line',
        context: 'dashboard',
      };
    case 'experiment':
      return {
        label: words.experiment,
        description: joined(run.facts?.service.kind, words.seed(run.seed)),
        icon: 'json',
        color: yellow,
        context: 'experiment',
        ...(run.facts && { tooltip: words.python(run.facts.python.version, run.facts.python.level) }),
      };
    case 'checkpoints':
      return { ...folderRow(words.checkpoints, run.checkpoints.length + 1, 'milestone'), context: 'checkpoints' };
    case 'checkpoint':
      return checkpointRow(node, run, strings);
    case 'evaluations':
      return {
        ...folderRow(words.evaluations, Object.keys(run.evaluations).length + run.asked.length, 'beaker'),
        context: 'evaluations',
      };
    case 'evaluation':
      return evaluationRow(node, run, strings);
    case 'steps':
      return { ...folderRow(words.steps, reinforcementPoints(run).length, 'list-tree'), context: 'steps' };
    case 'stepRange':
      return { label: words.steps50(node.from, node.to), icon: 'folder', expanded: false, context: 'stepRange' };
    case 'step':
      return stepRow(node, run, strings);
    case 'verdict':
      return {
        label: words.verdicts[node.verdict],
        description: String(node.rows.length),
        ...verdictLook(node.verdict),
        expanded: false,
        context: 'verdict',
      };
    case 'problem':
      return problemRow(node, strings);
    case 'trajectory':
      return trajectoryRow(node, strings);
    case 'hint':
      return { label: '', description: node.text, context: 'hint' };
  }
}

const folderRow = (label: string, size: number, icon: string) => ({
  label,
  description: String(size),
  icon,
  ...(size > 0 && { expanded: false }),
});

const importedRow = ({ asked, folder }: RunState, { tree }: Strings): TreeRow => ({
  ...folderRow(tree.imported, asked.length, 'cloud-download'),
  spoken: tree.importedSpoken(asked.length),
  tooltip: tree.importedWhere(folder),
  context: 'imported',
});

function runRow(run: RunState, strings: Strings): TreeRow {
  const rewards = reinforcementPoints(run).flatMap(({ metrics }) => metrics['reward/mean'] ?? []);
  const reward = rewards.at(-1);
  const last = run.checkpoints.at(-1);
  const progress = `${run.step}/${totalSteps(run)}`;
  const started = startText(run.startedAt);
  const state = run.pending
    ? strings.progress[run.pending]
    : run.status === 'running'
      ? undefined
      : strings.status[run.status];
  return {
    label: run.name,
    spoken: [
      run.name,
      strings.tree.started(started),
      run.phase === 'coldStart' ? strings.phase.coldStart : undefined,
      strings.tree.stepOf(run.step, totalSteps(run)),
      reward === undefined ? undefined : `${strings.trajectory.reward} ${signed(reward)}`,
      state ?? strings.status[run.status],
    ]
      .filter(Boolean)
      .join(', '),
    // A narrow view cuts off what is last: the icon tells the state too.
    description: joined(
      started,
      reward === undefined ? undefined : signed(reward),
      state,
      run.phase === 'coldStart' ? `${strings.phase.coldStart} ${progress}` : progress,
      run.status !== 'interrupted'
        ? undefined
        : last?.phase === run.phase
          ? strings.tree.lastSaved(last.step)
          : last
            ? undefined
            : strings.tree.nothingSaved,
      rewards.length > 0 ? sparkline(rewards) : undefined,
    ),
    tooltip: [
      `${run.name}: ${strings.status[run.status]}`,
      run.startedAt === undefined ? undefined : strings.tree.started(new Date(run.startedAt).toLocaleString()),
      rewardNote(run, strings),
      run.status === 'interrupted' ? strings.dashboard.interruptedNote : run.message,
      run.hint,
      run.skipped > 0 ? strings.tree.skipped(run.skipped) : undefined,
      run.id,
    ]
      .filter(Boolean)
      .join('\n'),
    ...statusIcons[run.status],
    expanded: false,
    context: `run.${run.status}`,
  };
}

function dashboardFacts(run: RunState, strings: Strings): string {
  const warnings = run.notices.filter(({ level }) => level === 'warning').length;
  return joined(
    leftText(run, strings),
    warnings === 0 ? undefined : warnings === 1 ? strings.tree.oneNotice : strings.tree.notices(warnings),
  );
}

function checkpointRow({ phase, step }: NodeOf<'checkpoint'>, run: RunState, strings: Strings): TreeRow {
  const saved = run.checkpoints.find((candidate) => candidate.phase === phase && candidate.step === step);
  const scored = Object.values(run.evaluations).find(
    (candidate) => candidate.phase === phase && candidate.step === step && candidate.result,
  );
  const asked = evaluationsOf({ phase, step }, run).filter(({ status }) => status === 'done');
  const nameOf = (each: AskedEvaluation) => {
    const unlike = distinction(each, asked, strings);
    return unlike === undefined ? each.dataset : `${each.dataset} (${unlike})`;
  };
  const facts = [
    scored?.result && strings.tree.correctShare(percent(scored.result.correct)),
    ...asked.map((each) => each.result && `${nameOf(each)} ${percent(each.result.average, 1)}`),
  ];
  const has = facts.some(Boolean);
  return {
    label: subjectText({ phase, step }, strings),
    description: joined(...facts),
    tooltip: [
      saved
        ? `${strings.tree.saved(new Date(saved.time).toLocaleString())}\n${saved.path}`
        : strings.evaluation.baseWhy,
      ...asked.map((each) => `${each.dataset} (${settingsText(each, strings)}): ${resultWords(each, strings)}`),
      strings.evaluation.click,
    ].join('\n'),
    icon: has ? 'pass-filled' : 'circle-large-outline',
    color: has ? blue : 'retool.secondaryText',
    context: 'checkpoint',
  };
}

function evaluationRow({ id }: NodeOf<'evaluation'>, run: RunState, strings: Strings): TreeRow {
  const words = strings.tree;
  const asked = run.asked.find((candidate) => candidate.id === id);
  if (asked) return askedRow(asked, run.asked, strings);
  const known = run.evaluations[id];
  const result = known?.result;
  const label = evaluationName(id, words);
  if (!known || !result) {
    const runs = runningEvaluation(run)?.id === id;
    const far = strings.progress.evaluating(count(known?.done ?? 0), count(known?.rollouts ?? 0));
    return {
      label,
      description: runs ? far : words.unfinished,
      icon: runs ? 'loading~spin' : 'circle-large-outline',
      color: runs ? blue : 'retool.secondaryText',
      context: 'evaluation',
    };
  }
  const { low, high } = result.interval ?? wilson(result.correct, result.problems);
  return {
    label,
    description: joined(
      words.correctShare(percent(result.correct, 1)),
      `${words.tool} ${percent(result.tool)}`,
      `${words.format} ${percent(result.format)}`,
    ),
    tooltip: [
      `${words.correct} ${percent(result.correct, 1)}, ${words.interval(percent(low), percent(high))}`,
      words.problemsAndSamples(count(result.problems), count(result.samples)),
      ...Object.entries(result.byKind).map(
        ([kind, part]) => `${kind}: ${words.correctShare(percent(part.correct))}, ${words.tool} ${percent(part.tool)}`,
      ),
    ].join('\n'),
    icon: 'pass-filled',
    color: blue,
    expanded: false,
    context: 'evaluation.done',
  };
}

function stepRow({ step }: NodeOf<'step'>, run: RunState, strings: Strings): TreeRow {
  const metrics = run.points.findLast((point) => point.phase === 'reinforcement' && point.step === step)?.metrics ?? {};
  const reward = metrics['reward/mean'];
  const correct = metrics['reward/correct'];
  const seconds = metrics['time/step_seconds'];
  return {
    label: strings.tree.step(step),
    description: joined(
      reward === undefined ? undefined : signed(reward),
      correct === undefined ? undefined : strings.tree.correctShare(percent(correct)),
      seconds === undefined ? undefined : duration(seconds, strings.duration),
    ),
    icon: 'zap',
    expanded: false,
    context: 'step',
  };
}

const verdictDots = { correct: '●', incorrect: '○', unknown: '?' };

/** True when a group is not trained on: its rewards are equal, or a filter dropped it. */
export const isFlat = (group: readonly RolloutSummary[]): boolean => group.every(({ advantage }) => advantage === 0);

const verdictLook = (verdict: RolloutSummary['verdict']) => ({
  icon: verdict === 'correct' ? 'pass' : verdict === 'incorrect' ? 'circle-slash' : 'question',
  color: verdict === 'correct' ? blue : verdict === 'incorrect' ? orange : 'retool.secondaryText',
});

function problemRow({ place, group }: NodeOf<'problem'>, strings: Strings): TreeRow {
  const right = group.filter(({ verdict }) => verdict === 'correct').length;
  const flat = 'step' in place && isFlat(group);
  const first = group[0];
  return {
    label: first?.problemId ?? '',
    spoken: [
      first?.problemId,
      strings.tree.correctOf(right, group.length),
      flat ? strings.tree.noGradient : undefined,
      first?.kind,
    ]
      .filter(Boolean)
      .join(', '),
    description: joined(
      `${right}/${group.length}`,
      flat ? strings.tree.noGradient : undefined,
      // A narrow view cuts off what is last: a large group has many.
      group.map(({ verdict }) => verdictDots[verdict]).join(''),
      first?.kind,
    ),
    tooltip: [`${strings.trajectory.gold}: ${first?.gold}`, flat ? strings.tree.noGradientWhy : undefined]
      .filter(Boolean)
      .join('\n'),
    icon: flat ? 'circle-slash' : 'list-unordered',
    expanded: false,
    context: 'problem',
  };
}

function trajectoryRow({ row, alone }: NodeOf<'trajectory'>, strings: Strings): TreeRow {
  const words = strings.tree;
  return {
    label: alone ? row.problemId : words.branch(row.branch),
    spoken: [
      alone ? row.problemId : words.branch(row.branch),
      strings.trajectory.verdict[row.verdict],
      answerOf(row, strings),
      row.calls === 1 ? words.oneCall : words.calls(row.calls),
    ].join(', '),
    description: joined(
      answerOf(row, strings),
      row.calls === 1 ? words.oneCall : words.calls(row.calls),
      words.tokens(count(row.tokens)),
    ),
    tooltip: row.imported
      ? strings.trajectory.asImported(strings.trajectory.verdict[row.verdict])
      : joined(
          `${strings.trajectory.reward} ${rewardText(row.reward)}`,
          `${strings.trajectory.advantage} ${signed(row.advantage)}`,
          strings.trajectory.stop[row.stop as keyof Strings['trajectory']['stop']] ?? row.stop,
        ),
    ...verdictLook(row.verdict),
    context: 'trajectory',
  };
}

/** `28`, `26 ≠ 28`, `2^{9^{9}} ≟ 28` where that was not understood, `no answer`. */
export function answerOf({ predicted, gold, verdict }: RolloutSummary, strings: Strings): string {
  if (predicted === null) return strings.tree.noAnswer;
  const short = (text: string) => (text.length > 24 ? `${text.slice(0, 23)}…` : text);
  return verdict === 'correct'
    ? short(predicted)
    : `${short(predicted)} ${verdict === 'unknown' ? '≟' : '≠'} ${short(gold)}`;
}

/** `Step 137`, `Before reinforcement`. */
export const placeText = (place: RolloutPlace, { tree }: Strings): string =>
  'step' in place ? tree.step(place.step) : evaluationName(place.evaluation, tree);

/** Of an evaluation that was asked for, `AIME25.step-40`: what follows is a hash. */
function evaluationName(id: string, words: Strings['tree']): string {
  if (id === 'before') return words.before;
  if (id === 'after') return words.after;
  const within = /^step-(\d+)$/.exec(id)?.[1];
  return within === undefined ? id.replace(/^(.+\..+)\.[0-9a-f]{8}$/, '$1') : words.step(Number(within));
}
