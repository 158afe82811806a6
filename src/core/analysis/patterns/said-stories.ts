import type { FindingEvidence } from '../../../model/incident/finding.ts';
import type { SaidFact } from '../../store/facts/reader.ts';
import { count } from './words.ts';

const APART_NS = 600_000_000_000n;
const MOST_REFS = 20;
const LONGEST = 160;
export type Story = readonly [SaidFact, ...SaidFact[]];

/**
 * Records of what belongs together, each within ten minutes of the one before; a record that holds several texts counts once.
 * @param keyOf what belongs together
 */
export function saidStories(
  said: readonly SaidFact[],
  keyOf: (one: SaidFact) => unknown = ({ entity }) => entity,
): Story[] {
  const once = [...new Map(said.map((one) => [one.ref, one])).values()];
  return [...Map.groupBy(once, keyOf).values()].flatMap((own) => {
    const stories: SaidFact[][] = [];
    for (const one of own) {
      const open = stories.at(-1);
      const last = open?.at(-1);
      if (open && last && one.time_ns - last.time_ns <= APART_NS) open.push(one);
      else stories.push([one]);
    }
    return stories as unknown as Story[];
  });
}

export function storyLine(story: Story): FindingEvidence {
  const [first] = story;
  const body = first.body.length > LONGEST ? `${first.body.slice(0, LONGEST)}...` : first.body;
  return {
    text: `log: ${body.replaceAll(/\s+/g, ' ')}${story.length > 1 ? ` (${count(story.length, 'time')})` : ''}`,
    refs: story.slice(0, MOST_REFS).map(({ ref }) => ref),
  };
}
