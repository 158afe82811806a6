import type { StageView } from '../../../model/contract/index.ts';
import { stagesOfAllText } from '../../../model/incident/incident.ts';
import type { ReportBlock } from '../../../model/incident/report-document.ts';
import { stageText } from '../../../model/telemetry/serving-stages.ts';
import { remark, table } from '../facts.ts';
import type { IncidentFacts } from '../report-input.ts';
import { incidentRef } from './summary.ts';

/** More stages than a reader compares. */
const MOST_STAGES = 14;

/** Where the time of requests for a model went, during the impact and before it; empty where nothing shows stages. */
export function stageBlocks({ view, stages: { stages } }: IncidentFacts): ReportBlock[] {
  if (stages.length === 0) return [];
  // Those of the impacted service first.
  const ordered = stages.toSorted((a, b) => Number(b.service === view.service) - Number(a.service === view.service));
  const shown = ordered.slice(0, MOST_STAGES);
  const rows = shown.map((stage) => ({
    cells: [
      stageText(stage),
      stage.model === null ? stage.service : `${stage.service} (${stage.model})`,
      secondsText(stage.before),
      secondsText(stage.during),
      timesText(stage),
      basisText(stage),
    ],
    refs: refsOf(stage, incidentRef(view)),
  }));
  const left = ordered.length - shown.length;
  const ofAll = stagesOfAllText(view.incident);
  return [
    table(['Stage of a request', 'Service', 'Before', 'Incident', 'Change', 'Basis'], rows),
    ...(ofAll === '' ? [] : [remark(ofAll)]),
    ...(left > 0 ? [remark(`${left} more stages are in \`faultline stages\`.`)] : []),
  ];
}

const refsOf = ({ before, during }: StageView, incident: string): string[] => {
  const refs = [...(during?.refs ?? []), ...(before?.refs ?? [])].slice(0, 4);
  return refs.length === 0 ? [incident] : refs;
};

const secondsText = (figures: StageView['during']): string =>
  figures ? `${Number(figures.seconds.toPrecision(3))} s` : 'unknown';

const timesText = ({ before, during }: StageView): string =>
  before && during && before.seconds > 0 ? `× ${Number((during.seconds / before.seconds).toPrecision(2))}` : 'unknown';

const basisText = ({ source, computed, during }: StageView): string =>
  `${source === 'spans' ? 'median, from spans' : `mean of all requests, ${computed ? 'computed' : 'from metrics'}`}, ${Math.round(during?.requests ?? 0)} requests`;
