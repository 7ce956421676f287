-- Statistics without counting: how many messages and enrollments are in which state, when enrollments continue, how many contacts
-- passed which step, the results of messages by receiving domain and day, and the clicks on each link.
-- The module that changes a row counts the change, in the same transaction (CounterChanges).
-- A change is a row in `…_changes`, so that no transaction waits for another one. The relay adds the changes up (foldCounters).
--
-- '00000000-0000-0000-0000-000000000000' stands for no step: the start and the end of an automation, or a campaign without
-- variants. A variant's step is its number plus one.
-- Times are rounded to 15 minutes, because days begin on a quarter of an hour in every time zone.

-- Current numbers per step.
create table step_counters (
  automation_id uuid not null,
  step_id uuid not null,
  counter text not null,
  count bigint not null,
  primary key (automation_id, step_id, counter)
) with (fillfactor = 50);

-- Numbers over time: of a workspace by quarters of an hour, of an automation by hours.
create table flow_counters (
  subject uuid not null,
  counter text not null,
  at timestamptz not null,
  count bigint not null,
  primary key (subject, counter, at)
) with (fillfactor = 50);

-- Emptied as fast as it fills, so it is vacuumed often and analyzed rarely.
create table counter_changes (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  automation_id uuid not null,
  step_id uuid not null,
  at timestamptz not null,
  counter text not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000);

-- The counts of rows that were deleted because of their age. A recount adds them.
create table archived_counts (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  counts jsonb not null
);

-- A day is the UTC day on which a message was sent. The domain '' has the sums of all domains.
create table domain_days (
  workspace_id uuid not null,
  domain text not null,
  day date not null,
  sent bigint not null,
  -- Not sent, because the mail server rejected the recipient.
  rejected bigint not null,
  hard_bounced bigint not null,
  soft_bounced bigint not null,
  blocked bigint not null,
  complained bigint not null,
  unsubscribed bigint not null,
  opened bigint not null,
  clicked bigint not null,
  machine_opened bigint not null,
  primary key (workspace_id, domain, day)
) with (fillfactor = 50);
-- The largest domains of a day, of any number of domains.
create index domain_days_largest on domain_days (workspace_id, day, sent desc);
create index domain_days_empty on domain_days (workspace_id) where sent = 0 and rejected = 0;

-- Emptied as fast as it fills, like counter_changes.
create table domain_changes (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  domain text not null,
  day date not null,
  sent integer not null default 0,
  rejected integer not null default 0,
  hard_bounced integer not null default 0,
  soft_bounced integer not null default 0,
  blocked integer not null default 0,
  complained integer not null default 0,
  unsubscribed integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  machine_opened integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000);

-- Messages in which a person clicked the link, by the step or variant. The URL is hashed, because it can be longer than an index
-- entry.
create table link_clicks (
  automation_id uuid not null,
  step_id uuid not null,
  url_hash bytea not null,
  url text not null,
  clicks bigint not null,
  primary key (automation_id, step_id, url_hash)
) with (fillfactor = 50);
create index link_clicks_most on link_clicks (automation_id, clicks desc);
create index link_clicks_empty on link_clicks (automation_id) where clicks = 0;

create table link_changes (
  id bigint generated always as identity primary key,
  automation_id uuid not null,
  step_id uuid not null,
  url text not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 1000000);
