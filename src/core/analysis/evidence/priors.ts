import { defineKind } from './kind.ts';

/** Where the log-odds of each sort of hypothesis begin, before any evidence. */

export const priorEvent = defineKind({
  id: 'prior_event',
  sign: 0,
  judgement: 0,
  text: () => 'before any evidence: one of the things that happened about then',
});

export const priorSilent = defineKind<{ readonly device: string }>({
  id: 'prior_silent',
  sign: 0,
  judgement: -1.5,
  text: ({ device }) => `before any evidence: ${device} itself reported nothing`,
});

export const priorMoved = defineKind<{ readonly machine: string }>({
  id: 'prior_moved',
  sign: 0,
  judgement: 0,
  text: ({ machine }) => `no recorded event tells why the numbers of ${machine} changed`,
});

export const priorSoftware = defineKind({
  id: 'prior_software',
  sign: 0,
  judgement: 0,
  text: () => 'before any evidence: software, load and deployments cause incidents too',
});

export const priorInsufficient = defineKind({
  id: 'prior_insufficient',
  sign: 0,
  judgement: -1,
  text: () => 'before any evidence: some recordings do not hold enough to tell',
});
