import { type Annotation, annotationRef } from '../../../model/incident/annotation.ts';
import { impactedText } from '../../../model/incident/incident.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { recoveries } from '../../../model/telemetry/event-catalog.ts';
import type { Conclusion } from '../../analysis/conclude.ts';
import { measurementRef } from '../../analysis/impact/measurement-ref.ts';
import { onsetAt } from '../../analysis/impact/onset.ts';
import { recoveredNs } from '../../analysis/impact/recovered.ts';
import type { IncidentFacts, KnownTime } from '../../report/report-input.ts';
import { typeText } from '../../report/report-text.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import type { OpenCase } from '../cases/open-case.ts';

/** Event types of monitoring. */
const alerts = listText([
  'health_check_failed',
  'host_degradation',
  'cloud_event',
  'node_not_ready',
  'node_condition',
  'node_tainted',
  'node_quarantined',
]);

type Times = Pick<IncidentFacts, 'detected' | 'diagnosed' | 'repaired' | 'recovered'>;
interface EventRow {
  readonly event_id: number;
  readonly time_ns: bigint;
  readonly type: string;
  readonly device?: string;
}

/** Times of detection, diagnosis and mitigation from records; null is unknown. @param last_ns of the recording */
export async function readTimes(
  opened: OpenCase,
  conclusion: Conclusion,
  { annotations, last_ns }: { readonly annotations: readonly Annotation[]; readonly last_ns: bigint | null },
): Promise<Times> {
  const { window, chain } = conclusion;
  const last = last_ns ?? window.end_ns;
  const root = chain.members[0]?.event;
  const notedTime = (word: string): KnownTime | null => noteOf(annotations, word, window.onset_ns);
  return opened.withSession(async (session) => {
    const [alert] = rowsOf<EventRow>(
      await session.query(queries.firstAlert, [
        window.onset_ns,
        window.end_ns,
        alerts,
        listText(involvedIn(conclusion)),
      ]),
    );
    const [mended] = root
      ? rowsOf<EventRow>(
          await session.query(queries.recoveryEvents, [root.entity, root.time_ns, last, listText(recoveries)]),
        )
      : [];
    return {
      detected:
        notedTime('detected') ??
        (alert ? eventTime(alert, `${typeText(alert.type)} on ${alert.device || 'an unnamed entity'}`) : null),
      diagnosed: notedTime('diagnosed'),
      repaired:
        notedTime('repaired') ??
        (mended && mended.time_ns >= window.onset_ns ? eventTime(mended, typeText(mended.type)) : null),
      recovered: recoveredAt(conclusion),
    };
  });
}

/** Infrastructure and callees of the service, and entities of the chain: other alerts are unrelated. */
function involvedIn({ window, graph, chain }: Conclusion): readonly number[] {
  const services = [window.service, ...graph.calleesOf(window.service)];
  const under = services.flatMap((service) => [...graph.sourcesOf(service).keys()]);
  return [...new Set([...under, ...chain.members.flatMap(({ event }) => [...graph.below(event.entity)])])];
}

const eventTime = ({ event_id, time_ns }: EventRow, how: string): KnownTime => ({
  time_ns,
  ref: `event:${event_id}`,
  how,
});

/** A note at a time that begins with the keyword. */
function noteOf(annotations: readonly Annotation[], word: string, onset_ns: bigint): KnownTime | null {
  const found = annotations
    .flatMap(({ kind, at_ns, text, id }) =>
      kind === 'note' && at_ns !== null && at_ns >= onset_ns && text.toLowerCase().startsWith(word)
        ? [{ at_ns, id }]
        : [],
    )
    .sort((a, b) => (a.at_ns < b.at_ns ? -1 : 1))[0];
  return found ? { time_ns: found.at_ns, ref: annotationRef(found.id), how: `note "${word}"` } : null;
}

/** The impact ends with its last bad measurement; the next one is normal, after a measurement gap if it is of another day. */
function recoveredAt({ window, incident }: Conclusion): KnownTime | null {
  const time_ns = recoveredNs(window);
  if (time_ns === null) return null;
  const unseen = unseenOnsetText(impactedText(incident), onsetAt(window.measurements.time_ns, window.last + 1));
  const how = `first normal measurement after the impact${unseen ? `; ${unseen}` : ''}`;
  return { time_ns, ref: measurementRef(impactedText(incident), time_ns), how };
}
