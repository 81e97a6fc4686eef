/** Unicode that LaTeX has a name for. */
const spelt: Readonly<Record<string, string>> = {
  '½': '\\frac{1}{2}',
  '⅓': '\\frac{1}{3}',
  '⅔': '\\frac{2}{3}',
  '¼': '\\frac{1}{4}',
  '¾': '\\frac{3}{4}',
  '⅕': '\\frac{1}{5}',
  '⅖': '\\frac{2}{5}',
  '⅗': '\\frac{3}{5}',
  '⅘': '\\frac{4}{5}',
  '⅙': '\\frac{1}{6}',
  '⅚': '\\frac{5}{6}',
  '⅛': '\\frac{1}{8}',
  '⅜': '\\frac{3}{8}',
  '⅝': '\\frac{5}{8}',
  '⅞': '\\frac{7}{8}',
  '−': '-',
  '–': '-',
  '—': '-',
  '‐': '-',
  '‑': '-',
  '×': '\\times ',
  '÷': '/',
  '·': '\\cdot ',
  '⋅': '\\cdot ',
  '∙': '\\cdot ',
  '∗': '*',
  '∕': '/',
  '⁄': '/',
  '∞': '\\infty ',
  '≤': '\\le ',
  '⩽': '\\le ',
  '≥': '\\ge ',
  '⩾': '\\ge ',
  '≠': '\\ne ',
  '≈': '\\approx ',
  '≡': '\\equiv ',
  '√': '\\sqrt ',
  '±': '\\pm ',
  '∓': '\\mp ',
  '°': '^\\circ ',
  º: '^\\circ ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∅': '\\emptyset ',
  '∈': '\\in ',
  '∖': '\\setminus ',
  ℝ: '\\mathbb{R}',
  ℤ: '\\mathbb{Z}',
  ℕ: '\\mathbb{N}',
  ℚ: '\\mathbb{Q}',
  ℂ: '\\mathbb{C}',
  '∧': '\\wedge ',
  '∨': '\\vee ',
  '¬': '\\neg ',
  '→': '\\to ',
  '∠': '\\angle ',
  '△': '\\triangle ',
  '′': "'",
  '″': "''",
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '…': '\\ldots ',
  '⋯': '\\cdots ',
  '，': ',',
  '、': ',',
  '；': ';',
  '：': ':',
  '。': '.',
  '（': '(',
  '）': ')',
  '【': '[',
  '】': ']',
  '％': '%',
  '⌊': '\\lfloor ',
  '⌋': '\\rfloor ',
  '⌈': '\\lceil ',
  '⌉': '\\rceil ',
  '∑': '\\sum ',
  '∏': '\\prod ',
  '∫': '\\int ',
  α: '\\alpha ',
  β: '\\beta ',
  γ: '\\gamma ',
  δ: '\\delta ',
  ε: '\\epsilon ',
  ζ: '\\zeta ',
  η: '\\eta ',
  θ: '\\theta ',
  κ: '\\kappa ',
  λ: '\\lambda ',
  μ: '\\mu ',
  µ: '\\mu ',
  ν: '\\nu ',
  ξ: '\\xi ',
  π: '\\pi ',
  ρ: '\\rho ',
  σ: '\\sigma ',
  τ: '\\tau ',
  φ: '\\phi ',
  ϕ: '\\phi ',
  χ: '\\chi ',
  ψ: '\\psi ',
  ω: '\\omega ',
  Γ: '\\Gamma ',
  Δ: '\\Delta ',
  Θ: '\\Theta ',
  Λ: '\\Lambda ',
  Π: '\\Pi ',
  Σ: '\\Sigma ',
  Φ: '\\Phi ',
  Ψ: '\\Psi ',
  Ω: '\\Omega ',
};
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ';
const raisedAs = '0123456789+-n';
const lowered = '₀₁₂₃₄₅₆₇₈₉';

/** Full-width forms and letters of the mathematical alphabets are the plain ones. */
const compatible = /[\uff00-\uffef\u3000]|\ud835[\udc00-\udfff]/g;
const invisible = /\u00ad|[\u200b-\u200f]|[\u2060-\u2064]|\ufeff|\ufe0f|[\ue000-\ue00f]/g;
const strange = /[^\x20-\x7e]/;

function spellOut(text: string): string {
  const plain = text
    .replaceAll(invisible, '')
    .replaceAll(compatible, (character) => spelt[character] ?? character.normalize('NFKC'));
  let result = '';
  for (let at = 0; at < plain.length; at += 1) {
    const character = plain[at]!;
    if (character < '\u007f') {
      result += character < ' ' ? ' ' : character;
      continue;
    }
    const up = raised.indexOf(character);
    const down = lowered.indexOf(character);
    if (up >= 0 || down >= 0) {
      const [from, to, mark] = up >= 0 ? [raised, raisedAs, '^'] : [lowered, '0123456789', '_'];
      let run = '';
      while (at < plain.length && from!.includes(plain[at]!)) run += to![from!.indexOf(plain[at++]!)];
      at -= 1;
      result += `${mark}{${run}}`;
    } else result += Object.hasOwn(spelt, character) ? spelt[character] : /\s/.test(character) ? ' ' : character;
  }
  return result;
}

/** Where the brace or bracket that opens at `from` closes, or -1. An escaped brace counts as none. */
export function closingAt(text: string, from: number): number {
  const [open, close] = text[from] === '[' ? ['[', ']'] : ['{', '}'];
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === open) depth += 1;
    else if (character === close && --depth === 0) return at;
  }
  return -1;
}

const wrappers: readonly (readonly [string, string])[] = [
  ['$$', '$$'],
  ['$', '$'],
  ['\\(', '\\)'],
  ['\\[', '\\]'],
  ['**', '**'],
];
const boxes = ['\\boxed', '\\fbox', '\\displaystyle', '\\textstyle'];

function unwrap(text: string): string {
  let inner = text;
  for (let turn = 0; turn < 40; turn += 1) {
    const before = inner;
    inner = inner.trim();
    for (const [open, close] of wrappers) {
      if (
        inner.length > open.length + close.length &&
        inner.startsWith(open) &&
        inner.endsWith(close) &&
        !inner.endsWith(`\\${close}`)
      ) {
        inner = inner.slice(open.length, -close.length).trim();
      }
    }
    for (const box of boxes) {
      if (!inner.startsWith(box)) continue;
      const rest = inner.slice(box.length).trimStart();
      if (rest[0] === '{') {
        if (closingAt(rest, 0) === rest.length - 1) inner = rest.slice(1, -1);
      } else if (!box.endsWith('box') && !/^[a-zA-Z]/.test(rest)) inner = rest;
    }
    if (inner === before) break;
  }
  return inner;
}

/** Commands that only change how something looks, with what stands in their place. */
const replaced = new Map<string, string>();
for (const [instead, names] of [
  [
    ' ',
    'left right big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr Biggl Biggr displaystyle textstyle limits',
  ],
  [' ', 'nolimits mathstrut thinspace allowbreak quad qquad'],
  ['', 'underline cancel mathop ensuremath mathrel mathbin mathord boxed fbox'],
  ['\\frac', 'dfrac tfrac cfrac'],
  ['\\binom', 'dbinom tbinom'],
  ['\\{', 'lbrace'],
  ['\\}', 'rbrace'],
] as const) {
  for (const name of names.split(' ')) replaced.set(name, instead);
}
/** Rows end at U+E001, amounts of money begin with U+E002: characters that no text holds after cleaning. */
const marks: Readonly<Record<string, string>> = { '\\': '\ue001', $: '\ue002', '!': '' };
for (const space of ',;:> ') Object.assign(marks, { [space]: ' ' });

const escapes = /\\(?:([a-zA-Z]+)|([^a-zA-Z]))/g;
const colours = /\\(?:color|textcolor)\s*\{[a-zA-Z]*\}|\\(?:hspace|vspace|label|tag|phantom)\*?\s*\{[^{}]*\}/g;
const circles = /\^\s*(?:\\(?:circ|degree)(?![a-zA-Z])|\{\s*\\(?:circ|degree)\s*\})/g;
const primes = /\^\s*\{\s*\\prime\s*\}|\^\s*\\prime(?![a-zA-Z])/g;

/** `\\[6pt]`: white space between rows. */
const rowGaps = /\\\\ *\[ *-?(?:\d+\.?\d*|\.\d+) *(?:pt|ex|em|mm|cm|in|pc|bp|mu|sp) *\]/g;

function cleanCommands(text: string): string {
  let result = text.replaceAll(rowGaps, '\\\\');
  if (!result.includes('\\begin')) result = result.replaceAll(/\\\\(?=[a-zA-Z$%{}])/g, '\\');
  if (result.includes('\\!')) result = result.replaceAll(/,\\! *(?=\d{3}(?!\d))/g, ',');
  if (/color|space|label|tag|phantom/.test(result)) result = result.replaceAll(colours, '');
  if (/circ|degree/.test(result)) result = result.replaceAll(circles, '\\degree ');
  if (result.includes('\\prime')) result = result.replaceAll(primes, "'");
  if (/\\(?:left|right)\s*\./.test(result)) result = result.replaceAll(/\\(?:left|right)\s*\./g, ' ');
  return result.replaceAll(escapes, (whole: string, name: string | undefined, mark: string) =>
    name === undefined ? (marks[mark] ?? whole) : (replaced.get(name) ?? whole),
  );
}

/**
 * A text with one spelling for what is written in several ways: unicode, `\dfrac`, `\left`, spacing, wrappers. The meaning
 * of what is left belongs to the parser.
 */
export function cleanText(text: string): string {
  let result = unwrap(strange.test(text) ? spellOut(text) : text);
  if (result.includes('\\')) result = cleanCommands(result);
  if (result.includes('~')) result = result.replaceAll('~', ' ');
  if (result.includes('{,}')) result = result.replaceAll('{,}', ',');
  if (result.includes('$')) result = result.replaceAll('$', ' ');
  if (result.includes('**')) result = result.replaceAll(/^\*\*|\*\*$/g, '');
  return trimPunctuation(result);
}

function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && (' .,;:\ue001'.includes(text[end - 1]!) || (text[end - 1] === '\\' && text[end - 2] !== '\\')))
    end -= 1;
  let from = 0;
  while (from < end && (text[from] === ' ' || text[from] === ':')) from += 1;
  return text.slice(from, end);
}
