-- A workspace's own sender, its DKIM key, and its warm-up.

create table senders (
  workspace_id uuid primary key references workspaces on delete cascade,
  from_name text,
  from_address text,
  reply_to text,
  postal_address text,
  dkim_domain text,
  dkim_selector text,
  dkim_public text,
  -- Encrypted with SECRETS_KEY, which is not in the database.
  dkim_private bytea,
  track_opens boolean not null default false,
  track_clicks boolean not null default false,
  -- A new sender sends a few emails a day at first, and more each day. All four are set, or none.
  warm_up_per_day integer check (warm_up_per_day > 0),
  warm_up_growth_percent integer check (warm_up_growth_percent > 0),
  warm_up_up_to integer check (warm_up_up_to > warm_up_per_day),
  -- The first day, in UTC.
  warm_up_since date,
  updated_at timestamptz not null default now(),
  check (num_nulls(warm_up_per_day, warm_up_growth_percent, warm_up_up_to, warm_up_since) in (0, 4))
);

-- Emails sent per day during a warm-up, including those whose outcome is unknown.
create table warm_up_days (
  workspace_id uuid not null references workspaces on delete cascade,
  day date not null,
  mailed integer not null default 0 check (mailed >= 0),
  primary key (workspace_id, day)
);
