import { screenshotAll } from './workbench.mjs';

export const mochaHooks = {
  /** Pictures what is open where a test failed. */
  async afterEach() {
    const { state, title } = this.currentTest;
    if (state === 'failed') await screenshotAll(title.replace(/\W+/g, '-'));
  },
};
