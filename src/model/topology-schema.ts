import { z } from 'zod';

/** A place where what was recorded contradicts the map. */
export const mapDoubtSchema = z.object({
  /**
   * `two_feeders`, `two_places`: edges that cannot both hold; `feed_ended`: no feed at the time; `behaves_elsewhere`,
   * `did_not_react`: an entity reacts like those on another supply, or not like those on its own.
   */
  doubt: z.enum(['two_feeders', 'two_places', 'feed_ended', 'behaves_elsewhere', 'did_not_react']),
  /** `kind:id` of the entity with doubtful links. */
  entity: z.string(),
  /** For people. */
  text: z.string(),
  refs: z.array(z.string()),
  /** `kind:id` of its probable supply; null if unknown. */
  supply: z.string().nullable(),
});
export type MapDoubt = z.infer<typeof mapDoubtSchema>;
