import { severityOfLetter } from '../../log-record/level.ts';
import { readIsoTime } from '../../log-record/moment.ts';
import { type Grammar, nothing } from '../grammar.ts';
import { placeOf } from './google-log.ts';

/** NeMo: `[NeMo W 2026-05-01 14:04:20 nemo_logging:405] text`; with NEMO_TESTING the rank behind the line, ` rank:3]`. */
const HEADER =
  /^\[NeMo ([A-Z]) (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) ([^\s\]]{1,200}:\d{1,7})(?: rank:(\d{1,7}))?\](?: |$)/;

/** Logs of NVIDIA NeMo. */
export const nemo: Grammar = {
  id: 'nemo',
  read(line) {
    const match = line.startsWith('[NeMo ') ? HEADER.exec(line) : null;
    const moment = match ? readIsoTime(match[2]!) : undefined;
    if (!match || !moment) return undefined;
    const [header, letter = '', , place = '', stated] = match;
    const { file, number } = placeOf(place);
    const rank = stated === undefined ? undefined : Number(stated);
    return {
      moment,
      severity: severityOfLetter(letter),
      severity_text: letter,
      body: line.slice(header.length),
      scope: 'NeMo',
      resource: nothing,
      attributes: { 'code.file.path': file, 'code.line.number': number, rank },
      rank,
    };
  },
};
