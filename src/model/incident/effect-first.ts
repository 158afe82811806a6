/** Why an effect may stand before its cause in a chain. */
export const effectFirstText =
  'A poll, a sample or a log line records an event after it began, and a slow request counts at the time it began, so that an effect may be recorded before its cause.';
