import { Unread } from './effort';
import { changes, isNumberWord, multiplierOf } from './numberWords';
import { multiply, one, power, type Rational, rational } from './rational';
import { turning, turningEnd } from './turningWords';

/** What stands behind a value. `scale` converts to the dimension's own unit. */
export interface Unit {
  /** Dimension with exponents, sorted: "length2", "length1 time-1". A noun that is no known unit is a dimension of its own. */
  readonly dimension: string;
  readonly scale: Rational;
  /** Says how much, not of what: "units", "ways". */
  readonly vague: boolean;
  /** Words that turn the meaning of the value, "below", "January": never left out on one side. Empty where there are none. */
  readonly turn: string;
  /** What is measured, beside a known unit: the "water" of "5 liters of water". Empty where it is not said. */
  readonly of: string;
  /** As it was written. */
  readonly text: string;
}

const plainUnit = (dimension: string, text: string): Unit => ({
  dimension,
  scale: one,
  vague: false,
  turn: '',
  of: '',
  text,
});
export const percent: Unit = plainUnit('percent', '%');
export const degree: Unit = plainUnit('angle1', '°');
export const dollar: Unit = plainUnit('dollar1', 'dollars');

type Entry = readonly [dimension: string, scale: string, names: string];

const table: readonly Entry[] = [
  ['length', '1', 'm meter metre 米'],
  ['length', '1000', 'km kilometer kilometre 千米 公里'],
  ['length', '1/100', 'cm centimeter centimetre 厘米'],
  ['length', '1/1000', 'mm millimeter millimetre 毫米'],
  ['length', '1/10', 'dm decimeter decimetre 分米'],
  ['length', '254/10000', 'in inch inches'],
  ['length', '3048/10000', 'ft foot feet'],
  ['length', '9144/10000', 'yd yard'],
  ['length', '1609344/1000', 'mi mile'],
  ['time', '1', 's sec second 秒'],
  ['time', '60', 'min minute 分钟'],
  ['time', '3600', 'h hr hour 小时 时'],
  ['time', '86400', 'day 天'],
  ['time', '604800', 'week wk 周'],
  ['time', '1/1000', 'ms millisecond'],
  ['month', '1', 'month'],
  ['month', '12', 'year yr 年'],
  ['mass', '1', 'g gm gram 克'],
  ['mass', '1000', 'kg kilogram 千克'],
  ['mass', '1/1000', 'mg milligram'],
  ['mass', '1000000', 'tonne'],
  ['mass', '45359237/100000', 'lb pound lbs'],
  ['mass', '45359237/1600000', 'oz ounce'],
  ['length3', '1/1000', 'l liter litre L 升'],
  ['length3', '1/1000000', 'ml mL milliliter millilitre cc 毫升'],
  ['length3', '3785411784/1000000000000', 'gallon gal'],
  ['length2', '10000', 'hectare ha'],
  ['dollar', '1', 'dollar usd'],
  ['dollar', '1/100', 'cent ¢'],
  ['euro', '1', 'euro eur €'],
  ['sterling', '1', 'gbp £'],
  ['yuan', '1', 'yuan rmb cny 元 ¥'],
  ['rupee', '1', 'rupee ₹'],
  ['angle', '1', 'degree deg 度'],
  ['angle', '1/60', 'arcminute'],
  ['angle', '1/3600', 'arcsecond'],
  ['radian', '1', 'radian rad'],
  ['force', '1', 'N newton'],
  ['energy', '1', 'J joule'],
  ['energy', '1000', 'kJ kilojoule'],
  ['power', '1', 'W watt'],
  ['power', '1000', 'kW kilowatt'],
  ['current', '1', 'A ampere amp'],
  ['voltage', '1', 'V volt'],
  ['frequency', '1', 'Hz hertz'],
  ['temperature', '1', 'K kelvin'],
  ['celsius', '1', 'celsius ℃'],
  ['fahrenheit', '1', 'fahrenheit ℉'],
];

const known = new Map<string, { readonly dimension: string; readonly scale: Rational }>();
for (const [dimension, scale, names] of table) {
  const [above, below] = scale.split('/');
  const value = { dimension, scale: rational(BigInt(above!), BigInt(below ?? '1'))! };
  for (const name of names.split(' ')) known.set(name, value);
}

/** Words that say nothing about what is counted. */
const vague = new Set('unit way total in altogether each answer about approximately exactly'.split(' '));

/** Names that are units even where nothing marks them as text. */
export const isUnitName = (name: string): boolean =>
  name.length > 1 &&
  (lookUp(name) !== undefined ||
    /^(?:mph|kph|pct|percent|sq|square|cubic|squared|cubed)$/.test(name) ||
    isNumberWord(name));

function lookUp(name: string): { readonly dimension: string; readonly scale: Rational } | undefined {
  // Mega is not milli.
  if (/^M[gmslL]$/.test(name)) return undefined;
  const lower = name.toLowerCase();
  return known.get(name) ?? known.get(lower) ?? (lower.length > 2 ? known.get(lower.replace(/s$/, '')) : undefined);
}

/** "cm^2", "miles per hour", "square feet", "children tickets". @returns the unit and what the value is multiplied by. */
export function readUnit(text: string): { readonly unit: Unit | undefined; readonly factor: Rational } {
  const words = text
    .replaceAll(/[{}()~]/g, ' ')
    .replaceAll(/([a-z])\.(?=[a-z])/gi, '$1')
    .replaceAll(/\b(mph|kph)\b/gi, (name) => (name.toLowerCase() === 'mph' ? 'mi / h' : 'km / h'))
    .replaceAll(/\bkmh\b/gi, 'km / h')
    .replaceAll(/\bdeg(?:rees?)? (?=(?:celsius|fahrenheit|[CF])\b)/gi, '°')
    .replaceAll(/°(?:C|F)\b/g, (name) => (name === '°C' ? 'celsius' : 'fahrenheit'))
    .replaceAll('°', ' ')
    .replaceAll(/\bbasis points?\b/gi, 'bps')
    .replaceAll(/\bper mille?\b/gi, '‰')
    .replaceAll(/\bper cent\b/gi, 'percent')
    .replaceAll(/(平方|立方)/g, '$1 ')
    .replaceAll(/千(?![米克瓦升卡帕焦伏赫])|百(?!分)|[十万亿‰‱成]/g, '$& ')
    .replaceAll('每', ' / ')
    .replaceAll('左右', ' ')
    .replaceAll(/([/^*·])/g, ' $1 ')
    .split(/[\s,.]+/)
    .filter((word) => word !== '');
  let factor = one;
  let [sign, pending] = [1, 1];
  let scale: Rational = one;
  const dimensions = new Map<string, number>();
  const nouns: { readonly name: string; power: number }[] = [];
  const turns: string[] = [];
  const shown = text.replaceAll(/ +/g, ' ').trim();
  let last: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    const lower = word.toLowerCase();
    const multiplier = multiplierOf(lower);
    if (multiplier) factor = scaled(factor, multiplier);
    else if (word === '/' || lower === 'per') sign = -1;
    else if (word === '*' || word === '·') sign = 1;
    else if (lower === 'square' || lower === 'sq' || lower === '平方') pending = 2;
    else if (lower === 'cubic' || lower === 'cu' || lower === '立方') pending = 3;
    else if (lower === 'squared' || lower === 'cubed') raise(lower === 'squared' ? 1 : 2);
    else if (word === '^') raise(exponentAt(index++) - 1);
    else if (lower === 'percent' || lower === 'pct') dimensions.set('percent', 0);
    else if (lower === 'in' && (last !== undefined || nouns.length > 0)) last = undefined;
    else if (turning.has(lower)) turns.push(lower);
    else if (changes(lower)) throw new Unread(`"${lower}" changes the value`);
    else if (/^(?:th|st|nd|rd|of|the|a|an)$/.test(lower)) last = undefined;
    else {
      const end = lookUp(word) ? undefined : turningEnd.exec(word)?.[0];
      if (end !== undefined) turns.push(end);
      const name = end === undefined ? word : word.slice(0, -end.length);
      const unit = lookUp(name);
      if (unit) times(unit.dimension, unit.scale, sign * pending);
      else if (name !== '') nouns.push({ name: name.toLowerCase().replace(/(?<=...)s$/, ''), power: pending });
      last = unit ? name : undefined;
      [sign, pending] = [1, 1];
    }
  }
  function scaled(value: Rational, by: Rational): Rational {
    const product = multiply(value, by);
    if (!product) throw new Unread('the number is too large');
    return product;
  }
  function exponentAt(index: number): number {
    const value = Number(words[index + 1]);
    return Number.isInteger(value) && Math.abs(value) < 10 ? value : 1;
  }
  function raise(by: number): void {
    const unit = last === undefined ? undefined : lookUp(last);
    if (!unit && nouns.length === 0) throw new Unread('a power belongs to no unit');
    if (unit) times(unit.dimension, unit.scale, by);
    else nouns.at(-1)!.power += by;
  }
  function times(dimension: string, by: Rational, exponent: number): void {
    const [, name, count] = /^(\D+)(\d?)$/.exec(dimension)!;
    dimensions.set(name!, (dimensions.get(name!) ?? 0) + exponent * Number(count || 1));
    scale = multiply(scale, power(by, { n: BigInt(exponent), d: 1n }) ?? one) ?? one;
  }
  if (pending !== 1) throw new Unread('a power belongs to no unit');
  const turn = turns.sort().join(' ');
  const written = ({ name, power }: (typeof nouns)[number]) => (power === 1 ? name : `${name}^${power}`);
  const of = nouns
    .filter(({ name, power }) => !vague.has(name) || power !== 1)
    .map(written)
    .join(' ');
  if (dimensions.has('percent')) return { unit: { ...percent, turn, of }, factor };
  if (dimensions.size > 0) {
    const sorted = [...dimensions].filter(([, count]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    const dimension = sorted.map(([name, count]) => name + count).join(' ');
    return { unit: { dimension, scale, vague: false, turn, of, text: shown }, factor };
  }
  if (nouns.length === 0 && turn === '') return { unit: undefined, factor };
  const isVague = nouns.every(({ name }) => vague.has(name));
  return {
    unit: {
      dimension: `noun ${of || nouns.map(written).join(' ')}`,
      scale: one,
      vague: isVague,
      turn,
      of: '',
      text: shown,
    },
    factor,
  };
}

/** One unit behind another: "$5 profit", "10% increase", "$5 per hour". Undefined where they do not go together. */
export function joinedUnits(inner: Unit, outer: Unit): Unit | undefined {
  const [first, second] = isNoun(inner) ? [outer, inner] : [inner, outer];
  const words = (texts: readonly string[]) => texts.filter((text) => text !== '').join(' ');
  const both = {
    vague: false,
    turn: words([first.turn, second.turn]),
    text: words([inner.text, outer.text]),
  };
  if (isNoun(second)) {
    const of = words([first.of, second.vague ? '' : second.dimension.slice('noun '.length)]);
    return { ...first, ...both, vague: first.vague && second.vague, of };
  }
  if (first.dimension === 'percent' || second.dimension === 'percent') return undefined;
  const dimension = [...first.dimension.split(' '), ...second.dimension.split(' ')].sort().join(' ');
  return { ...both, dimension, scale: multiply(first.scale, second.scale) ?? one, of: words([first.of, second.of]) };
}

/** Whether a unit stands behind a larger one for a part of the same: the minutes of "2 hours 30 minutes". */
export function isPartOf(smaller: Unit, larger: Unit): boolean {
  const [a, b] = [smaller.scale, larger.scale];
  const isPlain = lookUp(larger.text.replace(/\.$/, '')) !== undefined && larger.turn === '' && larger.of === '';
  return isPlain && smaller.dimension === larger.dimension && a.n * b.d < b.n * a.d;
}

/** Whether it is no known unit. */
export const isNoun = ({ dimension }: Unit) => dimension.startsWith('noun');

/** Whether nothing that the words of two units say keeps them apart. */
export const sameWords = (a: Unit, b: Unit): boolean =>
  a.turn === b.turn && (a.of === b.of || a.of === '' || b.of === '');

/** What units that measure the same in the same way share, scales aside. */
export const signatureOf = ({ dimension, turn, of }: Unit): string => [dimension, turn, of].join('|');

/** "units", "square units": of a known power, whatever they measure. */
export const isSized = ({ dimension, vague: isVague }: Unit): boolean => isVague && dimension.includes(' unit');

/** The power of a length that a unit is: 2 of "square units", cm² and hectares. Undefined where it does not say. */
function powerOf(unit: Unit): number | undefined {
  if (unit.vague && !isSized(unit)) return undefined;
  const found = /^length(\d)$|\^(-?\d+)/.exec(unit.dimension);
  return Number(found?.[1] ?? found?.[2] ?? 1);
}

/** "30 degrees" may be those of a temperature. */
const isTemperature = (some: Unit, certain: Unit): boolean =>
  some.dimension === degree.dimension && some.scale.d === 1n && /^(?:celsius|fahrenheit)1$/.test(certain.dimension);

/** Whether two units allow their values to be compared, scales aside. "square units" is an area in any unit. */
export function commensurable(a: Unit, b: Unit): boolean {
  if (!sameWords(a, b)) return false;
  if (a.dimension === b.dimension || isTemperature(a, b) || isTemperature(b, a)) return true;
  const [x, y] = [powerOf(a), powerOf(b)];
  return (a.vague || b.vague) && (x === undefined || y === undefined || x === y);
}
