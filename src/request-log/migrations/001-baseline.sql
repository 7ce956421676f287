-- The requests of API keys in the last days. Names of operations and fields only, nothing of what was sent or returned.

create table request_log (
  id uuid primary key,
  workspace_id uuid not null references workspaces on delete cascade,
  -- Not a reference: the requests of a deleted key stay.
  api_key_id uuid not null,
  method text not null,
  -- The path of the operation, such as `/contacts/{id}`: a real path can be personal data. Null if the request reached no operation.
  path text,
  status integer not null,
  error_code text,
  -- A JSON pointer to the field with the error.
  error_param text,
  duration_ms integer not null,
  request_id text not null,
  created_at timestamptz not null
);
create index request_log_newest on request_log (workspace_id, created_at desc, id desc);
create index request_log_errors on request_log (workspace_id, created_at desc, id desc) where status >= 400;
create index request_log_of_key on request_log (api_key_id, created_at desc, id desc);
create index request_log_by_request_id on request_log (workspace_id, request_id);
