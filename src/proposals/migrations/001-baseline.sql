-- What agents and other keys propose, for a member to approve or reject.

create table proposals (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('PUBLISH_AUTOMATION', 'SEND_CAMPAIGN')),
  -- The automation or the campaign, which may be deleted. Its name is that of the time of the proposal.
  target_id uuid not null,
  target_name text not null,
  -- The revision of the target that the proposal is based on. An approval fails if the target has another one.
  revision bigint not null,
  -- The body of the request that an approval runs.
  content jsonb not null,
  -- The hashes of the emails that the approval publishes. It fails if a template, snippet or design was changed since.
  email_hashes text[],
  reason text not null,
  -- What the change would do for all contacts. Rehearsals are deleted before proposals.
  rehearsal_id uuid references rehearsals on delete set null,
  -- The names of the key and of the member, at those times.
  proposed_by text not null,
  decided_by text,
  decided_at timestamptz,
  -- A PENDING proposal that has expired cannot be approved.
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'REJECTED')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index proposals_newest on proposals (workspace_id, created_at desc, id desc);
create index proposals_old on proposals (created_at);
