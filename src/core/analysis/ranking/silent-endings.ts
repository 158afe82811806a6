import type { EventFact } from '../../store/facts/reader.ts';
import { openers } from '../causality/lasting-events.ts';
import { explains } from '../evidence/effects.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { path } from '../evidence/path.ts';
import { silentDevices, silentShare, silentTogether } from '../evidence/silent.ts';
import { pathValue } from './event-evidence/path.ts';
import type { Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';
import {
  type Branches,
  branchesBelow,
  closeness,
  type Silent,
  shareOf,
  shareValue,
  silentSuspect,
} from './silent-branches.ts';

/** Recoveries after the onset without a recorded beginning, for example because traps were lost with the power. */
export function endedWithoutStart(context: IncidentContext): readonly EventFact[] {
  const { nearby } = context.input;
  const began = new Set(nearby.map(({ entity, type }) => `${entity} ${type}`));
  return context.links.events.filter(
    (event) =>
      event.entity >= 0 &&
      context.lagOf(event) < 0 &&
      openers.get(event.type)?.every((type) => !began.has(`${event.entity} ${type}`)) === true,
  );
}

/**
 * Several entities behind a silent one that recovered at the same time: they had been lost for one reason. The time of the
 * loss is unknown, so there is no evidence from time.
 */
export function suspectByEndings(silent: Silent, ended: readonly EventFact[], context: IncidentContext): Suspect[] {
  const { node, explained } = silent;
  const branches = branchesBelow(node.key, context);
  const effects = new Set(explained.map(({ effect }) => effect));
  const able = ended.filter(
    (event) => branches.has(event.entity) && openers.get(event.type)?.some((opener) => effects.has(opener)) === true,
  );
  const run = widestRun(able, branches);
  return widthOf(run, branches) < 2
    ? []
    : [silentSuspect(silent, context, endingLines(node.id, { run, branches, key: node.key }, context))];
}

const widthOf = (run: readonly EventFact[], branches: Branches): number =>
  new Set(run.map(({ entity }) => branches.get(entity))).size;

/** Per type, the recoveries within some seconds that cover most branches; one pass in time order. */
function widestRun(ended: readonly EventFact[], branches: Branches): readonly EventFact[] {
  let best: readonly EventFact[] = [];
  let most = 0;
  for (const own of Map.groupBy(ended, ({ type }) => type).values()) {
    const counts = new Map<number | undefined, number>();
    for (let from = 0, to = 0; to < own.length; to++) {
      const last = own[to]!;
      count(counts, branches.get(last.entity), 1);
      for (; Number(last.time_ns - own[from]!.time_ns) / 1e9 > ranking.endingSeconds; from++)
        count(counts, branches.get(own[from]!.entity), -1);
      if (counts.size <= most) continue;
      most = counts.size;
      best = own.slice(from, to + 1);
    }
  }
  return best;
}

function count(counts: Map<number | undefined, number>, branch: number | undefined, more: number): void {
  const left = (counts.get(branch) ?? 0) + more;
  if (left === 0) counts.delete(branch);
  else counts.set(branch, left);
}

interface Ended {
  readonly key: number;
  readonly run: readonly EventFact[];
  readonly branches: Branches;
}

function endingLines(name: string, { key, run, branches }: Ended, context: IncidentContext): Line[] {
  const { graph, mechanisms, service, window } = context.input;
  const refs = run.map(eventRef);
  const [first] = run as readonly [EventFact, ...EventFact[]];
  const devices = namesOf([...new Set(run.map(({ device_id }) => device_id))]);
  const close = closeness(run, branches);
  const harm = Math.max(...(openers.get(first.type) ?? []).map((type) => mechanisms.harmOf(type)?.strength ?? 0));
  const isMine = ({ entity }: EventFact) => graph.relation(entity, window.service) === 'mapped';
  const mine = run.filter(isMine);
  const explained = run.reduce(
    (sum, event) => sum + ranking.silentEffectShare * (isMine(event) ? 1 : ranking.elsewhereRelevance),
    0,
  );
  const { watched, share } = shareOf(key, run, context);
  const { type } = first;
  const harmed = 1 - (1 - ranking.silentEffectShare * harm) ** mine.length;
  return [
    line(silentDevices, Math.log(widthOf(run, branches)), { of: 'endings', type, devices, source: name }, refs),
    line(silentShare, shareValue({ share, watched }), { of: 'endings', share, watched }, refs),
    line(silentTogether, close.value, { ...close.spread, type }, refs),
    line(explains, Math.log1p(explained), { of: 'endings', count: run.length }, refs),
    line(path, pathValue(harmed), { of: 'endings', service, share: harmed }, refs),
  ];
}
