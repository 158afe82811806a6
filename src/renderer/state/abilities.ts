import type { HostAbility } from '../../model/storage/host-ability.ts';
import { known, useApp } from './known.ts';

/** Whether the host of this window has an ability; false until that is known. */
export const can = (ability: HostAbility): boolean => known('app.info')?.abilities.includes(ability) ?? false;

export const useCan = (ability: HostAbility): boolean => useApp()?.abilities.includes(ability) ?? false;
