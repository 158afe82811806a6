-- Incidents that ended before another began and may be like it: the same type of cause, among the suspects or confirmed, a pattern of it, or the same service. The newest.
select Case, Incident, Impacted, Harm, TimesWorse, Verdict, Cause, CauseType, Suspects, Chain, Patterns, Title, Severity, Owner, Actions, Done,
  toUnixTimestamp64Nano(Start) as start_ns, toUnixTimestamp64Nano(End) as end_ns
from {database:Identifier}.faultline_incidents final
where Removed = 0 and End < {before:DateTime64(9, 'UTC')}
  and (CauseType = {cause_type:String} or hasAny(Patterns, {patterns:Array(String)}) or Service = {service:String}
    or arrayExists(one -> splitByChar(' ', one)[-1] = {cause_type:String}, Suspects))
order by Start desc
limit 1000
