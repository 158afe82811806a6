import type { Feed, Feeds } from '../../src/model/storage/feed.ts';

const nothing = () => {
  throw new Error('this test has no plans');
};

/** What any plan opens, for tests of feeds, not of plans. */
export const openedFeeds = (opened: readonly Feed[]): Feeds => ({
  open: async () => opened,
  pushes: () => [],
  wait: () => new Promise((resolve) => setTimeout(resolve, 20)),
  kinds: [],
  watchFolder: nothing,
  readPlan: nothing,
  writePlan: nothing,
  test: nothing,
  keychain: { saveSecret: nothing, forget: nothing },
});
