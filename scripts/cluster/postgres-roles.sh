#!/bin/sh
# Creates the roles and databases, like embedded/postgres-roles.ts. The Postgres image runs it on an empty volume as superuser.
set -eu

role() {
  name=$1
  shift
  psql -v ON_ERROR_STOP=1 -v name="$name" -v password="$(cat "/run/secrets/$name-password")" --dbname postgres <<-'SQL'
    create role :"name" login nosuperuser nocreatedb nocreaterole password :'password';
SQL
  for database; do
    psql -v ON_ERROR_STOP=1 -v name="$name" -v database="$database" --dbname postgres <<-'SQL'
      create database :"database" owner :"name";
      revoke all on database :"database" from public;
SQL
  done
}

role dripline dripline
role temporal temporal temporal_visibility
