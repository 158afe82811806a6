import { liftFields } from '../../log-record/lift.ts';
import { parseObject } from '../envelope.ts';
import type { Grammar } from '../grammar.ts';

/** A JSON object per line, by the names of its fields: slog, zap, zerolog, logrus, pino, bunyan, structlog, Serilog, ECS, GELF. */
export const jsonLine: Grammar = {
  id: 'json',
  read(line) {
    if (line.charCodeAt(0) !== 0x7b) return undefined;
    const fields = parseObject(line);
    if (!fields) return undefined;
    const lifted = { ...liftFields(fields), isJson: true };
    // bunyan's `name` is the application, not a logger of it.
    const isBunyan = 'v' in fields && 'pid' in fields && 'hostname' in fields && lifted.scope !== '';
    return isBunyan && !lifted.resource['service.name']
      ? { ...lifted, scope: '', resource: { ...lifted.resource, 'service.name': lifted.scope } }
      : lifted;
  },
};
