import { parameters } from '../parameter.ts';

/** Which events belong to a chain, and how sure its links are. */
export const chain = parameters({
  beliefSlope: {
    value: 0.57,
    meaning: 'Slope of the calibration of link beliefs, fitted on the split tune of the corpus (Platt scaling, 1999)',
  },
  beliefOffset: { value: 0.07, meaning: 'Offset of the calibration of link beliefs, fitted with beliefSlope' },
  mostBeliefOdds: { value: 5.3, meaning: 'Bound of the log-odds of a link belief' },
  unrecordedHarm: { value: 0.01, meaning: 'Harm by unrecorded causes: one case of a hundred' },
  readableEvents: { value: 24, meaning: 'A longer chain is limited to so many events, divided among the types' },
  leastPath: { value: 0.03, meaning: 'An effect of the root cause belongs to the chain from this path probability on' },
  stepStrengthShare: {
    value: 0.6,
    meaning:
      'A step recorded between two events is preferred down to this share of the strength of their direct mechanism',
  },
  edgeBase: {
    value: 0.9,
    meaning: 'Score of an edge without deductions, of the seed model that people script against (DESIGN section 6)',
  },
  edgeUnmapped: { value: 0.2, meaning: 'Deduction for an entity that is not in the topology' },
  edgeOtherService: { value: 0.08, meaning: 'Deduction for an entity of another service on the same machine' },
  edgeMediumSeverity: { value: 0.02, meaning: 'Deduction for a medium severity' },
  edgeLowSeverity: { value: 0.05, meaning: 'Deduction for a low severity' },
  edgeFarSeconds: { value: 30, meaning: 'An edge between events further apart is indirect' },
  edgeFar: { value: 0.25, meaning: 'Deduction for an indirect edge' },
  edgeGapSeconds: { value: 10, meaning: 'Two events this far apart have a gap between them' },
  edgeGap: { value: 0.1, meaning: 'Deduction for a gap between two events' },
  edgeLag: { value: 0.06, meaning: 'Deduction for the longest lag, in proportion for shorter ones' },
  edgeLowest: { value: 0.3, meaning: 'Lowest score of an edge' },
  edgeHighest: { value: 0.99, meaning: 'Highest score of an edge' },
});
