import type {
  FromLaboratory,
  LaboratoryRow,
  LaboratoryState,
  LaboratoryWords,
  ToLaboratory,
} from '../src/schema/laboratory';
import { button, h, on, setText } from './dom';
import { hostOf, json } from './page';
import { reportProblems } from './problems';

const host = hostOf<FromLaboratory, LaboratoryState>();
const words = json('strings') as LaboratoryWords;
const panel = json('panel') as Pick<LaboratoryState, 'runId' | 'place'>;

const glyphs = { correct: '●', incorrect: '○', unknown: '?' } as const;
const rowsAtOnce = 200;

let disputedOnly = host.getState()?.disputedOnly ?? false;
let graded: Extract<ToLaboratory, { type: 'graded' }> | undefined;
let limit = rowsAtOnce;

const title = h('h1', {}, '');
const caption = h('p', { class: 'secondary' }, words.grading);
const filter = h('input', { type: 'checkbox', id: 'disputed', testid: 'disputed-only' });
filter.checked = disputedOnly;
const toolbar = h(
  'div',
  { class: 'toolbar' },
  h('label', { class: 'key', for: 'disputed' }, filter, words.disputedOnly),
  h(
    'span',
    { class: 'verdict-keys' },
    ...(['correct', 'incorrect', 'unknown'] as const).map((verdict) =>
      h(
        'span',
        { class: 'key' },
        h('span', { class: `glyph ${verdict}`, 'aria-hidden': 'true' }, glyphs[verdict]),
        words[verdict],
      ),
    ),
    h('span', { class: 'key' }, h('span', { class: 'sign', 'aria-hidden': 'true' }, '⚑'), words.signs),
  ),
  h('span', { class: 'spring' }),
  button(words.exportJsonl, () => host.postMessage({ type: 'export', format: 'jsonl' }), 'export-jsonl'),
  button(words.exportCsv, () => host.postMessage({ type: 'export', format: 'csv' }), 'export-csv'),
);
const head = h('thead', {});
const body = h('tbody', {});
const table = h('table', { class: 'rules', 'aria-label': words.table, testid: 'rules' }, head, body);
const scroller = h('div', { class: 'scroller' }, table);
const beyond = h('p', { class: 'beyond secondary', testid: 'rules-beyond' });
const agreement = h('p', { class: 'empty' }, words.agreement);
const more = button('', () => {
  limit += rowsAtOnce;
  draw();
});
const detail = h('aside', { class: 'detail', 'aria-live': 'polite', testid: 'reasons' });

function draw(): void {
  const { rules = [], rows = [] } = graded ?? {};
  const shown = disputedOnly ? rows.filter(({ disputed }) => disputed) : rows;
  head.replaceChildren(
    h(
      'tr',
      {},
      h('th', { scope: 'col', class: 'name' }, words.trajectory),
      h('th', { scope: 'col' }, words.gold),
      h('th', { scope: 'col' }, words.predicted),
      ...rules.map(({ name, about, own }) =>
        h(
          'th',
          { scope: 'col', class: own ? 'rule own' : 'rule', title: about },
          // A long name may break at its hyphens only.
          name,
          ...(own ? [h('span', { class: 'secondary' }, words.ownRule)] : []),
        ),
      ),
    ),
    h(
      'tr',
      { class: 'totals' },
      h('th', { scope: 'row', class: 'name' }, words.total),
      h('td', { colspan: '2' }),
      ...rules.map(({ share, total }) => h('td', { class: 'rule', title: total, 'aria-label': total }, share)),
    ),
  );
  body.replaceChildren(...shown.slice(0, limit).map(rowOf));
  agreement.hidden = shown.length > 0 || !graded;
  table.hidden = shown.length === 0 && rows.length === 0;
  more.hidden = shown.length <= limit;
  setText(more, words.more.replace('{0}', String(Math.min(rowsAtOnce, shown.length - limit))));
  toolbar.hidden = !graded;
  requestAnimationFrame(tellOfRulesBeyond);
  detail.replaceChildren(...(shown.length > 0 ? [h('p', { class: 'secondary' }, words.keys)] : []));
}

/** Columns that lie to the right of what is shown: a scroll bar alone is overlooked. */
function tellOfRulesBeyond(): void {
  const edge = scroller.getBoundingClientRect().left + scroller.clientWidth;
  const hidden = [...head.querySelectorAll('th.rule')].filter((cell) => cell.getBoundingClientRect().right > edge + 1);
  const sentence = hidden.length === 1 ? words.ruleBeyond : words.rulesBeyond;
  setText(beyond, hidden.length === 0 ? '' : sentence.replace('{0}', String(hidden.length)));
}
on(scroller, 'scroll', tellOfRulesBeyond);
window.addEventListener('resize', tellOfRulesBeyond);

function rowOf(row: LaboratoryRow): HTMLElement {
  const opener = h(
    'button',
    { type: 'button', class: 'link', 'aria-label': words.open.replace('{0}', row.label) },
    row.label,
  );
  on(opener, 'click', () => host.postMessage({ type: 'open', row: row.index }));
  on(opener, 'focus', () => explain(row));
  const element = h(
    'tr',
    { class: row.disputed ? 'disputed' : undefined },
    h(
      'th',
      { scope: 'row', class: 'name' },
      opener,
      ...(row.signs.length > 0
        ? [
            h(
              'span',
              {
                class: 'sign',
                title: row.signs.join('\n'),
                role: 'img',
                'aria-label': `${words.signs}: ${row.signs.join(', ')}`,
              },
              '⚑',
            ),
          ]
        : []),
    ),
    h('td', { class: 'answer', title: row.gold }, row.gold),
    h(
      'td',
      { class: 'answer', title: row.predicted ?? '' },
      row.predicted ?? h('span', { class: 'secondary' }, words.none),
    ),
    ...row.cells.map(({ verdict, reward, reason }) =>
      h(
        'td',
        { class: 'rule', title: `${words[verdict]}: ${reason}` },
        h('span', { class: `glyph ${verdict}`, role: 'img', 'aria-label': words[verdict] }, glyphs[verdict]),
        ' ',
        reward,
      ),
    ),
  );
  on(element, 'pointerenter', () => explain(row));
  return element;
}

/** Says below the table who says what of a row, and why. */
function explain(row: LaboratoryRow): void {
  const { rules = [] } = graded ?? {};
  const groups = new Map<string, { verdict: keyof typeof glyphs; reason: string; names: string[] }>();
  row.cells.forEach(({ verdict, reason }, index) => {
    const key = `${verdict} ${reason}`;
    const group = groups.get(key) ?? { verdict, reason, names: [] };
    group.names.push(rules[index]!.name);
    groups.set(key, group);
  });
  detail.replaceChildren(
    h('strong', {}, row.label),
    ...(row.signs.length > 0 ? [h('span', { class: 'sign' }, ` ⚑ ${row.signs.join(' · ')}`)] : []),
    h(
      'ul',
      {},
      ...[...groups.values()].map(({ verdict, reason, names }) =>
        h(
          'li',
          {},
          h('span', { class: `glyph ${verdict}`, 'aria-hidden': 'true' }, glyphs[verdict]),
          ` ${words[verdict]}: ${reason} `,
          h('span', { class: 'secondary' }, names.join(', ')),
        ),
      ),
    ),
  );
}

on(filter, 'change', () => {
  disputedOnly = filter.checked;
  limit = rowsAtOnce;
  host.setState({ ...panel, disputedOnly });
  draw();
});

on(body, 'keydown', (event) => {
  const openers = [...body.querySelectorAll<HTMLElement>('button.link')];
  const at = openers.indexOf(document.activeElement as HTMLElement);
  const last = openers.length - 1;
  const to = { ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  openers[to]?.focus();
});

window.addEventListener('message', ({ data }: MessageEvent<ToLaboratory>) => {
  if (data.type === 'failed') {
    setText(caption, data.message);
    return;
  }
  graded = data;
  setText(title, data.title);
  setText(caption, data.caption);
  draw();
});

reportProblems((message) => host.postMessage({ type: 'problem', message }));

document.getElementById('app')?.append(title, caption, toolbar, scroller, beyond, agreement, more, detail);
draw();
host.setState({ ...panel, disputedOnly });
host.postMessage({ type: 'ready' });
