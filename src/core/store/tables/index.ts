import judgedEdges from '../queries/topology/judged-edges.sql?raw';
import links from '../queries/topology/links.sql?raw';
import caseTables from './01-case.sql?raw';
import identityTables from './02-identity.sql?raw';
import telemetryTables from './03-telemetry.sql?raw';
import eventTable from './04-event.sql?raw';
import annotationTable from './05-annotation.sql?raw';
import otherViews from './06-views.sql?raw';
import histogramsView from './histograms-view.sql?raw';
import spansSelect from './spans-select.sql?raw';
import topologyView from './topology-view.sql?raw';
import traceSelect from './trace-select.sql?raw';
import upgrade1to2 from './upgrade-1-to-2.sql?raw';
import upgrade2to3 from './upgrade-2-to-3.sql?raw';
import upgrade3to4 from './upgrade-3-to-4.sql?raw';
import upgrade4to5 from './upgrade-4-to-5.sql?raw';
import upgrade5to6 from './upgrade-5-to-6.sql?raw';
import upgrade6to7 from './upgrade-6-to-7.sql?raw';
import upgrade7to8 from './upgrade-7-to-8.sql?raw';

/** Raised by one whenever a table changes shape; an older Faultline refuses a newer case. */
export const SCHEMA_VERSION = 8;

const views = `
create view spans as
${spansSelect};
create macro trace_hi_of(id) as case when length(id::varchar) <= 32 then try_cast('0x' || left(lpad(id::varchar, 32, '0'), 16) as ubigint) end;
create macro trace_lo_of(id) as case when length(id::varchar) <= 32 then try_cast('0x' || right(lpad(id::varchar, 32, '0'), 16) as ubigint) end;
create macro trace(id) as table
${traceSelect}${spansSelect};
${otherViews}
${histogramsView}
create view topology as
${links}${judgedEdges}${topologyView};`;

export const tablesScript = [caseTables, identityTables, telemetryTables, eventTable, annotationTable].join('\n');
export const schemaScript = `${tablesScript}\n${views}`;

/** Every table of a case, in the order in which they are created. */
export const storedTables: readonly string[] = [...schemaScript.matchAll(/^create table (\w+)/gm)].map(
  (match) => match[1]!,
);

/** The views and functions of a case: they hold no rows. */
export const storedViews: readonly string[] = [...views.matchAll(/^create view (\w+)/gm)].map((match) => match[1]!);
export const storedMacros: readonly string[] = [...views.matchAll(/^create macro (\w+)/gm)].map((match) => match[1]!);

/** What leads from the schema of index + 1 to the next; views are made anew after the last. */
export const upgrades: readonly string[] = [
  upgrade1to2,
  upgrade2to3,
  upgrade3to4,
  upgrade4to5,
  upgrade5to6,
  upgrade6to7,
  upgrade7to8,
];
export const viewsScript = views.replaceAll(/create (view|macro)/g, 'create or replace $1');
