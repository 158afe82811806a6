/** Decodes text of a message: a byte order mark at its beginning is part of it, as anywhere else within a file. */
export const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
