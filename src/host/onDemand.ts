/** Parts that bring large schemas along. They are loaded when first used, so that opening a window does not wait for them. */
export const onDemand = {
  rollouts: () => import('../journal/rolloutPlace'),
  folders: () => import('../journal/runFolder'),
  watcher: () => import('../journal/runWatcher'),
  dataDoctor: () => import('../run/dataDoctor'),
  dataFiles: () => import('../run/dataFiles'),
  dataReportText: () => import('../run/dataReportText'),
  hub: () => import('../hub/hub'),
  hubData: () => import('../run/hubData'),
  hubSource: () => import('../hub/hubSource'),
  experiments: () => import('../run/experimentFile'),
  laboratory: () => import('../run/rewardLaboratory'),
  laboratoryMessages: () => import('../schema/laboratory'),
  sandboxSetup: () => import('../run/sandboxSetup'),
  messages: () => import('../schema/messages'),
};
