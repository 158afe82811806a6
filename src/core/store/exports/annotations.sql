-- Annotations of the investigator.
select annotation_id as id, kind, text, at_ns as at_unix_nano, until_ns as until_unix_nano, made_at_ns as made_at_unix_nano, body
from annotation
order by made_at_unix_nano, id
