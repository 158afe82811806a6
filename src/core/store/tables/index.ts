import caseTables from './01-case.sql?raw';
import identityTables from './02-identity.sql?raw';
import telemetryTables from './03-telemetry.sql?raw';
import eventTable from './04-event.sql?raw';
import views from './05-views.sql?raw';
import upgrade1to2 from './upgrade-1-to-2.sql?raw';

/** Raised by one whenever a table changes shape; an older Faultline refuses a newer case. */
export const SCHEMA_VERSION = 2;

export const schemaScript = [caseTables, identityTables, telemetryTables, eventTable, views].join('\n');

/** What leads from the schema of index + 1 to the next; views are made anew after the last. */
export const upgrades: readonly string[] = [upgrade1to2];
export const viewsScript = views.replaceAll('create view', 'create or replace view');
