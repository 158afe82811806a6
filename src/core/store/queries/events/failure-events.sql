-- What states that a job failed, or that the pod of a rank ended with an error, was evicted or made room. A container that was started
-- again in its pod went on; a pod that is not ready yet has not ended. What has the time of its recording alone happened at an unknown one.
select coalesce(c.canonical_id, -1) as entity, n.text as type, e.event_id, e.time_ns + src.clock_offset_ns as time_ns
from event e
join name n on n.name_id = e.type
join source src on src.source_id = e.source_id
cross join lateral (
  select case when json_valid(e.attributes) then json_transform(e.attributes, '{"exit_code": "DOUBLE", "signal": "DOUBLE", "ran_again": "BOOLEAN", "time_known": "BOOLEAN"}') end as stated
) a
left join canonical c on c.entity_id = e.entity
where n.text in ('job_failed', 'rank_failed', 'rank_ended', 'pod_failed', 'pod_oom_killed', 'pod_evicted', 'pod_preempted')
  and (n.text <> 'pod_failed' or a.stated.exit_code is not null or a.stated.signal is not null)
  and coalesce(a.stated.ran_again, false) = false and coalesce(a.stated.time_known, true)
order by time_ns, e.event_id
