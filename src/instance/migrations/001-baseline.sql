-- The instance: its identity and the settings that all its processes must agree on. One row.

create table instance (
  single boolean primary key default true check (single),
  -- Distinguishes instances that share a Temporal server.
  id uuid not null default gen_random_uuid(),
  -- Set at the first start. A process with another namespace or queue is refused.
  temporal_namespace text,
  temporal_task_queue text,
  -- Distinguishes two Temporal servers whose namespaces have the same name, and a copied database from its original.
  temporal_namespace_id text,
  -- Whether mail is delivered or captured, from SMTP_URL. Processes must agree, or one would capture another's mail.
  mail text check (mail in ('smtp', 'capture')),
  mail_from text,
  public_url text,
  bounce_domain text,
  -- Signs links in emails. 244 random bits, without an extension.
  link_secret bytea not null default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')),
  -- Set while the database is restored from a backup and not yet reconciled with Temporal. Until then, nothing is sent.
  restored_at timestamptz,
  -- Messages sent up to this time may be missing from the restored database.
  lost_until timestamptz,
  -- When something last happened by the restored backup.
  backed_up_at timestamptz
);

insert into instance default values;
