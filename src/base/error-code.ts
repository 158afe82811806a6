/** The code of a Node error (`ENOENT`, `ECONNREFUSED`); empty where it has none. */
export const errorCode = (error: unknown): string => String((error as { readonly code?: unknown } | null)?.code ?? '');
