import type { Layer } from '../../../model/entity.ts';
import { eventEntry } from '../../../model/telemetry/event-catalog.ts';
import type { Harm, Mechanisms } from './mechanisms.ts';
import { causality } from './parameters.ts';

/**
 * Harm of an event type to a service, also by an effect in a layer that nobody recorded: cooling that fails slows GPUs, and if no GPU was
 * recorded, that step is missing in the records and not in the world. The strongest way counts, as its steps are alternatives.
 *
 * @param missing layers under the service of which the recording contains nothing
 */
export function harmWithHidden(type: string, mechanisms: Mechanisms, missing: ReadonlySet<Layer>): Harm | undefined {
  const direct = mechanisms.harmOf(type);
  let strongest = direct;
  for (const { effect, strength, delay_s, configured } of mechanisms.causedBy(type)) {
    const layer = eventEntry(effect)?.layer;
    const harm = mechanisms.harmOf(effect);
    if (configured || !harm || layer === undefined || !missing.has(layer)) continue;
    if (strength * harm.strength < Math.max(causality.leastHidden, strongest?.strength ?? 0)) continue;
    const [least, most] = direct?.delay_s ?? delay_s;
    strongest = {
      ...direct,
      strength: strength * harm.strength,
      delay_s: [Math.min(least, delay_s[0] + harm.delay_s[0]), Math.max(most, delay_s[1] + harm.delay_s[1])],
    };
  }
  return strongest;
}
