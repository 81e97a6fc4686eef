/** Parts that bring large schemas along. They are loaded when first used, so that opening a window does not wait for them. */
export const onDemand = {
  rollouts: () => import('../journal/rolloutFile'),
  folders: () => import('../journal/runFolder'),
  watcher: () => import('../journal/runWatcher'),
  experiments: () => import('../run/experimentFile'),
  messages: () => import('../schema/messages'),
};
