import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { Wording } from './wording.ts';

const supplies: readonly EventType[] = ['psu_failure', 'psu_failover'];
/** What happens to a PDU or a part of it. */
export const distributionTypes: readonly EventType[] = [
  'breaker_trip',
  'pdu_overload',
  'outlet_off',
  'outlet_on',
  'voltage_sag',
  'voltage_swell',
  'voltage_restored',
  'utility_outage',
];
const caps: readonly EventType[] = ['cpu_power_cap', 'power_cap_applied', 'power_cap_removed'];

/**
 * Messages of UPSs, PDUs, PSUs and their controllers: RFC 1628 `upsTest`, APC's last transfer cause, IPMI and Redfish
 * redundancy, ATA SMART's and Redfish's predicted failures.
 */
export const powerWordings: readonly Wording[] = [
  {
    types: ['ups_transfer', 'utility_outage', 'ups_battery_low', 'ups_alarm'],
    words: /\bself[- ]?test|\bbattery test|calibrat/i,
    means: 'self_test',
  },
  { types: ['drive_failure'], words: /\bpredict/i, means: 'predicted' },
  {
    types: ['fan_failure', 'cooling_failure', 'psu_failure'],
    words:
      /\b(?:redundancy (?:kept|maintained|ok)|still redundant|(?<!\b(?:not|from|longer) )fully redundant|took over)\b/i,
    means: 'redundancy_kept',
  },
  { types: supplies, words: /warning/i, means: 'warning' },
  { types: ['pdu_overload', 'breaker_trip'], words: /near(?:ly)? overload/i, means: 'near_limit' },
  // "CPU0: Package power limit notification" of Linux: it was reached under load, not lowered.
  { types: caps, words: /\bpower (?:limit|cap) (?:reached|notification)\b/i, means: 'at_limit' },
  {
    types: caps,
    // Never a part of a number: of "1,200 W" nothing is read.
    words: /(?<![\d.,])(\d{1,9}(?:\.\d{1,9})?) W\s{0,9}(?:->|to)\s{0,9}(\d{1,9}(?:\.\d{1,9})?) W/,
    means: ([, from, to]) => ({ limit: { from: Number(from), to: Number(to) } }),
  },
  {
    // "PSU-B input lost", "PS2 Status: Power Supply input lost", "The input power for power supply 1 is lost."
    types: supplies,
    words:
      /\b((?:PSU|PS|power supply)[-_ .#]?(?:slot[ .])?(?:\d{1,2}|[A-H]))\b[^,;.]{0,80}\b(?:lost|fail\w*|absent|unplugged)\b/i,
    means: ([, supply = '']) => ({ supply }),
  },
  {
    types: distributionTypes,
    words: /\bphase[ :#-]{0,2}(L?[123](?:-L?[123N])?|[ABC])\b/i,
    means: ([, phase = '']) => ({ phase: phaseName(phase) }),
  },
  {
    types: distributionTypes,
    words: /\b(?:outlet|receptacle)[ :#]{1,2}([A-Z]{0,3}\d{1,3})\b/i,
    means: ([, outlet = '']) => ({ outlet }),
  },
  {
    types: ['breaker_trip', 'pdu_overload', 'voltage_restored'],
    words: /\b(?:breaker|branch|bank|fuse)[ :#]{1,2}((?:CB|B)?-?\d{1,3}|[A-H])\b/i,
    means: ([, breaker = '']) => ({ breaker }),
  },
  {
    types: distributionTypes,
    words: /\b(?:feed|source|side|input)[ :#]([A-D])\b/,
    means: ([, feed = '']) => ({ feed }),
  },
  {
    types: supplies,
    words: /\bfrom (?:feed|side|path|input) (\w{1,16}) to\b/i,
    means: ([, feed = '']) => ({ feed }),
  },
];

const phaseName = (text: string): string => (/^[123]$/.test(text) ? `L${text}` : text.toUpperCase());

/** What records call the supply that failed, in attributes of their own. */
export const supplyNames = ['failed_psu', 'failed_supply', 'psu', 'power_supply'] as const;
/** What they call the feed that failed. */
export const feedNames = ['failed_feed', 'lost_feed'] as const;
