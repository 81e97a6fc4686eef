import { type Rational, rational } from './rational';

/** What a word behind a value multiplies it by: "3 dozen", "3 quarters", 3‰. */
const multipliers = new Map<string, Rational>();
for (const [above, below, names] of [
  [10, 1, 'tens 十'],
  [12, 1, 'dozen dozens'],
  [20, 1, 'score'],
  [100, 1, 'hundred hundreds 百'],
  [144, 1, 'gross'],
  [1000, 1, 'thousand thousands 千'],
  [10_000, 1, 'myriad myriads 万'],
  [100_000, 1, 'lakh lakhs lac lacs'],
  [1_000_000, 1, 'million millions mn mln'],
  [10_000_000, 1, 'crore crores'],
  [100_000_000, 1, '亿'],
  [1_000_000_000, 1, 'billion billions bn bln'],
  [1e12, 1, 'trillion trillions tn trn'],
  [1e15, 1, 'quadrillion quadrillions'],
  [1, 2, 'halves'],
  [1, 3, 'thirds'],
  [1, 4, 'quarters fourths'],
  [1, 10, '成'],
  [1, 1000, '‰ permille permil'],
  [1, 10_000, '‱ bps'],
  [1, 1_000_000, 'ppm'],
  [1, 1_000_000_000, 'ppb'],
] as const) {
  for (const name of names.split(' ')) multipliers.set(name, rational(BigInt(above), BigInt(below))!);
}
const parts =
  'fif:5 six:6 seven:7 eigh:8 nin:9 ten:10 eleven:11 twelf:12 thirteen:13 fourteen:14 fifteen:15 sixteen:16 seventeen:17 ' +
  'eighteen:18 nineteen:19 twentie:20 thirtie:30 fortie:40 fiftie:50 sixtie:60 seventie:70 eightie:80 ninetie:90 ' +
  'hundred:100 thousand:1000 million:1000000 billion:1000000000';
for (const part of parts.split(' ')) {
  const [stem, count] = part.split(':');
  multipliers.set(`${stem}ths`, rational(1n, BigInt(count!))!);
}

export const multiplierOf = (word: string): Rational | undefined => multipliers.get(word);

/** Of more letters than a product like `mn` has. */
export const isNumberWord = (name: string): boolean => name.length > 3 && multipliers.has(name);

const tens = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety';
const otherwise = new RegExp(
  `^(?:half|factorial|doubled|tripled|halved|兆|折|半|打|(?:${tens}|ten|hundred)-[a-z]+|${tens}` +
    '|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen)$',
);

/** Words that change the value that they stand behind, but not by a factor: "half", "factorial", "fourth", "twenty". */
export const changes = (word: string): boolean => otherwise.test(word) || (multipliers.get(`${word}s`)?.d ?? 1n) > 1n;
