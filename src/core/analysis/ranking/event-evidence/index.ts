import { commonSourceLines } from '../../causality/common-source.ts';
import { predictedEffects } from '../../causality/predicted-effects.ts';
import { familyOf, leftOpenLines } from '../unexplained-harm.ts';
import { causeEvidence } from './causes.ts';
import { companyEvidence } from './company.ts';
import { crowdingEvidence } from './crowding.ts';
import { effectEvidence } from './effects.ts';
import type { EventEvidence } from './event-evidence.ts';
import { habitEvidence } from './habit.ts';
import { limitEvidence } from './limits.ts';
import { machineEvidence } from './machines.ts';
import { neighbourEvidence } from './neighbours.ts';
import { pathEvidence } from './path.ts';
import { relationEvidence } from './relation.ts';
import { selfReportedEvidence } from './self-reported.ts';
import { timeEvidence } from './time.ts';
import { typeEvidence } from './type.ts';
import { zoneEvidence } from './zones.ts';

/** All evidence on an event, in the order in which it is listed. Evidence is added here, and nowhere else. */
export const eventEvidence: readonly EventEvidence[] = [
  typeEvidence,
  pathEvidence,
  effectEvidence,
  causeEvidence,
  { find: ({ event }, context) => commonSourceLines(event, context) },
  { find: ({ event }, context) => predictedEffects(event, context) },
  { find: ({ event }, context) => leftOpenLines(familyOf(event, context), context) },
  timeEvidence,
  zoneEvidence,
  machineEvidence,
  limitEvidence,
  relationEvidence,
  neighbourEvidence,
  crowdingEvidence,
  companyEvidence,
  selfReportedEvidence,
  habitEvidence,
];
