/**
 * Who may import whom. `test/unit/boundaries.test.ts` plants a breach of each rule.
 */

const pure = 'rl|protocols|grading|evaluation';
const backends = 'sandbox|services|trainer|tokens|datasets';
const vscode = '^vscode$|node_modules/@types/vscode';

/** The rooms that a room of `src/` sees besides itself, `schema` and `lib`. `run` and `cli` join them; `schema` and `lib` have rules of their own. */
const sees = {
  protocols: ['rl/ports\\.ts$'],
  grading: ['rl/ports\\.ts$'],
  evaluation: [],
  rl: ['protocols/', 'grading/', 'evaluation/'],
  journal: [],
  sandbox: ['rl/ports\\.ts$'],
  services: ['rl/ports\\.ts$', 'trainer/trainerArguments\\.ts$'],
  trainer: ['rl/ports\\.ts$'],
  tokens: ['rl/ports\\.ts$', 'protocols/'],
  datasets: ['rl/ports\\.ts$'],
  presets: [],
  hub: [],
  host: ['journal/', 'run/', 'rl/', 'presets/', 'hub/'],
};

const rooms = Object.entries(sees).map(([room, others]) => ({
  name: `${room}-sees-its-own`,
  comment: `src/${room}/ imports what its line in the table above allows.`,
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|webview|test)/',
    pathNot: [room, 'schema', 'lib'].map((seen) => `^src/${seen}/`).concat(others.map((seen) => `^src/${seen}`)),
  },
}));

const rules = [
  ...rooms,
  {
    name: 'ports-are-types',
    comment: 'Who fulfils a port knows its type and runs nothing of the method; a view likewise.',
    from: { path: `^src/(protocols|grading|${backends}|host)/` },
    to: { path: '^src/rl/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'method-is-pure',
    comment: 'A training step is a function of experiment, seed and ports: no disk, no network, no package.',
    from: { path: `^src/(${pure})/` },
    to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'method-reaches-no-disk',
    comment: 'Nor through lib/.',
    from: { path: `^src/(${pure})/` },
    to: { path: '^(node:)?(fs|os|net|http|https|child_process|worker_threads)(/|$)', reachable: true },
  },
  {
    name: 'schema-imports-zod-only',
    from: { path: '^src/schema/' },
    to: { pathNot: '^src/schema/|node_modules/zod/' },
  },
  {
    name: 'lib-stands-alone',
    from: { path: '^src/lib/' },
    to: { pathNot: '^src/lib/', dependencyTypesNot: ['core'] },
  },
  {
    name: 'vscode-only-in-host',
    comment: 'The engine runs headless; the models of the views are tested without VS Code.',
    from: { pathNot: '^src/(host/(?!model/)|extension\\.ts$)' },
    to: { path: vscode },
  },
  {
    name: 'nobody-imports-host',
    from: { pathNot: '^src/(host/|extension\\.ts$)' },
    to: { path: '^src/host/' },
  },
  { name: 'nobody-imports-cli', from: { pathNot: '^src/cli(/|\\.ts$)' }, to: { path: '^src/cli(/|\\.ts$)' } },
  { name: 'nobody-imports-extension', from: {}, to: { path: '^src/extension\\.ts$' } },
  {
    name: 'webview-sees-schema-only',
    comment: 'A webview is sent data; zod stays out of its bundle. The interval it draws is what the tree says.',
    from: { path: '^webview/' },
    to: { path: '^src/', pathNot: '^src/(schema/|lib/wilsonInterval\\.ts$)' },
  },
  {
    name: 'webview-takes-types-only',
    from: { path: '^webview/' },
    to: { path: '^src/', pathNot: '^src/lib/wilsonInterval\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  { name: 'webview-runs-in-a-browser', from: { path: '^webview/' }, to: { dependencyTypes: ['core'] } },
  {
    name: 'no-development-package',
    comment: 'What is shipped needs only what is declared as a dependency.',
    from: { path: '^(src|webview)/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: vscode },
  },
  {
    name: 'no-barrels',
    comment: 'The tree is the table of contents.',
    from: {},
    to: { path: '/index\\.ts$', pathNot: 'node_modules/' },
  },
  { name: 'no-circular', from: {}, to: { circular: true } },
  { name: 'everything-resolves', from: {}, to: { couldNotResolve: true, pathNot: vscode } },
];

module.exports = {
  forbidden: rules.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/trainer/kernels/|\\.py$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    detectProcessBuiltinModuleCalls: true,
    combinedDependencies: false,
  },
};
