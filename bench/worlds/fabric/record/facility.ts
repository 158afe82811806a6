import { type Line, type Scene, sorted } from './scene.ts';
import { idOf, isoStamp, type Words } from './words.ts';

/** Schneider's network cards and row controllers. */
const schneider: Words = {
  ups_on_battery: () => 'UPS: On battery power in response to an input power problem.',
  ups_on_line: () => 'UPS: No longer on battery power.',
  ups_output_off: () => 'UPS: The output power is now turned off.',
  breaker_open: ({ data }) => `Rack PDU: Circuit breaker of phase ${data.phase} is open.`,
  phase_overload: ({ data }) => `Rack PDU: Phase ${data.phase} overload.`,
  strip_dead: () => 'Rack PDU: Input power lost.',
  pump_failed: () => 'CDU: Pump 1 fault.',
  pump_standby: () => 'CDU: Pump changeover, pump 2 is running.',
  valve_stuck: () => 'CDU: Control valve actuator failed.',
  chiller_trip: () => 'Chiller: Compressor fault, unit shut down.',
  door_fan_failed: () => 'Cooling unit: Fan failure.',
};
/** Vertiv's and Eaton's. */
const vertiv: Words = {
  ups_on_battery: () => 'Event: Battery Discharging - System Input Power Problem - Active',
  ups_on_line: () => 'Event: Battery Discharging - Cleared',
  ups_output_off: () => 'Event: System Output Off - Active',
  breaker_open: ({ data }) => `Event: Output Breaker ${data.phase} Open - Active`,
  strip_dead: () => 'Event: Input Power Loss - Active',
  phase_overload: ({ data }) => `Event: Output Phase ${data.phase} Over Current - Active`,
  pump_failed: () => 'Event: Pump 1 Loss Of Flow - Active',
  pump_standby: () => 'Event: Standby Pump On - Active',
  valve_stuck: () => 'Event: Chilled Water Control Valve Failure - Active',
  chiller_trip: () => 'Event: Compressor High Head Pressure - Active',
  door_fan_failed: () => 'Event: Fan Failure - Active',
};

/** What power and cooling devices write into the syslog of the building. */
export function recordFacility(scene: Scene): void {
  if (!scene.has('facility', 'facility', 0.75)) return;
  const chance = scene.chance('facility');
  const words = chance.is(0.5) ? schneider : vertiv;
  // Each kind of device is wired up at some sites only.
  const kinds = new Set(['ups', 'pdu', 'cooling'].filter(() => chance.is(0.85)));
  const lines: Line[] = [];
  const line = (at_s: number, host: string, message: string): void => {
    lines.push({ at_s, text: `${isoStamp(scene.date('facility', at_s))} ${host} nmc: ${message}` });
  };
  const own = scene.run.engine.journal.filter(
    ({ subject, type }) => type in words && kinds.has(subject.slice(0, subject.indexOf(':'))),
  );
  const wanted = new Set(own.map(({ id }) => id));
  for (const one of scene.run.engine.journal.filter(({ id }) => wanted.has(id))) {
    if (chance.is(0.03)) continue;
    const message = words[one.type]?.(one);
    if (message === undefined) continue;
    scene.shown.add(one.id);
    line(one.at_s + chance.between(0, 2), idOf(one.subject), message);
  }
  const devices = [
    ...(kinds.has('ups') ? scene.site.upses : []),
    ...(kinds.has('cooling') ? scene.site.rows.map(({ cdu }) => cdu) : []),
  ];
  for (const device of devices)
    for (let at_s = chance.between(30, 1500); at_s < scene.site.seconds; at_s += chance.between(700, 2500))
      line(
        at_s,
        device,
        chance.pick([
          'System: Web user logged in from 10.9.1.4.',
          'System: NTP update successful.',
          'Event log uploaded.',
        ]),
      );
  scene.add('building/syslog.log', sorted(lines));
}
