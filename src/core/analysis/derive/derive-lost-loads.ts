import { jsonMembers } from '../../../base/json-members.ts';
import type { RowBatch, TableRows } from '../../../model/rows/rows.ts';
import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { NO_DETAILS } from '../../../model/telemetry/event-details.ts';
import type { LostLoadFact, Reader } from '../../store/facts/reader.ts';
import { derive } from './parameters.ts';
import { sampledEvent } from './sampled-event.ts';

interface Wording {
  readonly lost: EventType;
  readonly back: EventType;
  readonly others: string;
}

const wordings: Readonly<Record<LostLoadFact['entity_kind'], Wording>> = {
  psu: { lost: 'psu_failure', back: 'psu_restored', others: 'another supply of the machine has load' },
  outlet: { lost: 'outlet_off', back: 'outlet_on', others: 'another outlet of the PDU has load' },
  pdu: {
    lost: 'breaker_trip',
    back: 'outlet_on',
    others: 'another phase of the PDU has load: its breaker opened, its feed is lost, or all on it was switched off',
  },
};

/**
 * Supplies, outlets and phases that lost their load while another one of the same machine or PDU kept its own: the supply or its feed
 * is lost. Where all fall to nothing, the machine was switched off; where no load is usual, a supply rests.
 */
export async function deriveLostLoads(reader: Reader): Promise<DerivedEvent[]> {
  const limits = {
    watts: derive.noLoadWatts,
    amperes: derive.noLoadAmperes,
    samples: derive.baselineSamples,
    idleShare: derive.usualIdleShare,
  };
  return firstOfEach(await reader.lostLoads(limits)).flatMap(eventsOf);
}

/** Of several series that show the same loss: what has no load cannot lose it again. */
function firstOfEach(losses: readonly LostLoadFact[]): LostLoadFact[] {
  const lostUntil = new Map<string, bigint | null>();
  return losses.filter((one) => {
    const part = `${one.entity} ${phaseOf(one) ?? ''}`;
    const until = lostUntil.get(part);
    if (until === null || (until !== undefined && one.time_ns <= until)) return false;
    lostUntil.set(part, one.regained_ns);
    return true;
  });
}

/** The phase of a PDU that a series is of; undefined: it is of a supply or outlet. */
function phaseOf({ entity_kind, attributes }: LostLoadFact): string | undefined {
  const { phase } = jsonMembers(attributes);
  return entity_kind === 'pdu' && typeof phase === 'string' ? phase : undefined;
}

function eventsOf(lost: LostLoadFact): DerivedEvent[] {
  const { lost: type, back, others } = wordings[lost.entity_kind];
  const { time_ns, value, before_ns, before_value, regained_ns, regained_value, regained_source } = lost;
  const phase = phaseOf(lost);
  const details = phase === undefined ? NO_DETAILS : { phase };
  const where = phase === undefined ? '' : ` on phase ${phase}`;
  const amount = (value: number): string => `${Math.round(value * 10) / 10} ${lost.unit}`;
  const first = sampledEvent(lost, {
    details,
    name: 'no load',
    source_id: lost.source_id,
    time_ns,
    type,
    // Somebody may have unplugged it, or its machine lets it rest from now on.
    severity: 'medium',
    message: `no load${where}: ${amount(before_value)} before, ${amount(value)} now, while ${others}`,
    samples: [
      [before_ns, before_value],
      [time_ns, value],
    ],
  });
  if (regained_ns === null || regained_value === null || regained_source === null) return [first];
  const second = sampledEvent(lost, {
    details,
    name: 'load again',
    source_id: regained_source,
    time_ns: regained_ns,
    type: back,
    severity: 'low',
    message: `load again${where}: ${amount(regained_value)}`,
    samples: [[regained_ns, regained_value]],
  });
  return [first, second];
}

const loadMetrics: ReadonlySet<string> = new Set(['hw.power', 'hw.power.input', 'hw.power.output', 'hw.current']);
/** Samples without load until the others of its machine have been polled, too. */
const SETTLED = 4;

/** Finds out from live samples when {@link deriveLostLoads} may have another answer: few series ever lose their load or get it back. */
export class LoadWatch {
  /** By series: how many samples without load came last, at most one more than {@link SETTLED}. */
  private readonly idle = new Map<number, number>();
  /** By series: what is less is no load. */
  private readonly least = new Map<number, number>();
  private isChanged = false;

  /** @param series the case's numbers of the batch's series, which its points have already */
  take(batch: RowBatch, series: Int32Array): void {
    for (const [at, { metric }] of batch.series.entries())
      if (loadMetrics.has(metric) && !this.idle.has(series[at]!)) {
        this.idle.set(series[at]!, SETTLED + 1);
        this.least.set(series[at]!, metric === 'hw.current' ? derive.noLoadAmperes : derive.noLoadWatts);
      }
    const points = batch.tables.point as TableRows<'point'> | undefined;
    if (!points) return;
    const { series: of, value } = points.columns;
    for (let at = 0; at < points.count; at++) {
      const before = this.idle.get(of[at]!);
      if (before === undefined || Number.isNaN(value[at])) continue;
      const now = value[at]! < this.least.get(of[at]!)! ? Math.min(SETTLED + 1, before + 1) : 0;
      this.isChanged ||= now === 0 ? before > 0 : now <= SETTLED;
      this.idle.set(of[at]!, now);
    }
  }

  /** Whether there may be another answer since the last call. */
  next(): boolean {
    const { isChanged } = this;
    this.isChanged = false;
    return isChanged;
  }
}
