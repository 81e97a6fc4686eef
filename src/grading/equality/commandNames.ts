export const greek = new Set(
  'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi omicron rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar aleph imath jmath star square Box clubsuit diamondsuit heartsuit spadesuit dagger'.split(
    ' ',
  ),
);
export const variants: Readonly<Record<string, string>> = {
  varepsilon: 'epsilon',
  vartheta: 'theta',
  varphi: 'phi',
  varrho: 'rho',
  varsigma: 'sigma',
};
/** Functions of one argument that needs no bracket. */
export const functions = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth ln exp cis abs floor ceil sgn sign deg cbrt Re Im arg det'.split(
    ' ',
  ),
);
export const inverses: Readonly<Record<string, string>> = {
  sin: 'arcsin',
  cos: 'arccos',
  tan: 'arctan',
  cot: 'arccot',
  sec: 'arcsec',
  csc: 'arccsc',
  sinh: 'arsinh',
  cosh: 'arcosh',
  tanh: 'artanh',
};
export const several = new Set(['max', 'min', 'gcd', 'lcm']);
export const decorations = new Set(
  'overline bar vec hat widehat tilde widetilde overrightarrow overleftrightarrow overarc wideparen dot ddot mathbb'.split(
    ' ',
  ),
);
/** Decorations that make another letter of a letter. */
export const marks = new Set(['dot', 'ddot', 'hat', 'widehat', 'tilde', 'widetilde']);
export const skipped = new Set('triangle odot nobreak left right text'.split(' '));
export const dots = new Set('ldots cdots dots dotsc dotsb vdots'.split(' '));
export const delimited: Readonly<Record<string, readonly [close: string, name: string]>> = {
  lfloor: ['\\rfloor', 'floor'],
  lceil: ['\\rceil', 'ceil'],
  lvert: ['\\rvert', 'absolute'],
  lVert: ['\\rVert', 'absolute'],
};

const operators =
  /^\\(?:cdot|times|ast|bullet|div|mod|bmod|pmod|pm|mp|cup|bigcup|cap|setminus|smallsetminus|backslash|wedge|vee|land|lor|mid|choose|degree|circ|r[a-zA-Z]*|end)$/;
const relational =
  /^\\(?:ne|neq|lt|gt|le|leq|leqslant|ge|geq|geqslant|in|approx|equiv|sim|simeq|cong|propto|subset|subseteq|notin|to|Rightarrow|implies|iff|Leftrightarrow|mapsto|parallel|perp|doteq)$/;

/** Whether a command can begin a factor. */
export function startsCommand(text: string): boolean {
  return text === '\\rho' || (!operators.test(text) && !relational.test(text));
}
