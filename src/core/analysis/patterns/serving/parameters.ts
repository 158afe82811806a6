import { parameters } from '../../parameter.ts';

/** Patterns of serving. */
export const servingPatterns = parameters({
  hardwareSeconds: {
    value: 300,
    meaning: 'Within this time of a hardware fault of its GPU, a program fault is an effect',
  },
  deploySeconds: { value: 600, meaning: 'Error rates this long before and after a deployment are compared' },
  deployMeasurements: { value: 3, meaning: 'Fewer measurements before or after a deployment are not compared' },
  deployRisePercent: {
    value: 5,
    meaning: 'Rise of the error rate after a bad deployment, in points: a typical paging threshold',
  },
  deployRatio: { value: 3, meaning: 'The error rate after a bad deployment is this many times the one before' },
  retryGrowth: {
    value: 1.2,
    meaning: 'Calls for each request in a retry storm; a retry budget of a tenth, as in the SRE book, limits it to 1.1',
  },
  leastRetries: { value: 20, meaning: 'Fewer retries are no storm' },
});
