-- A workspace's own sender, its DKIM keys, and its warm-up.

create table senders (
  workspace_id uuid primary key references workspaces on delete cascade,
  from_name text,
  from_address text,
  -- The domain of the address as `proven_domains` has it: in ASCII and lower case.
  from_domain text,
  reply_to text,
  postal_address text,
  -- How the pages for recipients look: a color such as #2f6b45, and the path of an image, such as /m/….png.
  brand_color text,
  logo_path text,
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

-- The key that signs, the next one until its record is published, and the previous one, whose record stays published while mail
-- that it signed is in transit.
create table dkim_keys (
  workspace_id uuid not null references workspaces on delete cascade,
  role text not null check (role in ('SIGNING', 'NEXT', 'PREVIOUS')),
  domain text not null,
  selector text not null,
  public_key text not null,
  -- Encrypted with SECRETS_KEY, which is not in the database.
  private_key bytea,
  -- When the key got its role.
  since timestamptz not null default now(),
  primary key (workspace_id, role),
  check ((private_key is null) = (role = 'PREVIOUS'))
);

-- The domains that workspaces have proven by a DKIM record. No other workspace sends from them.
create table proven_domains (
  domain text primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  proven_at timestamptz not null default now()
);

-- Emails sent per day during a warm-up, including those whose outcome is unknown.
create table warm_up_days (
  workspace_id uuid not null references workspaces on delete cascade,
  day date not null,
  mailed integer not null default 0 check (mailed >= 0),
  primary key (workspace_id, day)
);

-- When the next email may be sent within SEND_RATE. One row.
create table send_rate (
  id boolean primary key default true check (id),
  next_at timestamptz not null default now()
);
insert into send_rate default values;
