import type { AddSql } from './add-sql.ts'

/**
 * Exact sliding windows of sixty seconds, one per API key and one per address.
 *
 * A window is a ring of the last `size` requests that were let in. Its row is locked for a request, so that requests
 * are in one order on all replicas; the ring's slots are rows, so that a request costs the same at any size.
 */
export function rateLimits(add: AddSql): void {
  // No index on last_at: it would make each request's update a cold one. Idle windows are looked for by a scan.
  add(`
    create table rate_windows (
      subject uuid primary key,
      size integer not null,
      admitted bigint not null default 0,
      last_at timestamptz
    ) with (fillfactor = 50)`)
  add(`
    create table rate_slots (
      subject uuid not null references rate_windows on delete cascade,
      slot integer not null,
      at timestamptz not null,
      primary key (subject, slot)
    ) with (fillfactor = 50)`)

  add(`
    create function take_request(
      subject_ uuid, size_ integer, instant timestamptz,
      out allowed boolean, out remaining integer, out reset_at timestamptz, out retry_after integer,
      out full_for_ms integer
    ) language plpgsql as $$
    declare
      span constant interval := interval '60 seconds';
      seen rate_windows;
      now_ timestamptz;
      oldest bigint;
      beyond bigint;
      middle bigint;
      at_ timestamptz;
      kept timestamptz[];
    begin
      -- A crash of Postgres may forget the last requests it counted; waiting for the disk at each would cost far more.
      perform set_config('synchronous_commit', 'off', true);
      loop
        select * into seen from rate_windows where subject = subject_ for update;
        exit when found;
        insert into rate_windows (subject, size) values (subject_, size_) on conflict do nothing;
      end loop;

      -- The clock is read under the lock, and never runs backwards for a window.
      now_ := greatest(coalesce(instant, clock_timestamp()), seen.last_at);
      -- Unless it was set back: until it came there again the window would only fill. It begins anew.
      if now_ > coalesce(instant, clock_timestamp()) + interval '2 seconds' then
        now_ := coalesce(instant, clock_timestamp());
        delete from rate_slots where subject = subject_;
        update rate_windows set admitted = 0, last_at = now_ - span where subject = subject_ returning * into seen;
      end if;

      if seen.size <> size_ then
        -- The limit of a key was changed: what was let in stays counted, in the slots of the new ring.
        select coalesce(array_agg(at order by at), '{}') into kept from rate_slots where subject = subject_;
        delete from rate_slots where subject = subject_;
        insert into rate_slots (subject, slot, at)
        select subject_, (seen.admitted - cardinality(kept) + n - 1) % size_, at
        from unnest(kept) with ordinality as old(at, n) where n > cardinality(kept) - size_;
        update rate_windows set size = size_ where subject = subject_;
      end if;

      -- The first request that is still inside the window: the ring is in the order of time.
      oldest := greatest(seen.admitted - size_, 0);
      beyond := seen.admitted;
      if seen.last_at <= now_ - span then
        oldest := beyond;
      end if;
      while oldest < beyond loop
        middle := (oldest + beyond) / 2;
        select at into at_ from rate_slots where subject = subject_ and slot = middle % size_;
        -- A slot that is not there yet was before a limit was raised: long ago.
        if at_ is null or at_ <= now_ - span then
          oldest := middle + 1;
        else
          beyond := middle;
        end if;
      end loop;

      allowed := seen.admitted - oldest < size_;
      if allowed then
        insert into rate_slots (subject, slot, at) values (subject_, seen.admitted % size_, now_)
        on conflict (subject, slot) do update set at = excluded.at;
        update rate_windows set admitted = admitted + 1, last_at = now_ where subject = subject_;
        remaining := size_ - (seen.admitted - oldest) - 1;
        reset_at := now_ + span;
        retry_after := 0;
        full_for_ms := 0;
      else
        select at into at_ from rate_slots
        where subject = subject_ and slot = (seen.admitted - size_) % size_;
        remaining := 0;
        reset_at := seen.last_at + span;
        retry_after := greatest(ceil(extract(epoch from at_ + span - now_)), 1);
        full_for_ms := greatest(floor(extract(epoch from at_ + span - now_) * 1000), 0);
      end if;
    end $$`)
}
