import type { IncidentView } from '../../../model/contract/index.ts';
import {
  amount,
  type Cost,
  costGapText,
  priceText,
  type RequestCost,
  rangeText,
  servingText,
} from '../../../model/incident/cost.ts';
import { latencyOf } from '../../../model/incident/impact-latency.ts';
import { impactedText, isMeasuredHarm, throughputUnit } from '../../../model/incident/incident.ts';
import type { Fact, ReportBlock } from '../../../model/incident/report-document.ts';
import { unseenOnsetText } from '../../../model/incident/unseen-onset.ts';
import { fact, list, remark, table } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import { countText, figure, hoursText, type Unit } from '../report-text.ts';
import { stageBlocks } from './stages.ts';
import { affectedText, impactRefs, incidentRef, lasted, whatJobLost } from './summary.ts';

/** Services, users, GPU-hours, cost; unknown values are reported as unknown. */
export function impactBlocks(facts: IncidentFacts): ReportBlock[] {
  const { view, cost, lost } = facts;
  return [
    // What does not go on at all has no figures: those of its last step would be read as its worst.
    ...(isMeasuredHarm(view.incident.harm) ? [figuresTable(view)] : []),
    list(impactList(facts)),
    // A loss counts the same GPUs until the recording ends, and not only until the job's own records do.
    ...(lost === null ? costTable(cost) : []),
    ...(cost.lost_training.length > 0 ? [list(cost.lost_training.map((one) => lostFact(one, cost.currency)))] : []),
    ...(view.incident.work === 'requests' ? perRequest(facts) : []),
    ...stageBlocks(facts),
  ];
}

function figuresTable(view: IncidentView): ReportBlock {
  const { impact, work } = view.incident;
  const latency = latencyOf(impact);
  const row = (
    name: string,
    unit: Unit,
    [of, values]: readonly [keyof IncidentView['worst_refs'], readonly (number | null)[]],
  ) => ({
    cells: [name, ...values.map((value) => figure(value, unit))],
    refs: impactRefs(view, [of]),
  });
  // A job answers no requests: it has neither a latency nor a rate of errors that could be unknown.
  const requestRows =
    work === 'requests'
      ? [
          row(impact.mean ? latency.name : 'P99 latency', 'ms', [
            'p99',
            [latency.baseline, latency.first, latency.peak],
          ]),
          row('Error rate', '%', [
            'error_rate',
            [
              impact.error_rate_baseline_percent,
              impact.error_rate_first_anomaly_percent,
              impact.error_rate_peak_percent,
            ],
          ]),
        ]
      : [];
  return table(
    ['Figure', 'Baseline', 'First anomaly', 'Worst'],
    [
      ...requestRows,
      row('Throughput', throughputUnit(work), [
        'throughput',
        [impact.throughput_baseline_rps, impact.throughput_first_anomaly_rps, impact.throughput_peak_rps],
      ]),
    ],
  );
}

/** Services, requests, users, GPU-hours and cost, a line each. */
export function impactList(facts: IncidentFacts): Fact[] {
  const { view, users, requests } = facts;
  const own = incidentRef(view);
  return [
    fact(`${impactedText(view.incident)}, for ${lasted(facts)}.`, [own], { lead: 'Services: ' }),
    ...(requests ? [fact(`about ${affectedText(facts)}.`, impactRefs(view), { lead: 'Requests: ' })] : []),
    fact(users === null ? 'unknown (no span names a user).' : `${users} users in the spans of the impact.`, [own], {
      lead: 'Users: ',
    }),
    ...(facts.lost === null ? [gpuHours(facts), costFact(facts)] : []),
    ...whatJobLost(facts).map(({ text, refs }) => fact(text, refs, { lead: 'Job: ' })),
    ...estimated(facts),
  ];
}

function gpuHours({ view, gpus, cost }: IncidentFacts): Fact {
  const refs = [incidentRef(view), ...gpus.slice(0, 4).map(({ key }) => `entity:${key}`)];
  const hours = cost.total_gpu_hours;
  return hours === null
    ? fact(`unknown (no record links ${view.service} to GPUs).`, refs, { lead: 'GPU-hours: ' })
    : fact(`${hoursText(hours)} on ${countText(gpus.length, 'GPU')}${unmeasured(view)}.`, refs, {
        lead: 'GPU-hours: ',
      });
}

/** Unmeasured time is not counted, and the report states it. */
function unmeasured(view: IncidentView): string {
  const unseen = unseenOnsetText(impactedText(view.incident), view);
  return unseen ? ` since the first bad measurement; ${unseen}` : '';
}

function costFact({ view, cost, hasRates }: IncidentFacts): Fact {
  const why = !hasRates
    ? 'unknown (no GPU rate was given)'
    : cost.total_gpu_hours === null
      ? 'unknown (the affected GPUs are not known)'
      : cost.total === null
        ? `unknown (no rate is known for ${cost.lines.every(({ rate }) => rate === null) ? 'any' : 'some'} of the GPUs)`
        : rangeText(cost.total, cost.currency);
  return fact(`${why}.`, [incidentRef(view)], { lead: 'Cost: ' });
}

/** What `--gpu-rate` has always meant: one GPU for the length of the incident. */
function estimated({ view }: IncidentFacts): Fact[] {
  const usd = view.incident.impact.estimated_cost_impact_usd;
  if (usd === null) return [];
  return [
    fact(`${usd} USD for each GPU, at the given rate.`, [incidentRef(view)], { lead: 'For the whole incident: ' }),
  ];
}

function costTable({ lines, currency }: Cost): ReportBlock[] {
  if (lines.length === 0) return [];
  const rows = lines.map(({ work, model, gpus, gpu_hours, cost, rate, refs }) => ({
    cells: [
      work.slice(work.indexOf(':') + 1),
      work.slice(0, work.indexOf(':')),
      model ?? 'unknown',
      String(gpus),
      hoursText(gpu_hours),
      rangeText(cost, currency),
      rate === null
        ? 'none'
        : `${priceText(rate, currency)}; ${rate.source}${rate.as_of === '' ? '' : `, ${rate.as_of}`}`,
    ],
    refs,
  }));
  return [
    table(['Work', 'Kind', 'GPU model', 'GPUs', 'GPU time', 'Cost', 'Rate for each GPU'], rows),
    ...(lines.some(({ rate }) => rate !== null && rate.low === null)
      ? [remark('A cost given as "at most" is based on a list price; the price paid may be lower.')]
      : []),
  ];
}

const lostFact = (
  { work, gpus, checkpoint, gpu_hours, cost, refs }: Cost['lost_training'][number],
  currency: string,
): Fact =>
  fact(
    `if ${work.slice(work.indexOf(':') + 1)} restarted from the checkpoint of ${checkpoint}, it lost ${amount(gpu_hours)} GPU-hours on ${countText(gpus, 'GPU')} before the onset (cost ${rangeText(cost, currency)}).`,
    refs,
    { lead: 'Lost training: ' },
  );

/** In GPU time where no price is known. */
function perRequest({ cost: { per_request, currency } }: IncidentFacts): ReportBlock[] {
  const { normal, worst } = per_request;
  const of = (one: RequestCost, lead: string): Fact => fact(`${requestText(one, currency)}.`, one.refs, { lead });
  return [
    list([
      of(normal, 'One request in the baseline: '),
      of(worst, `One request at the worst time (${worst.time.slice(11, -1)} UTC): `),
    ]),
    ...(normal.shared_gpus + worst.shared_gpus > 0
      ? [
          remark(
            'Some GPUs are shared with other work, and their shares were not recorded: the low value excludes these GPUs, the high value counts them in full.',
          ),
        ]
      : []),
  ];
}

function requestText(one: RequestCost, currency: string): string {
  const { gap, cost, gpu_seconds, throughput_rps } = one;
  if (gpu_seconds === null || throughput_rps === null) return `unknown${gap ? ` (${costGapText(gap)})` : ''}`;
  const price = gap ? `unknown (${costGapText(gap)})` : rangeText(cost, currency);
  const rate = `${Number(throughput_rps.toPrecision(3))} req/s`;
  return `${rangeText(gpu_seconds, 'GPU-seconds')} on ${servingText(one)} at ${rate}; cost ${price}`;
}
