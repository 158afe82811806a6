-- Min, max and last per lane and bucket (M4's vertical extent: Jugel et al., VLDB 2014), so that one pixel hides no spike.
-- All lanes on screen in one scan; a lane's series (per outlet, per phase) are one line. Buckets are counted through all
-- lanes: lane * buckets + bucket. $1, $2: window; $3: buckets; $4: list of series ids; $5: of the lane of each;
-- $6, $7: the window on the clocks that are furthest ahead and behind, by which row groups are left out.
select
  (wanted.lane * $3 + least(floor((p.time_ns + src.clock_offset_ns - $1)::double * ($3 / greatest($2 - $1, 1))), $3 - 1))::integer as cell,
  min(p.value) as low, max(p.value) as high, arg_max(p.value, p.time_ns) as last
from point p
join source src on src.source_id = p.source_id
join (
  select unnest($4::integer[]) as series, unnest($5::integer[]) as lane
) wanted on wanted.series = p.series
where p.time_ns between $6 and $7
  and p.value is not null
  and p.time_ns + src.clock_offset_ns between $1 and $2
group by cell
