-- Workspaces, their API keys, and the rate limiter.

create table workspaces (
  id uuid primary key,
  name text not null,
  -- Mail of a test workspace is captured and never sent.
  mode text not null check (mode in ('live', 'test')),
  -- For times of automations, for contacts without a time zone of their own.
  timezone text not null default 'UTC',
  -- Thirteen months, so that a year can be compared with the one before.
  event_retention_days integer not null default 396 check (event_retention_days between 1 and 3650),
  -- Of sent emails. Subject, recipient and results stay.
  content_retention_days integer not null default 30 check (content_retention_days between 1 and 3650),
  -- Of messages and the steps of enrollments. Null keeps them. Deliveries that are under way need those of the last days.
  history_retention_days integer check (history_retention_days between 30 and 3650),
  -- How far the test clock was moved forward.
  clock_ahead_minutes integer not null default 0 check (clock_ahead_minutes = 0 or mode = 'test' and clock_ahead_minutes > 0),
  created_at timestamptz not null default now()
);

create table api_keys (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  prefix text not null,
  -- SHA-256 of the key. The key itself is not stored.
  hash bytea not null unique,
  scopes text[] not null,
  allowed_ranges text[] not null default '{}',
  -- Requests per minute.
  rate_limit integer not null default 120 check (rate_limit > 0),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  -- Updated at most every few minutes. The rate window has the exact time.
  last_used_at timestamptz,
  -- Set when a new key replaced this one. `expires_at` is then the end of the overlap.
  rotated_at timestamptz
);
create index api_keys_workspace on api_keys (workspace_id);

-- The rate limiter counts exactly, in a sliding window of 60 seconds per API key or client address.
-- A window is a ring buffer of the last `size` admitted requests. A request locks the window's row, which puts requests of
-- all replicas in one order. The slots of the ring are rows, so the cost of a request does not depend on the limit.
-- There is no index on last_at, because it would prevent heap-only updates. Idle windows are found by a scan.
create table rate_windows (
  subject uuid primary key,
  size integer not null,
  admitted bigint not null default 0,
  last_at timestamptz
) with (fillfactor = 50);

create table rate_slots (
  subject uuid not null references rate_windows on delete cascade,
  slot integer not null,
  at timestamptz not null,
  primary key (subject, slot)
) with (fillfactor = 50);

-- Locks a subject's window, which is created if it does not exist, and adapts it to the clock and to the key's limit.
create function lock_rate_window(subject_ uuid, size_ integer, instant timestamptz, out seen rate_windows, out now_ timestamptz)
language plpgsql as $$
declare
  span constant interval := interval '60 seconds';
  kept timestamptz[];
begin
  loop
    select * into seen from rate_windows where subject = subject_ for update;
    exit when found;
    insert into rate_windows (subject, size) values (subject_, size_) on conflict do nothing;
  end loop;

  -- The clock is read under the lock, so time never runs backwards within a window.
  now_ := greatest(coalesce(instant, clock_timestamp()), seen.last_at);
  -- If the system clock was set back, the window would stay full until the clock caught up. Start it again.
  if now_ > coalesce(instant, clock_timestamp()) + interval '2 seconds' then
    now_ := coalesce(instant, clock_timestamp());
    delete from rate_slots where subject = subject_;
    update rate_windows set admitted = 0, last_at = now_ - span where subject = subject_ returning * into seen;
  end if;

  if seen.size <> size_ then
    -- The key's limit changed. Copy the requests that still count into a ring of the new size.
    select coalesce(array_agg(at order by at), '{}') into kept from rate_slots where subject = subject_;
    delete from rate_slots where subject = subject_;
    insert into rate_slots (subject, slot, at)
    select subject_, (seen.admitted - cardinality(kept) + n - 1) % size_, at
    from unnest(kept) with ordinality as old(at, n) where n > cardinality(kept) - size_;
    update rate_windows set size = size_ where subject = subject_;
  end if;
end $$;

-- Finds the oldest request of a locked window that still counts, by binary search: the ring is ordered by time.
create function oldest_request(seen rate_windows, size_ integer, since timestamptz) returns bigint
language plpgsql as $$
declare
  oldest bigint := greatest(seen.admitted - size_, 0);
  beyond bigint := seen.admitted;
  middle bigint;
  at_ timestamptz;
begin
  if seen.last_at <= since then return beyond; end if;
  while oldest < beyond loop
    middle := (oldest + beyond) / 2;
    select at into at_ from rate_slots where subject = seen.subject and slot = middle % size_;
    -- A missing slot belongs to the time before the limit was raised, so it is outside the window.
    if at_ is null or at_ <= since then
      oldest := middle + 1;
    else
      beyond := middle;
    end if;
  end loop;
  return oldest;
end $$;

create function take_request(
  subject_ uuid, size_ integer, instant timestamptz,
  out allowed boolean, out remaining integer, out reset_at timestamptz, out retry_after integer,
  out full_for_ms integer
) language plpgsql as $$
declare
  span constant interval := interval '60 seconds';
  locked record;
  seen rate_windows;
  now_ timestamptz;
  oldest bigint;
  at_ timestamptz;
begin
  -- After a crash of Postgres the last counted requests may be lost. A disk flush per request would cost far more.
  perform set_config('synchronous_commit', 'off', true);
  select * into locked from lock_rate_window(subject_, size_, instant);
  seen := locked.seen;
  now_ := locked.now_;
  oldest := oldest_request(seen, size_, now_ - span);
  allowed := seen.admitted - oldest < size_;
  if allowed then
    insert into rate_slots (subject, slot, at) values (subject_, seen.admitted % size_, now_)
    on conflict (subject, slot) do update set at = excluded.at;
    update rate_windows set admitted = admitted + 1, last_at = now_ where subject = subject_;
    remaining := size_ - (seen.admitted - oldest) - 1;
    reset_at := now_ + span;
    retry_after := 0;
    full_for_ms := 0;
  else
    select at into at_ from rate_slots
    where subject = subject_ and slot = (seen.admitted - size_) % size_;
    remaining := 0;
    reset_at := seen.last_at + span;
    retry_after := greatest(ceil(extract(epoch from at_ + span - now_)), 1);
    full_for_ms := greatest(floor(extract(epoch from at_ + span - now_) * 1000), 0);
  end if;
end $$;
