/** What the end of a line of an access log states, ms. */
export interface AccessDurations {
  /** From the first byte of the request to the last of the response. */
  readonly duration_ms?: number;
  /** Of the servers behind a proxy, all attempts together. */
  readonly 'upstream.duration_ms'?: number;
}

/** Names before a `=` or `:`, as configurations of nginx write them, of seconds; Apache's `%D` is microseconds. */
const named: Readonly<Record<string, readonly [key: keyof AccessDurations, unit_ms: number]>> = {
  rt: ['duration_ms', 1000],
  request_time: ['duration_ms', 1000],
  d: ['duration_ms', 0.001],
  urt: ['upstream.duration_ms', 1000],
  upstream_response_time: ['upstream.duration_ms', 1000],
};
/** A name with its value, or a value alone; a value may be in quotes. */
const TOKEN = /(?<![^\s"[\]])(?:([A-Za-z_]{1,30})[=:] ?)?(?:"([^"]{0,1000})"|([^\s",[\]]{1,1000}))/g;
/** nginx writes seconds with three places; larger ones are times since 1970 (`$msec`). */
const SECONDS = /^\d{1,7}\.\d{3}$/;
/** Apache's `%T/%D`. */
const SECONDS_AND_MICROSECONDS = /^\**(\d{1,7})\/(\d{1,13})\**$/;
const MILLISECONDS = /^(\d{1,10})ms$/;

/**
 * Durations behind the fields that all access logs share: `$request_time` and `$upstream_response_time` of nginx
 * (https://nginx.org/en/docs/http/ngx_http_log_module.html), alone or with a name; `%T/%D` of Apache
 * (https://httpd.apache.org/docs/current/mod/mod_log_config.html); `12ms` of Traefik. A whole number alone could be anything.
 */
export function accessDurations(rest: string): AccessDurations {
  const found: { duration_ms?: number; 'upstream.duration_ms'?: number } = {};
  const alone: number[] = [];
  for (const [, name, quoted, plain = ''] of rest.matchAll(TOKEN)) {
    const text = quoted ?? plain;
    const [key, unit_ms = 0] = (name === undefined ? undefined : named[name.toLowerCase()]) ?? [];
    const pair = SECONDS_AND_MICROSECONDS.exec(text);
    const milliseconds = MILLISECONDS.exec(text)?.[1];
    if (key) Object.assign(found, { [key]: found[key] ?? timesOf(text, unit_ms) });
    else if (name !== undefined) continue;
    else if (SECONDS.test(text)) alone.push(rounded(Number(text) * 1000));
    else if (milliseconds !== undefined) found.duration_ms ??= Number(milliseconds);
    else if (pair && Math.floor(Number(pair[2]) / 1e6) === Number(pair[1]))
      found.duration_ms ??= Number(pair[2]) / 1000;
  }
  if (alone.length === 0 || found.duration_ms !== undefined) return found;
  // The time of a request contains that of its upstream, whichever is written first.
  const [longest, shorter] = alone.toSorted((a, b) => b - a);
  return { duration_ms: longest!, ...(alone.length === 2 ? { 'upstream.duration_ms': shorter! } : {}), ...found };
}

/** One number, or one for each server that was tried: `0.010, 0.020 : 0.500`; `-` where one did not answer. */
function timesOf(text: string, unit_ms: number): number | undefined {
  const times = text.split(/[\s,:]+/).filter((one) => /^\d{1,10}(?:\.\d{1,6})?$/.test(one));
  return times.length === 0 ? undefined : rounded(times.reduce((sum, one) => sum + Number(one) * unit_ms, 0));
}

/** To microseconds: sums of decimals have more digits than were written. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
