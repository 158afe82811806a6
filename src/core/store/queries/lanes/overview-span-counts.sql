-- Spans per bucket of a wide window, from their counts: a slice of 2^27 ns falls whole into the bucket of its middle, so
-- that a bucket is off by no more than half a slice at either end. $1, $2: window; $3: buckets.
select 'span' as kind,
  least(greatest(floor((middle_ns - $1)::double * $3 / greatest($2 - $1, 1)), 0), $3 - 1)::integer as bucket,
  sum(spans)::bigint as count
from (select slice * 134217728 + 67108864 + src.clock_offset_ns as middle_ns, spans from span_count join source src using (source_id))
where middle_ns between $1 - 67108864 and $2 + 67108864
group by bucket
