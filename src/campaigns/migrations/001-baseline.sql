-- Campaigns: one email to many contacts. Each recipient is a row of `messages`.

create table campaigns (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  name text not null,
  status text not null default 'DRAFT'
    check (status in ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED')),
  -- The status before the pause, and why Dripline paused the campaign itself.
  paused_from text,
  pause_reason text,
  -- The rates at which Dripline paused it because of its reputation, by rule. It pauses again at twice the rate.
  tolerated_rates jsonb not null default '{}',
  category text not null default 'marketing' check (category in ('marketing', 'transactional')),
  template_id uuid,
  template_version integer,
  -- The campaign's own content, as it was written. `campaign_contents` has what is rendered.
  source jsonb,
  audience jsonb not null default '{}',
  throttle_per_hour integer,
  -- When to start. With `local_time`, each recipient gets the email at that time of day in their own time zone.
  scheduled_at timestamptz,
  local_time text,
  fallback_time_zone text,
  ab_test jsonb,
  decides_at timestamptz,
  winner smallint,
  -- How far the contacts have been read (contacts.place), and the last contact at the start of the campaign.
  cursor bigint not null default 0,
  last_place bigint,
  materialized boolean not null default false,
  recipient_count bigint not null default 0,
  -- The throttle's next page is not sent before this time.
  next_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
create index campaigns_newest on campaigns (workspace_id, created_at desc, id desc);
create index campaigns_under_way on campaigns (id) where status in ('SCHEDULED', 'SENDING', 'PAUSED');

-- Compiled content, by variant and language. Apart from `campaigns`, because it can be megabytes and only sending reads it.
create table campaign_contents (
  campaign_id uuid not null references campaigns on delete cascade,
  variant smallint not null,
  -- '' is the campaign's own language.
  locale text not null,
  subject text not null,
  html text,
  text text,
  primary key (campaign_id, variant, locale)
);
