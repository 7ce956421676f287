-- Templates: emails, layouts and partials, with their versions.

create table templates (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  kind text not null check (kind in ('EMAIL', 'LAYOUT', 'PARTIAL')),
  name text not null,
  -- The newest version.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index templates_newest on templates (workspace_id, created_at desc, id desc);
-- Templates refer to partials by name.
create unique index templates_partial_name on templates (workspace_id, name) where kind = 'PARTIAL';

-- Immutable.
create table template_versions (
  template_id uuid not null references templates on delete cascade,
  version integer not null,
  -- As it was written, in each language.
  source jsonb not null,
  -- What is rendered, by language. Empty for a partial.
  compiled jsonb not null,
  -- The variables that it uses, in all languages: name, and whether it is required.
  variables jsonb not null,
  -- The layout and partials that it was compiled with.
  uses uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  primary key (template_id, version)
);
create index template_versions_uses on template_versions using gin (uses);
