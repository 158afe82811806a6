import traceEntityEvents from './trace-entity-events.sql?raw';
import traceTokenMarks from './trace-token-marks.sql?raw';
import traceTokenRequests from './trace-token-requests.sql?raw';

/** When the tokens of the answers of a trace came, and what happened meanwhile. */
export const tokenQueries = { traceTokenMarks, traceTokenRequests, traceEntityEvents };
