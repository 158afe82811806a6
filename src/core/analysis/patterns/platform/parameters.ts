import { parameters } from '../../parameter.ts';

/** Patterns of machines and the orchestrator. */
export const platformPatterns = parameters({
  hostApartSeconds: { value: 21_600, meaning: 'Health events of a cloud host further apart are two episodes' },
  backOffSeconds: {
    value: 600,
    meaning: 'Container exits belong to a crash loop this long before and after it: the longest back-off',
  },
  nodeStartSeconds: { value: 30, meaning: 'Time that a new node takes to be ready' },
  schedulingSeconds: { value: 60, meaning: 'A scheduler that waits for a new node retries within this time' },
});
