import traceEntityEvents from './trace-entity-events.sql?raw';
import tracePlaces from './trace-places.sql?raw';
import traceRequests from './trace-requests.sql?raw';
import traceServices from './trace-services.sql?raw';
import traceTokenMarks from './trace-token-marks.sql?raw';
import traceTokenRequests from './trace-token-requests.sql?raw';

/** What is asked about one trace beside its spans: where it ran, what it took, when the tokens of its answers came. */
export const oneTraceQueries = {
  tracePlaces,
  traceRequests,
  traceServices,
  traceTokenMarks,
  traceTokenRequests,
  traceEntityEvents,
};
