import { fractionToNanoseconds } from '../../../../model/local-time.ts';
import { severityOfWord } from '../../log-record/level.ts';
import { type Grammar, nothing } from '../grammar.ts';
import { placeOf } from './google-log.ts';

/** vLLM: `(EngineCore_0 pid=12) INFO 05-01 14:04:18 [engine.py:1] text`; older versions write `engine.py:1]` without the bracket. */
const HEADER =
  /^(?:\(([^)]{1,80})\) ?)?([A-Z]{4,8}) (\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))? (?:\[?([^\s\]]{1,200}:\d{1,7})\]|\[([^\]]{1,200})\]) ?/;
const PROCESS = /^(.*?) ?\bpid=(\d{1,10})$/;
const RANK = /\brank[=_ ]?(\d{1,7})\b/i;

export const vllm: Grammar = {
  id: 'vllm',
  read(line) {
    const match = HEADER.exec(line);
    if (!match) return undefined;
    const [header, process = '', level = '', month, day, hour, minute, second, fraction = '', place] = match;
    const severity = severityOfWord(level);
    if (severity === 0) return undefined;
    const [, name = process, pid] = PROCESS.exec(process) ?? [];
    const rank = RANK.exec(process)?.[1];
    const code = place === undefined ? undefined : placeOf(place);
    return {
      moment: {
        year: 0,
        month: Number(month),
        day: Number(day),
        hour: Number(hour),
        minute: Number(minute),
        second: Number(second),
        nanosecond: fractionToNanoseconds(fraction),
      },
      severity,
      severity_text: level,
      body: line.slice(header.length),
      scope: '',
      resource: nothing,
      attributes: {
        'code.file.path': code?.file,
        'code.line.number': code?.number,
        'process.pid': pid === undefined ? undefined : Number(pid),
        'process.title': name,
        rank: rank === undefined ? undefined : Number(rank),
      },
      rank: rank === undefined ? undefined : Number(rank),
    };
  },
};
