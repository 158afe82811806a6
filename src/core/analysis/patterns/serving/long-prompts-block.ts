import type { ServingRule } from '../../serving/condition.ts';
import { highIn, meanIn, refsOf, runsWhere, usualBefore } from '../../serving/runs.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';
import { isQueued } from './queued.ts';

/** A few very long prompts hold up the others: requests queue while they are computed. */
export const longPromptsBlock: ServingRule = {
  id: 'long-prompts-block',
  find: (series) => {
    const track = series.tracks.get('input_tokens');
    if (!track) return [];
    const usual = median(track.levels.map(({ middle }) => middle));
    const usualLongest = median(track.levels.map(({ high }) => high));
    const isLong = (tokens: number): boolean => tokens >= servingPatterns.longPromptTimes * usual;
    // Lengths spread widely: some prompts are always long.
    const isUnusual = (tokens: number): boolean => tokens >= servingPatterns.longestPromptTimes * usualLongest;
    return runsWhere(track, series, servingPatterns.servingLastsSeconds, (level) => {
      const queued = isQueued(series, level);
      // If most are longer, the requests changed.
      const areFew = level.middle < servingPatterns.longerTokensTimes * usual;
      return queued === undefined ? undefined : queued && isLong(level.high) && isUnusual(level.high) && areFew;
    }).flatMap((run) => {
      const before = usualBefore(series, 'waiting', run);
      // A queue that was there without them is not theirs.
      if (!(before < servingPatterns.waitingRequests)) return [];
      const { service, model, start_ns, end_ns, tracks } = { ...series, ...run };
      return [
        {
          service,
          model,
          start_ns,
          end_ns,
          figures: {
            rule: 'long-prompts-block',
            longest: highIn(series, 'input_tokens', run),
            usual,
            waiting: meanIn(series, 'waiting', run),
          },
          evidence: [
            { quantity: 'input_tokens', refs: refsOf(series, 'input_tokens', run) },
            { quantity: 'waiting', refs: refsOf(series, 'waiting', run) },
          ],
          missing: lacks(tracks.has('duration'), 'traces', 'no durations of requests: the effect on others is unknown'),
          isNew: true,
        },
      ];
    });
  },
};
