import caseTables from './01-case.sql?raw';
import identityTables from './02-identity.sql?raw';
import telemetryTables from './03-telemetry.sql?raw';
import eventTable from './04-event.sql?raw';
import views from './05-views.sql?raw';

/** Raised by one whenever a table changes shape; an older Faultline refuses a newer case. */
export const SCHEMA_VERSION = 1;

export const schemaScript = [caseTables, identityTables, telemetryTables, eventTable, views].join('\n');
