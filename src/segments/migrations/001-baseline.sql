-- Segments: saved conditions. A contact is in a segment while the condition is true for them.

create table segments (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  condition jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index segments_newest on segments (workspace_id, created_at desc, id desc);

-- The time that a text in metadata or event data contains, or null: an ISO 8601 date or time. A date is its beginning, and a time
-- without an offset is in UTC. Ten digits are Unix time in seconds, and thirteen in milliseconds. The pattern allows only what Postgres can convert: no 30 February, and no year 0.
create function instant_of(value text) returns timestamptz language sql stable parallel safe as $$
  select case
    when value ~ '^(?!0000)([0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)|[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-5]):?[0-5][0-9])?)?$'
    then (value || case
      when length(value) = 10 then 'T00:00Z'
      when value ~ '(Z|[+-][0-9]{2}:?[0-9]{2})$' then ''
      else 'Z'
    end)::timestamptz
    when value ~ '^[0-9]{10}(\.[0-9]{1,9})?$' then to_timestamp(value::double precision)
    when value ~ '^[0-9]{13}$' then to_timestamp(value::double precision / 1000)
  end
$$;
