-- Incidents that a case has pushed, of the time that it covers.
select Incident
from {database:Identifier}.faultline_incidents final
where Case = {case:String} and Removed = 0 and Start >= {from:DateTime64(9, 'UTC')} and Start <= {until:DateTime64(9, 'UTC')}
