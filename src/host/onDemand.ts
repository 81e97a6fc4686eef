/** Parts that bring large schemas along. They are loaded when first used, so that opening a window does not wait for them. */
export const onDemand = {
  rollouts: () => import('../journal/rolloutPlace'),
  folders: () => import('../journal/runFolder'),
  watcher: () => import('../journal/runWatcher'),
  dataFiles: () => import('../run/dataFiles'),
  experiments: () => import('../run/experimentFile'),
  laboratory: () => import('../run/rewardLaboratory'),
  laboratoryMessages: () => import('../schema/laboratory'),
  sandboxSetup: () => import('../run/sandboxSetup'),
  messages: () => import('../schema/messages'),
};
