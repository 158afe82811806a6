import { z } from 'zod';

/** A day past both ends of what 64 bits can name: where a window that holds all of it begins and ends. */
const BEYOND_NS = 2n ** 63n + 86_400_000_000_000n;

/** Nanoseconds since 1970, or the end of a window; what lies further out no database column could be compared with. */
export const anyNanos = z.bigint().gte(-BEYOND_NS).lte(BEYOND_NS);
