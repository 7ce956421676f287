-- People: accounts, their roles in workspaces, sessions, invitations, and the ways to sign in.

create table accounts (
  id uuid primary key,
  email text not null,
  email_key text not null unique,
  -- Argon2, in PHC string format. Null if the account has no password.
  password_hash text,
  created_at timestamptz not null default now()
);

create table members (
  workspace_id uuid not null references workspaces on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'owner')),
  created_at timestamptz not null default now(),
  primary key (workspace_id, account_id)
);
create index members_account on members (account_id);

create table sessions (
  id uuid primary key,
  token_hash bytea not null unique,
  account_id uuid not null references accounts on delete cascade,
  user_agent text,
  created_at timestamptz not null default now(),
  -- Updated at most once a minute.
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_account on sessions (account_id);
create index sessions_expires on sessions (expires_at);

create table invitations (
  id uuid primary key,
  token_hash bytea not null unique,
  -- The invited address. Null if the link is valid for anyone who has it.
  email text,
  email_key text,
  role text not null check (role in ('viewer', 'editor', 'owner')),
  -- The link to create the first account. It is invalid once an account exists.
  is_first boolean not null default false,
  -- Null if the invitation was made on the command line.
  invited_by_id uuid references accounts on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index invitations_expires on invitations (expires_at);

-- Links of invitations that were emailed. Each attempt has its own, because tokens are not stored, and an earlier one may have arrived.
create table mailed_invitations (
  token_hash bytea primary key,
  invitation_id uuid not null references invitations on delete cascade
);
create index mailed_invitations_of_invitation on mailed_invitations (invitation_id);

create table invitation_workspaces (
  invitation_id uuid not null references invitations on delete cascade,
  workspace_id uuid not null references workspaces on delete cascade,
  primary key (invitation_id, workspace_id)
);
create index invitation_workspaces_workspace on invitation_workspaces (workspace_id);

create table passkeys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Base64url, as browsers send it.
  credential_id text not null unique,
  -- COSE.
  public_key bytea not null,
  -- Signature counter reported by the authenticator.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_account on passkeys (account_id);

-- Accounts at OpenID Connect providers.
create table identities (
  issuer text not null,
  subject text not null,
  account_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identities_account on identities (account_id);

-- Sign-ins and registrations in progress. Each token can be used once.
create table challenges (
  token_hash bytea primary key,
  purpose text not null check (purpose in ('sign-in', 'new-passkey', 'oidc', 'reset-password')),
  account_id uuid references accounts on delete cascade,
  data jsonb not null,
  expires_at timestamptz not null
);
create index challenges_expires on challenges (expires_at);
