-- Quantiles of counts between ascending bounds, and of what a summary states.
create macro bucket_quantile(lows, highs, counts, q) as list_extract(list_transform(
  list_filter(range(1, len(counts) + 1), lambda i: counts[i] > 0 and list_sum(counts[1:i]) >= q * list_sum(counts)),
  lambda i: case
    when isinf(highs[i]) then lows[i]
    else lows[i] + (q * list_sum(counts) - coalesce(list_sum(counts[1:i - 1]), 0)) / counts[i] * (highs[i] - lows[i])
  end
), 1);
create macro stated_quantile(quantiles, q) as list_extract(list_filter(quantiles, lambda pair: pair[1] = q and not isnan(pair[2])), 1)[2];

-- Histograms, exponential histograms and summaries: what was collected since the point before. A cumulative series whose count fell
-- or whose start changed was reset and begins from zero; of its first point only the total is known. Quantiles are linear inside
-- their bucket, as histogram_quantile of Prometheus has it; of a bucket without an upper end they are its lower end. Those of
-- summaries are what was recorded.
create view histograms as
with recorded as (
  select d.series as series_id, d.source_id, d.start_ns, d.time_ns, d.count, d.sum, s.kind, s.temporality = 2 or s.kind = 'summary' as is_cumulative,
    coalesce(try_cast(json_extract(d.detail, '$.bounds') as double[]), []) as bounds,
    coalesce(try_cast(json_extract(d.detail, case when s.kind = 'histogram' then '$.counts' else '$.positive.counts' end) as double[]), []) as counts,
    case when s.kind = 'exponential_histogram' then {
      base: pow(2, pow(2, -coalesce(try_cast(json_extract(d.detail, '$.scale') as double), 0))),
      zero: coalesce(try_cast(json_extract(d.detail, '$.zero_count') as double), 0),
      threshold: coalesce(try_cast(json_extract(d.detail, '$.zero_threshold') as double), 0),
      above: coalesce(try_cast(json_extract(d.detail, '$.positive.offset') as double), 0),
      below: coalesce(try_cast(json_extract(d.detail, '$.negative.offset') as double), 0),
      negative: list_reverse(coalesce(try_cast(json_extract(d.detail, '$.negative.counts') as double[]), []))
    } end as e,
    case when s.kind = 'summary' then try_cast(json_extract(d.detail, '$.quantiles') as double[][]) end as quantiles
  from distribution d
  join series s on s.series_id = d.series
),
bucketed as (
  select * exclude (bounds, counts, e),
    case
      when kind = 'histogram' then list_prepend(least(0, coalesce(bounds[1], 0)), bounds)
      when kind = 'exponential_histogram' then list_transform(range(len(e.negative), 0, -1), lambda i: -pow(e.base, e.below + i))
        || [-e.threshold] || list_transform(range(0, len(counts)), lambda i: pow(e.base, e.above + i))
    end as lows,
    case
      when kind = 'histogram' then list_append(bounds, 'infinity'::double)
      when kind = 'exponential_histogram' then list_transform(range(len(e.negative) - 1, -1, -1), lambda i: -pow(e.base, e.below + i))
        || [e.threshold] || list_transform(range(1, len(counts) + 1), lambda i: pow(e.base, e.above + i))
    end as highs,
    case when kind = 'histogram' then counts when kind = 'exponential_histogram' then e.negative || [e.zero] || counts end as counts
  from recorded
),
stepped as (
  select *, lag(time_ns) over w as last_ns, lag(start_ns) over w as last_start_ns, lag(count) over w as last_count, lag(sum) over w as last_sum,
    lag(highs) over w as last_highs, lag(counts) over w as last_counts
  from bucketed
  window w as (partition by series_id, source_id order by time_ns)
),
placed as (
  select *, not is_cumulative or last_ns is not null as is_known,
    is_cumulative and last_ns is not null and start_ns = last_start_ns and count >= last_count as continues
  from stepped
),
collected as (
  select *, case when is_known then count - case when continues then last_count else 0 end end as more,
    case when is_known then sum - case when continues then last_sum else 0 end end as more_sum,
    case
      when not is_known or list_count(counts) < len(counts) or len(counts) <> len(highs) then null
      when not continues then counts
      when highs = last_highs then list_transform(range(1, len(counts) + 1), lambda i: greatest(0, counts[i] - last_counts[i]))
      -- A coarser scale, or more buckets: those of before lie within those of now.
      when kind = 'exponential_histogram' then list_transform(range(1, len(counts) + 1), lambda i: greatest(0, counts[i] - coalesce(list_sum(
        list_transform(list_filter(range(1, len(last_counts) + 1), lambda j: last_highs[j] > lows[i] + abs(lows[i]) * 1e-9
          and last_highs[j] <= highs[i] + abs(highs[i]) * 1e-9), lambda j: last_counts[j])
      ), 0)))
    end as parts
  from placed
)
select
  h.series_id, h.time_ns + src.clock_offset_ns as time_ns, make_timestamp_ns(h.time_ns + src.clock_offset_ns) as time_utc,
  entity.kind as entity_kind, entity.id as entity, s.metric, s.kind, h.count as total_count, h.more as count,
  case when h.more > 0 then h.more_sum / h.more end as mean,
  case when h.kind = 'summary' then stated_quantile(h.quantiles, 0.5) else bucket_quantile(h.lows, h.highs, h.parts, 0.5) end as p50,
  case when h.kind = 'summary' then stated_quantile(h.quantiles, 0.95) else bucket_quantile(h.lows, h.highs, h.parts, 0.95) end as p95,
  case when h.kind = 'summary' then stated_quantile(h.quantiles, 0.99) else bucket_quantile(h.lows, h.highs, h.parts, 0.99) end as p99,
  s.unit, s.attributes, src.name as source
from collected h
join series s on s.series_id = h.series_id
join source src on src.source_id = h.source_id
left join entity on entity.entity_id = s.entity;
