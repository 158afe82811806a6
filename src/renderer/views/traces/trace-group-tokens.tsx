import { useMemo } from 'react';
import type { TokenRequest, TokenTimes, TraceGroup } from '../../../model/contract/index.ts';
import { gapFacts, requestName, type TokenTextFormat, tokenFacts } from '../../../model/telemetry/token-text.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration, formatTime } from '../../draw/text/format-time.ts';
import { gapBars } from '../../draw/traces/gap-bars.ts';
import { spanOfRef } from '../../draw/traces/trace-group-text.ts';
import { setPlayhead, setWindow } from '../../state/focus.ts';
import { padWindow } from '../../state/time-window.ts';
import { useCall } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { messages } from './messages.ts';

interface TokensProps {
  /** Of the requested trace, as hex. */
  readonly traceId: string;
  readonly traceGroup: TraceGroup;
  readonly onShow: (span: number) => void;
}

/** When the tokens of each answer came, and what the hardware did in the longest gap between two. */
export function TraceGroupTokens({ traceId, traceGroup, onShow }: TokensProps) {
  const { value, problem, slow, retry } = useCall('trace.tokens', { trace_id: traceId });
  const show = ({ span_id }: TokenRequest) =>
    onShow(Math.max(spanOfRef(traceGroup, `span:${traceId.padStart(32, '0')}/${span_id}`), 0));
  return (
    <div className="trace-detail-panel">
      {problem ? <ProblemNote problem={problem} what={messages.tokens.what} onRetry={retry} /> : null}
      {slow ? <Progress label={messages.tokens.loading} /> : null}
      {value ? <Requests times={value} onShow={show} /> : null}
    </div>
  );
}

function Requests({
  times: { requests, left_out, truncated },
  onShow,
}: {
  readonly times: TokenTimes;
  readonly onShow: (request: TokenRequest) => void;
}) {
  if (requests.length === 0) return <p className="empty muted">{messages.tokens.none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className="token-scroll" aria-label={messages.tokens.label} tabIndex={0} data-testid="trace-tokens">
      {truncated ? <p className="muted">{messages.tokens.truncated}</p> : null}
      {left_out > 0 ? <p className="muted">{messages.tokens.left(left_out)}</p> : null}
      {requests.map((request) => (
        <Request key={request.span_id} request={request} onShow={() => onShow(request)} />
      ))}
    </section>
  );
}

function Request({ request, onShow }: { readonly request: TokenRequest; readonly onShow: () => void }) {
  const zone = useTimeFormat();
  const format: TokenTextFormat = {
    length: (seconds) => formatDuration(seconds * 1e9),
    time: (time_ns) => formatTime(nanos(time_ns), zone),
  };
  const { longest } = request;
  const toTimeline = () => {
    if (!longest) return;
    const [startNs, endNs] = [nanos(longest.from_ns), nanos(longest.until_ns)];
    setWindow(padWindow({ startNs, endNs: endNs > startNs ? endNs : nanos(startNs + 1000n) }, 1), 'trace');
    setPlayhead(startNs);
  };
  const facts = gapFacts(request, format);
  return (
    <article className="token-request">
      <h3>
        <button type="button" className="link" onClick={onShow}>
          {requestName(request)}
        </button>
      </h3>
      <p>{tokenFacts(request, format).join('; ')}.</p>
      <GapChart request={request} format={format} />
      {facts.length === 0 ? null : (
        <>
          <h4>
            {messages.tokens.inGap}{' '}
            <button type="button" onClick={toTimeline}>
              {messages.tokens.toTimeline}
            </button>
          </h4>
          <ul>
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </>
      )}
    </article>
  );
}

/** One bar for each part of the answer: as high as the longest time between two of its tokens. */
function GapChart({ request, format }: { readonly request: TokenRequest; readonly format: TokenTextFormat }) {
  const bars = useMemo(() => gapBars(request), [request]);
  if (!bars) return null;
  return (
    <svg className="token-chart" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img">
      <title>{messages.tokens.chart(request.pieces ?? 'token', format.length(bars.highest_s))}</title>
      <path d={bars.path} className="token-bars" />
      <path d={bars.peak} className="token-peak" />
    </svg>
  );
}
