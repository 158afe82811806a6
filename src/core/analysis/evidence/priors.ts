import { defineKind } from './kind.ts';

/** Prior log-odds of each kind of hypothesis. */

export const priorEvent = defineKind({
  id: 'prior_event',
  sign: 0,
  judgement: 0,
  text: () => 'prior: one of the events near the onset',
});

export const priorSilent = defineKind<{ readonly device: string }>({
  id: 'prior_silent',
  sign: 0,
  judgement: -1.5,
  text: ({ device }) => `prior: ${device} itself reported nothing`,
});

export const priorMoved = defineKind<{ readonly machine: string }>({
  id: 'prior_moved',
  sign: 0,
  judgement: 0,
  text: ({ machine }) => `prior: metrics of ${machine} changed without a recorded event`,
});

export const priorSoftware = defineKind({
  id: 'prior_software',
  sign: 0,
  judgement: 0,
  text: () => 'prior: software, load and deployments also cause incidents',
});

export const priorInsufficient = defineKind({
  id: 'prior_insufficient',
  sign: 0,
  judgement: -1,
  text: () => 'prior: some recordings are not sufficient',
});
