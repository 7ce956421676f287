import { listBegunBy } from '../triggers/index.ts'

/** Who was asked whether she wants to be in a list, and has said nothing, is not asked again within so many hours. */
const ASKED_AGAIN_AFTER_HOURS = 24

/** Whether an email that asks is still to come, or has gone out: what was paused, suppressed or never started has asked nobody. */
const WAS_ASKED = `(
  -- What starts it may be on its way, unless it has been in vain already.
  (request.asked_at is not null and request.asked_at > now() - interval '1 minute' and not exists (
    select from enrollments enrollment
    join automations automation on automation.id = enrollment.automation_id
    join messages message on message.enrollment_id = enrollment.id
    where enrollment.contact_id = request.contact_id and ${listBegunBy('LIST_REQUESTED')} = request.list_id::text
      and message.status in ('SUPPRESSED', 'FAILED', 'DISMISSED') and message.created_at > request.asked_at
  ))
  or exists (
    select from outbox join automations automation on automation.id = outbox.automation_id
    where outbox.kind = 'START' and outbox.contact_id = request.contact_id
      and automation.trigger = 'LIST_REQUESTED' and automation.trigger_key = request.list_id::text
  )
  or exists (
    select from enrollments enrollment
    join automations automation on automation.id = enrollment.automation_id
    where enrollment.contact_id = request.contact_id and ${listBegunBy('LIST_REQUESTED')} = request.list_id::text
      and (
        -- By Postgres's clock, as the request is.
        exists (
          select from messages
          where enrollment_id = enrollment.id and status not in ('SUPPRESSED', 'FAILED', 'DISMISSED')
            and created_at > request.requested_at - interval '1 minute'
        )
        or (enrollment.status = 'ACTIVE' and not exists (select from messages where enrollment_id = enrollment.id))
      )
  )
)`

/**
 * The part of a statement that writes who is to be asked whether she wants to be in a list: see docs/consent.md. Whoever was asked just
 * now is left alone, as is who is in the list, or has left it by herself.
 *
 * @param asked a query of `list_id`, `contact_id` and `email_key`. What is new of it is called `requested`.
 * @param isResubscribe an expression: whether who has left a list is asked all the same
 */
export const requestLists = (asked: string, isResubscribe: string): string => `
requested as (
  insert into list_requests as request (list_id, contact_id, id, email_key)
  select list_id, contact_id, gen_random_uuid(), email_key from (${asked}) asked
  where not exists (select from list_members where list_id = asked.list_id and contact_id = asked.contact_id)
    and (${isResubscribe} or not has_left(asked.list_id, asked.contact_id))
    and may_ask(asked.list_id, asked.email_key)
  on conflict (list_id, contact_id) do update
    -- At another address she is somebody else: links that went to the one before confirm nothing.
    set id = case when request.email_key = excluded.email_key then request.id else excluded.id end,
      email_key = excluded.email_key, requested_at = now(), asked_at = null
    where request.email_key <> excluded.email_key
      or request.requested_at < now() - interval '${ASKED_AGAIN_AFTER_HOURS} hours'
      or not ${WAS_ASKED}
  returning list_id, contact_id
)`
