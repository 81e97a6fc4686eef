/** Every command of the extension. `package.json` is generated from this table; a test compares it with what is registered. */
export const commands = {
  'retool.startTraining': { title: 'Start Training', icon: 'play', needsTrust: true },
  'retool.stopTraining': { title: 'Stop Training', icon: 'debug-stop', needsTrust: true },
  'retool.resumeTraining': { title: 'Resume Training', icon: 'debug-continue', needsTrust: true },
  'retool.probeSandbox': { title: 'Check Sandbox', icon: 'shield', needsTrust: true },
  'retool.createSandboxEnvironment': {
    title: 'Create Python Environment for the Sandbox',
    icon: 'package',
    needsTrust: true,
  },
  'retool.newExperiment': { title: 'New Experiment', icon: 'add', needsTrust: false },
  'retool.compareWithPreset': { title: 'Compare with Preset', icon: 'diff', needsTrust: false },
  'retool.checkDataSets': { title: 'Check Data Sets', icon: 'checklist', needsTrust: false },
  'retool.planRun': { title: 'Plan Run', icon: 'symbol-ruler', needsTrust: false },
  'retool.openDashboard': { title: 'Open Dashboard', icon: 'graph-line', needsTrust: false },
  'retool.openTrajectory': { title: 'Open Trajectory', icon: 'list-tree', needsTrust: false },
  'retool.openLaboratory': { title: 'Compare Reward Rules', icon: 'law', needsTrust: false },
  'retool.compareEvaluations': { title: 'Compare Evaluations', icon: 'table', needsTrust: false },
  'retool.openExperiment': { title: 'Open Experiment', icon: 'json', needsTrust: false },
  'retool.revealRunFolder': { title: 'Reveal Run Folder', icon: 'folder-opened', needsTrust: false },
  'retool.deleteRun': { title: 'Delete Run', icon: 'trash', needsTrust: true },
  'retool.copyCode': { title: 'Copy as Python', icon: 'copy', needsTrust: false },
  'retool.refresh': { title: 'Refresh Runs', icon: 'refresh', needsTrust: false },
  'retool.showLog': { title: 'Show Log', icon: 'output', needsTrust: false },
} as const;
export type CommandId = keyof typeof commands;
