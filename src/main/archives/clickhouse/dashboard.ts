import { DASHBOARD } from '../../../model/grafana-link.ts';
import { identifier, literal } from './tables.ts';

/** Of the ClickHouse plugin of Grafana: 0 a time series, 1 a table. */
type Format = 0 | 1;

interface Panel {
  readonly title: string;
  readonly type: 'table' | 'timeseries' | 'barchart';
  /** `$__timeFilter(column)` and `$__timeInterval(column)` are the plugin's. */
  readonly sql: string;
  readonly height: number;
  readonly unit?: string;
}

/** A column with the address of the incident in its case, by the names that the web host knows. */
const linkColumn = (links: string | null): string =>
  links === null
    ? ''
    : `, concat(${literal(`${links.replace(/\/+$/, '')}/?view=causes&case=`)}, encodeURLComponent(Case), '&incident=', encodeURLComponent(Incident), '&time=', formatDateTime(Start, '%Y-%m-%dT%H:%i:%SZ', 'UTC'), if(CauseType = '', '', concat('&entity=', encodeURLComponent(substring(Cause, 1, length(Cause) - length(CauseType) - 1))))) AS ${LINK}`;
const LINK = 'Link';

const panels = (database: string, links: string | null): readonly Panel[] => {
  const table = (name: string): string => `${identifier(database)}.${name}`;
  const incidents = `${table('faultline_incidents')} FINAL WHERE Removed = 0 AND $__timeFilter(Start)`;
  return [
    {
      title: 'Incidents',
      type: 'table',
      height: 10,
      sql: `SELECT Start, End, Impacted, TimesWorse AS "Times worse", Cause, Verdict, Probability, Severity, Title, Owner, Case, Incident${linkColumn(links)} FROM ${incidents} ORDER BY Start DESC`,
    },
    {
      title: 'Chains, the root cause first',
      type: 'table',
      height: 8,
      sql: `SELECT Start, Impacted, arrayStringConcat(Chain, ' -> ') AS Chain, Cause, arrayStringConcat(Patterns, ', ') AS Patterns, arrayStringConcat(Actions, '; ') AS Actions, Case, Incident${linkColumn(links)} FROM ${incidents} ORDER BY Start DESC`,
    },
    {
      title: 'Incidents by cause',
      type: 'barchart',
      height: 8,
      sql: `SELECT if(CauseType = '', 'unknown', CauseType) AS cause, count() AS incidents FROM ${incidents} GROUP BY cause ORDER BY incidents DESC LIMIT 20`,
    },
    {
      title: 'Findings of patterns',
      type: 'table',
      height: 8,
      sql: `SELECT Start, Pattern, Severity, Headline, arrayStringConcat(Entities, ', ') AS Entities, arrayStringConcat(Remediation, '; ') AS Remediation, Case FROM ${table('faultline_findings')} FINAL WHERE Removed = 0 AND $__timeFilter(Start) ORDER BY Start DESC`,
    },
    {
      title: 'GPU time throttled, by reason (from export --otlp)',
      type: 'timeseries',
      height: 8,
      unit: 's',
      sql: `SELECT $__timeInterval(TimeUnix) AS time, MetricName AS reason, sum(Value) AS seconds FROM ${table('otel_metrics_sum')} WHERE startsWith(MetricName, 'gpu.throttle.') AND $__timeFilter(TimeUnix) GROUP BY time, reason ORDER BY time`,
    },
  ];
};

/** A click on the case of a row opens it; the address itself is not shown. */
const overrides = [
  {
    matcher: { id: 'byName', options: 'Case' },
    properties: [
      { id: 'links', value: [{ title: 'Open in Faultline', url: `\${__data.fields.${LINK}}`, targetBlank: true }] },
    ],
  },
  { matcher: { id: 'byName', options: LINK }, properties: [{ id: 'custom.hidden', value: true }] },
];

/** A dashboard of Grafana over what is pushed (JSON to import), with incidents as annotations of all its panels. */
export function grafanaDashboard(database: string, links: string | null): string {
  const datasource = { type: 'grafana-clickhouse-datasource', uid: `\${source}` };
  const target = (sql: string, format: Format) => ({ refId: 'A', datasource, editorType: 'sql', rawSql: sql, format });
  let y = 0;
  const drawn = panels(database, links).map(({ title, type, sql, height, unit }, i) => {
    const gridPos = { x: 0, y, w: 24, h: height };
    y += height;
    const fieldConfig = {
      defaults: unit === undefined ? {} : { unit },
      overrides: sql.includes(`AS ${LINK}`) ? overrides : [],
    };
    return {
      id: i + 1,
      title,
      type,
      datasource,
      gridPos,
      fieldConfig,
      targets: [target(sql, type === 'timeseries' ? 0 : 1)],
    };
  });
  const marks = `SELECT Start AS time, End AS timeEnd, Impacted AS title, Cause AS text FROM ${identifier(database)}.faultline_incidents FINAL WHERE Removed = 0 AND $__timeFilter(Start)`;
  const annotation = { name: 'Incidents', enable: true, iconColor: 'red', datasource, target: target(marks, 1) };
  const dashboard = {
    uid: DASHBOARD,
    title: 'Faultline incidents',
    schemaVersion: 39,
    time: { from: 'now-7d', to: 'now' },
    templating: {
      list: [{ name: 'source', label: 'ClickHouse', type: 'datasource', query: 'grafana-clickhouse-datasource' }],
    },
    annotations: { list: [annotation] },
    panels: drawn,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
