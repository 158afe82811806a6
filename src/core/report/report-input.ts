import type { CaseInfo, IncidentView, JobView, SilenceView, Stages } from '../../model/contract/index.ts';
import type { AffectedRequests } from '../../model/incident/affected-requests.ts';
import type { Annotation, AnnotationOf } from '../../model/incident/annotation.ts';
import type { ClockEstimateView } from '../../model/incident/clock-estimate.ts';
import type { Cost } from '../../model/incident/cost.ts';
import type { FindingView } from '../../model/incident/finding.ts';
import type { JudgedVerdict } from '../../model/incident/judged-verdict.ts';
import type { DrawnSeries } from './figures/series-figure.ts';
import type { DrawnMap } from './figures/topology-figure.ts';

/** An instant that some record vouches for. */
export interface KnownTime {
  readonly time_ns: bigint;
  readonly ref: string;
  /** How it is known, for people. */
  readonly how: string;
}

/** One incident with everything that its sections need. */
export interface IncidentFacts {
  readonly view: IncidentView;
  /** What the investigator confirmed and ruled out, in front of what was computed. */
  readonly verdict: JudgedVerdict;
  /** Title, severity and owner as people stated them; null: none of them. */
  readonly heading: AnnotationOf<'heading'> | null;
  /** Action items that people added or accepted. */
  readonly actions: readonly AnnotationOf<'action'>[];
  /** `kind:id` of each step's entity; null where the topology lacks it. */
  readonly stepEntities: readonly (string | null)[];
  readonly map: DrawnMap;
  readonly latency: readonly DrawnSeries[];
  readonly gpuState: readonly DrawnSeries[];
  /** Where the figures begin and end. */
  readonly shown: { readonly start_ns: bigint; readonly end_ns: bigint };
  readonly gpus: readonly { readonly key: string; readonly model: string | null }[];
  readonly cost: Cost;
  readonly hasRates: boolean;
  /** What the job that stalled or failed lost; null: it is no such job, or its GPUs are unknown. */
  readonly lost: JobView['lost'];
  /** null where requests were not counted. */
  readonly requests: AffectedRequests | null;
  /** Different users among the spans of the impact; null where spans name none. */
  readonly users: number | null;
  readonly detected: KnownTime | null;
  readonly diagnosed: KnownTime | null;
  readonly repaired: KnownTime | null;
  /** The first good measurement after the impact. */
  readonly recovered: KnownTime | null;
  /** Where the time of requests went, of all services during the impact. */
  readonly stages: Stages;
  /** Known failure signatures that have to do with it. */
  readonly findings: readonly FindingView[];
}

export interface ReportInput {
  readonly version: string;
  readonly info: CaseInfo;
  readonly incidents: readonly IncidentFacts[];
  /** Known failure signatures in the whole case, worst first. */
  readonly findings: readonly FindingView[];
  readonly warnings: readonly string[];
  readonly clocks: readonly ClockEstimateView[];
  readonly annotations: readonly Annotation[];
  /** When live feeds were down, and what samples show of others. */
  readonly silences: readonly SilenceView[];
  readonly mechanisms: 'own' | 'bundled';
  /** Thresholds of patterns that were not the defaults, in words. */
  readonly thresholds: readonly string[];
}
