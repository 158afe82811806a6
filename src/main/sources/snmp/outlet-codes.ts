import type { Meaning } from './profile.ts';

/** `hw.outlet.state`: 0 off, 1 on, 2 changing, 3 fault. */
const outlet = (map: Meaning['map']): Meaning => ({ metric: 'hw.outlet.state', map });

/** On and off differ per vendor, sometimes between tables of one vendor: this file lists all of them. */
export const outletCodes = {
  apcRackPdu: outlet({ 1: 1, 2: 0 }),
  /** sPDUOutletCtl: the command; reboot and delayed commands are pending. */
  apcSwitched: outlet({ 1: 1, 2: 0, 3: 2, 5: 2, 6: 2, 7: 2 }),
  apcRackPdu2: outlet({ 1: 0, 2: 1 }),
  raritan: outlet({ 7: 1, 8: 0, 17: 2 }),
  raritanPx1: outlet({ [-1]: 3, 0: 0, 1: 1, 2: 2 }),
  sentry3: outlet({ 0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 8: 3, 9: 3 }),
  sentry4: outlet({ 1: 1, 2: 0 }),
  eaton: outlet({ 0: 0, 1: 1, 2: 2, 3: 2 }),
  geist: outlet({ 1: 1, 2: 0, 3: 2, 4: 2, 5: 2, 6: 2 }),
  cyberPower: outlet({ 1: 1, 2: 0 }),
  dell: outlet({ 1: 1, 2: 0 }),
  panduit: outlet({ 1: 0, 2: 1, 3: 2, 4: 2 }),
  liebert: outlet({ 1: 0, 2: 1, 3: 2 }),
  trippLite: outlet({ 1: 0, 2: 1 }),
  sinetica: outlet({ 1: 1, 2: 0, 3: 2 }),
  gude: outlet({ 0: 0, 1: 1 }),
  schleifenbauer: outlet({ 0: 0, 1: 1 }),
  hpe: outlet({ 1: 0, 2: 1, 3: 2, 4: 2 }),
  powerEthernet: outlet({ 1: 0, 2: 0, 3: 1, 4: 3, 6: 3 }),
} as const satisfies Readonly<Record<string, Meaning>>;
