import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import type { MessageStatus } from './message.ts'

/** How an attempt ended that had handed over. */
export type Outcome =
  | { status: 'SENT' | 'CAPTURED'; response: string | null }
  | {
      status: 'DEFERRED' | 'FAILED' | 'UNCONFIRMED' | 'SUPPRESSED'
      error: string
      /** Since when it is still to be tried again, as Postgres prints it. */
      retryAt?: string | null
    }

/**
 * What is kept of a later try: of what may have been sent before, nobody knows as long as no try was taken. As FAILED or CAPTURED
 * it would be said not to have been.
 */
export function asUnconfirmedAs(before: MessageStatus, outcome: Outcome): Outcome {
  if (before !== 'UNCONFIRMED' && before !== 'SENDING') return outcome
  if (outcome.status === 'FAILED' || outcome.status === 'SUPPRESSED')
    return { status: 'UNCONFIRMED', error: outcome.error }
  if (outcome.status === 'CAPTURED') return { status: 'UNCONFIRMED', error: CAPTURED_THIS_TIME }
  return outcome
}

const CAPTURED_THIS_TIME = 'Mail was captured when it was to be sent once more: the first one may have arrived'

export interface Content {
  messageId: string
  recipient: string
  subject: string
  html: string | null
  text: string | null
}

/**
 * Records how an attempt ended. Only the attempt that holds the claim can. If its lease was over and the message made
 * UNCONFIRMED, the true outcome still replaces that; but "not sent" only tells the operator who has to decide, because the
 * sequence has gone on. Of a contact who was erased meanwhile, nothing personal is kept.
 */
export async function recordOutcome(
  em: EntityManager,
  message: { id: string; claim: string },
  outcome: Outcome,
  content: Content | undefined,
): Promise<void> {
  await preparedSql(em, 'record-outcome', OUTCOME, [
    message.id,
    message.claim,
    outcome.status,
    'response' in outcome ? outcome.response : null,
    'error' in outcome ? outcome.error : null,
    content?.messageId ?? null,
    content?.recipient ?? null,
    content?.subject ?? null,
    content?.html ?? null,
    content?.text ?? null,
    'retryAt' in outcome ? outcome.retryAt : null,
  ])
}

const OUTCOME = `
update messages message set
  status = case when message.status = 'UNCONFIRMED' and $3::text = 'DEFERRED' then 'UNCONFIRMED' else $3::text end,
  lease_until = null, response = kept.response, error = kept.error,
  message_id = kept.message_id, recipient = kept.recipient, subject = kept.subject, html = kept.html, text = kept.text,
  sent_at = case when $3::text in ('SENT', 'CAPTURED') then now() end,
  settled_at = coalesce(message.settled_at, case when $3::text <> 'DEFERRED' then now() end),
  retry_at = case
    when $3::text in ('SENT', 'CAPTURED') or message.retry_at = '-infinity' then null
    else coalesce(message.retry_at, $11::timestamptz)
  end
from (select $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text)
  given(response, error, message_id, recipient, subject, html, text)
join messages before on before.id = $1::uuid
-- What was made of nothing anew is what an earlier try had: by that it is looked for.
left join lateral (
  select given.* where given.message_id is not null
  union all
  select given.response, given.error, before.message_id, before.recipient, before.subject, before.html, before.text
  where given.message_id is null
) kept on exists (select from contacts where id = before.contact_id)
where message.id = $1::uuid and message.claim = $2::uuid and message.status in ('SENDING', 'UNCONFIRMED')`

/**
 * Leaves what was put off of an enrollment that has ended since: nobody wants it any more. An end that is not
 * committed yet is waited for, and does the same behind its own lock, so that neither misses the other's writing.
 */
export async function settlePutOff(em: EntityManager, enrollmentId: string): Promise<void> {
  await sql(
    em,
    `with enrollment as (select id, status from enrollments where id = $1::uuid for share)
     update messages set status = 'DISMISSED', settled_at = now(), error = 'Its enrollment was ended before it could be sent'
     from enrollment
     where enrollment_id = enrollment.id and enrollment.status <> 'ACTIVE' and messages.status = 'DEFERRED'`,
    [enrollmentId],
  )
}
