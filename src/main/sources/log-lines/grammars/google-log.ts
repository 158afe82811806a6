import { fractionToNanoseconds, type WallClock } from '../../../../model/local-time.ts';
import { severityOfLetter } from '../../log-record/level.ts';
import { rankIn } from '../../log-record/lift.ts';
import { type Grammar, nothing } from '../grammar.ts';

/**
 * glog, klog (Kubernetes), Abseil, Triton Inference Server and PyTorch's c10: level letter, month and day, time, perhaps the thread, file and line.
 * `I0501 14:04:18.123456 1 server.cc:674] text`, `[rank3]:[E501 14:04:20.123456789 ProcessGroupNCCL.cpp:616] text`.
 */
const HEADER =
  /^(?:\[(?:rank|Rank )?(\d{1,7})\]:? ?)?(?:(\S{1,80}) )?\[?([IWEF])(?:(\d{4}))?(\d{1,2})(\d{2}) (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?\s{1,8}(?:(\d{1,10}) )?([^\s\]]{1,200}:\d{1,7})\] ?/;

export const googleLog: Grammar = {
  id: 'glog',
  read(line) {
    const first = line.charCodeAt(0);
    // '[' or an upper-case letter.
    if (first !== 0x5b && !(first >= 0x41 && first <= 0x5a)) return undefined;
    const match = HEADER.exec(line);
    if (!match) return undefined;
    const [header, prefix, , letter = '', year, month, day, hour, minute, second, fraction = '', thread, place = ''] =
      match;
    const clock: WallClock = {
      year: Number(year ?? 0),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      nanosecond: fractionToNanoseconds(fraction),
    };
    const body = line.slice(header.length);
    const rank = prefix === undefined ? rankIn(body) : Number(prefix);
    const { file, number } = placeOf(place);
    return {
      moment: clock,
      severity: severityOfLetter(letter),
      severity_text: letter,
      body,
      scope: '',
      resource: nothing,
      attributes: {
        'code.file.path': file,
        'code.line.number': number,
        'thread.id': thread === undefined ? undefined : Number(thread),
        rank,
      },
      rank,
    };
  },
};

/** `engine.py:12` as file and line, under the names of the semantic conventions for code. */
export function placeOf(place: string): { readonly file: string; readonly number: number } {
  const at = place.lastIndexOf(':');
  return { file: place.slice(0, at), number: Number(place.slice(at + 1)) };
}
