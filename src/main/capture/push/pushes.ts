import type { Push } from '../../../model/storage/feed.ts';
import { withinLine } from '../feed-state.ts';
import { secret } from '../plan/secret.ts';
import { MetricsPage } from './metrics-page.ts';
import { pushOtlp } from './push-otlp.ts';
import { type PushPlan, pushNames } from './push-plan.ts';

/** Push targets of a checked plan. */
export function pushesOf({ otlp, prometheus }: PushPlan): Push[] {
  const pushes: Push[] = [];
  if (otlp) pushes.push(otlpPush(otlp));
  if (prometheus) {
    const page = new MetricsPage(prometheus.listen);
    pushes.push({
      name: pushNames.prometheus,
      every_s: prometheus.every_s,
      open: () => page.open(),
      push: async ({ exposition }) => {
        page.show(exposition);
        return '';
      },
      close: () => page.close(),
    });
  }
  return pushes;
}

function otlpPush({ url, headers, every_s }: NonNullable<PushPlan['otlp']>): Push {
  let sent = '';
  let left = '';
  let read: Readonly<Record<string, string>> = {};
  return {
    name: pushNames.otlp,
    every_s,
    open: async () => {
      const places = Object.entries(headers).map(async ([name, place]) => [name, await secret(place)] as const);
      read = Object.fromEntries(await Promise.all(places));
      return url;
    },
    push: async ({ telemetry }, signal) => {
      const news = JSON.stringify(telemetry);
      if (news === sent) return left;
      left = withinLine((await pushOtlp({ url, headers: read }, telemetry, signal)).join('; '));
      sent = news;
      return left;
    },
    close: async () => undefined,
  };
}
