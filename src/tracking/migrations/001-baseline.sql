-- Opens and clicks.

-- A row per link of a message that was followed, and one for opening it.
create table message_visits (
  message_id uuid not null references messages on delete cascade,
  kind text not null check (kind in ('OPEN', 'CLICK')),
  -- The link's target; empty for an open.
  url text not null,
  -- How many links the email has.
  links integer not null,
  -- The first visit by the kind of visitor that the row is attributed to.
  at timestamptz not null,
  -- The last visit of any kind: a link that was followed before can be part of a burst.
  last_at timestamptz not null default now(),
  visits integer not null default 1,
  visitor text not null check (visitor in ('UNDECIDED', 'PERSON', 'MACHINE', 'EARLY', 'BURST')),
  primary key (message_id, kind, url)
);
create index message_visits_undecided on message_visits (at) where visitor = 'UNDECIDED';
