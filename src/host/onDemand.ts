/** Parts that bring large schemas along. They are loaded when first used, so that opening a window does not wait for them. */
export const onDemand = {
  rollouts: () => import('../journal/rolloutPlace'),
  folders: () => import('../journal/runFolder'),
  watcher: () => import('../journal/runWatcher'),
  dataDoctor: () => import('../run/dataDoctor'),
  dataFiles: () => import('../run/dataFiles'),
  dataReportText: () => import('../run/dataReportText'),
  experiments: () => import('../run/experimentFile'),
  fieldPlace: () => import('../run/fieldPlace'),
  laboratory: () => import('../run/rewardLaboratory'),
  laboratoryMessages: () => import('../schema/laboratory'),
  presets: async () => ({
    ...(await import('../presets/differences')),
    ...(await import('../presets/presets')),
    ...(await import('../presets/presetText')),
  }),
  planner: () => import('../run/planner'),
  planReportText: () => import('../run/planReportText'),
  sandboxSetup: () => import('../run/sandboxSetup'),
  evaluationFolder: async () => ({
    ...(await import('../run/evaluationFolder')),
    ...(await import('../run/evaluationSummary')),
  }),
  evaluationPlan: () => import('../run/evaluationPlan'),
  messages: () => import('../schema/messages'),
};
