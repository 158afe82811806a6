import { parameters } from '../parameter.ts';

/** What the rows show of training jobs. */
export const jobs = parameters({
  quietSteps: {
    value: 5,
    meaning: 'A job runs to the end of the recording if its last step is no more of its usual steps before that',
  },
  quietSeconds: {
    value: 60,
    meaning: 'A job runs to the end of the recording if its last step is no earlier, in seconds',
  },
  mostMarks: { value: 5000, meaning: 'Restarts, and checkpoints in log lines, that are read, at most' },
});
