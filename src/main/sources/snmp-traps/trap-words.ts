import type { EntityKind } from '../../../model/entity.ts';
import { type FacilityMeaning, readFacilityWords } from '../facility-words/read-facility-words.ts';
import { notificationNames } from './notification-names.ts';

/** A trap's name and values as they are written, for devices whose notifications are in no table here. */
export interface TrapWords {
  /** Name, or OID where the log has no names. */
  readonly written: string;
  readonly oid: string;
  readonly shown: Readonly<Record<string, string>>;
}

export interface WordedMeaning extends FacilityMeaning {
  /** The sentence that reports it; '' where names and states do. */
  readonly sentence: string;
  /** The name of the notification, where it has one. */
  readonly name: string | undefined;
}

/** Values of a trap that are read; real ones have up to thirty. */
const MOST_VALUES = 60;
/** Labels that end an alarm whose text does not. */
const ENDS = /^(?:cleared|clear|inactive|removed|resolved|deasserted|ended|returnToNormal|off2on)$/i;

/** Types of values that are no texts, as snmptrapd writes them before the value. */
const TYPED =
  /^(?:INTEGER|Integer32|U?Unsigned32|UInteger32|Gauge32|Counter\d\d|Timeticks|IpAddress|Network Address|Hex-STRING|OID|BITS|Opaque|NULL)\b: |^\d/i;

const objectOf = (written: string): string | undefined =>
  /([A-Za-z][\w-]*)(?:\.[\w.'"-]*)?$/.exec(written.replace(/^.*::/, ''))?.[1];

/** Two words or more: names of devices, serial numbers and places are shorter. */
const isSentence = (text: string): boolean => /[A-Za-z]{2,}[^A-Za-z]+[A-Za-z]{2,}/.test(text);

/** What a trap reports by its words: a sentence among its values, else its name with the states and conditions beside it. */
export function wordedMeaning({ oid, shown, written }: TrapWords, kind: EntityKind): WordedMeaning | undefined {
  const name =
    notificationNames.get(oid.replace(/^\./, '')) ?? (/[A-Za-z]/.test(written) ? objectOf(written) : undefined);
  const values = Object.entries(shown).slice(0, MOST_VALUES);
  const sentences: string[] = [];
  const states: string[] = [];
  let ends = '';
  for (const [at, text] of values) {
    const label = /^(?:INTEGER: ?)?([A-Za-z][\w-]{0,80})\(-?\d{1,10}\)/.exec(text)?.[1];
    const condition = /^OID: (\S{1,200})$/.exec(text)?.[1];
    const quoted = /^(?:STRING: ?)?"?((?:.|\n){3,1000}?)"?$/.exec(text)?.[1];
    if (label !== undefined) {
      if (ENDS.test(label)) ends = label;
      states.push(`${objectOf(at) ?? ''} ${label}`);
    } else if (condition !== undefined)
      states.push(notificationNames.get(condition.replace(/^\./, '')) ?? objectOf(condition) ?? '');
    else if (
      quoted !== undefined &&
      isSentence(quoted) &&
      // Numbers with their type are no sentences: `Gauge32: 230 RMS Volts`.
      !TYPED.test(text)
    )
      sentences.push(quoted);
  }
  for (const sentence of sentences)
    for (const text of [`${sentence} ${ends} ${name ?? ''}`, sentence]) {
      const found = readFacilityWords(text, kind);
      if (found) return { ...found, sentence, name };
    }
  const found = readFacilityWords([name ?? '', ...states].join(' . '), kind);
  return found && { ...found, sentence: '', name };
}
