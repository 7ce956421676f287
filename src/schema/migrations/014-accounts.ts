import { Migration } from '@mikro-orm/migrations'

/** People sign in: accounts, what each may do in a workspace, sessions, invitations, passkeys, and what other services know them by. */
export class Migration014Accounts extends Migration {
  override name = '014-accounts'

  override up(): void {
    this.addSql(`
      create table accounts (
        id uuid primary key,
        email text not null,
        email_key text not null unique,
        password_hash text,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`
      create table members (
        workspace_id uuid not null references workspaces on delete cascade,
        account_id uuid not null references accounts on delete cascade,
        role text not null check (role in ('viewer', 'editor', 'owner')),
        created_at timestamptz not null default now(),
        primary key (workspace_id, account_id)
      )`)
    this.addSql('create index members_account on members (account_id)')
    this.addSql(`
      create table sessions (
        id uuid primary key,
        token_hash bytea not null unique,
        account_id uuid not null references accounts on delete cascade,
        user_agent text,
        created_at timestamptz not null default now(),
        last_used_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`)
    this.addSql('create index sessions_account on sessions (account_id)')
    // For what is over, which is removed now and then.
    this.addSql('create index sessions_expires on sessions (expires_at)')
    this.addSql(`
      create table invitations (
        id uuid primary key,
        token_hash bytea not null unique,
        email text,
        email_key text,
        role text not null check (role in ('viewer', 'editor', 'owner')),
        is_first boolean not null default false,
        invited_by_id uuid references accounts on delete cascade,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`)
    this.addSql('create index invitations_expires on invitations (expires_at)')
    this.addSql(`
      create table invitation_workspaces (
        invitation_id uuid not null references invitations on delete cascade,
        workspace_id uuid not null references workspaces on delete cascade,
        primary key (invitation_id, workspace_id)
      )`)
    this.addSql('create index invitation_workspaces_workspace on invitation_workspaces (workspace_id)')
    this.addSql(`
      create table passkeys (
        id uuid primary key,
        account_id uuid not null references accounts on delete cascade,
        credential_id text not null unique,
        public_key bytea not null,
        counter bigint not null,
        transports text[] not null,
        name text not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz
      )`)
    this.addSql('create index passkeys_account on passkeys (account_id)')
    this.addSql(`
      create table identities (
        issuer text not null,
        subject text not null,
        account_id uuid not null references accounts on delete cascade,
        created_at timestamptz not null default now(),
        primary key (issuer, subject)
      )`)
    this.addSql('create index identities_account on identities (account_id)')
    // What somebody has begun, here or at another service, and comes back with once.
    this.addSql(`
      create table challenges (
        token_hash bytea primary key,
        purpose text not null check (purpose in ('sign-in', 'new-passkey', 'oidc')),
        account_id uuid references accounts on delete cascade,
        data jsonb not null,
        expires_at timestamptz not null
      )`)
    this.addSql('create index challenges_expires on challenges (expires_at)')
  }
}
