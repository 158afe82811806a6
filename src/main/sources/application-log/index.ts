import type { Source } from '../../../model/storage/source.ts';
import { recordBorders } from './borders.ts';
import { detect } from './detect.ts';
import { leftOpen } from './left-open.ts';
import { jsonColumns, readMapped } from './mapped.ts';
import { readLog } from './read-log.ts';

/** Logs of applications, line by line: JSON of any library, text with a time, inside envelopes of container runtimes. */
export const applicationLog: Source = {
  id: 'application-log',
  title: 'Application log (JSON lines, logfmt, CRI, docker, Python, glog, NCCL, NeMo, vLLM, Gin, access logs)',
  looks_for: 'lines that begin with a time, or JSON lines with a time and a message',
  leaves_open: ['zone', 'time', 'device'],
  leftOpen,
  detect,
  borders: recordBorders,
  columns: jsonColumns,
  read: (input) =>
    input.assume.mapping
      ? readMapped(input, input.assume.mapping, 'application-log')
      : readLog(input, 'application-log'),
};
