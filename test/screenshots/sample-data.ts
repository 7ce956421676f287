// cspell:ignore placd
import { foldCounters } from '../../src/counters/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { recount } from '../support/stats.ts'
import type { Service } from '../support/service.ts'
import { AUTOMATIONS, FIRST_NAMES, LISTS, SEGMENTS, TAGS } from './sample-texts.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Contacts created in the last two weeks. */
const CONTACT_COUNT = 2_400
const PAST_DAYS = 14

interface Step {
  id: string
  type: 'EMAIL' | 'WAIT'
  delayMinutes?: number
  subject?: string
}

/** Returns the same pseudorandom numbers on each run, so that screenshots are reproducible. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

/** Fills a workspace with contacts, lists, segments, automations and the messages of two weeks. */
export async function fillWorkspace(
  service: Service,
  workspaceId: string,
): Promise<{ contactId: string; automationId: string }> {
  const random = numbers(7)
  const em = () => service.context.orm.em.fork()
  const listIds: string[] = []
  for (const list of LISTS) listIds.push((await service.call('POST', 'lists', list)).body.data.id as string)
  for (const segment of SEGMENTS) await service.call('POST', 'segments', segment)

  const contacts = Array.from({ length: CONTACT_COUNT }, (_, n) => {
    const firstName = FIRST_NAMES[Math.floor(random() * FIRST_NAMES.length)]!
    const plain =
      firstName
        .normalize('NFD')
        .replace(/[^a-z]/gi, '')
        .toLowerCase() || 'reader'
    return {
      email: `${plain}.${n + 100}@example.com`,
      firstName,
      metadata: { plan: random() < 0.3 ? 'pro' : 'free', seats: Math.ceil(random() * 12) },
      tags: random() < 0.25 ? [TAGS[Math.floor(random() * TAGS.length)]!] : [],
      ...(random() < 0.6 && { listId: listIds[Math.floor(random() * listIds.length)]! }),
    }
  })
  for (let from = 0; from < CONTACT_COUNT; from += 40)
    // In small batches, because each batch is sorted by email.
    await service.call('POST', 'contacts/bulk', { contacts: contacts.slice(from, from + 40), triggers: false })
  await sql(
    em(),
    `update contacts set created_at = now() - ($2::float8 * (1 - place_::float8 / $3)) * interval '1 day'
     from (select id as of, row_number() over (order by place) as place_ from contacts where workspace_id = $1::uuid) placed
     where id = of`,
    [workspaceId, PAST_DAYS, CONTACT_COUNT],
  )
  const people = await sql<{ id: string; email: string; first_name: string }>(
    em(),
    'select id, email, first_name from contacts where workspace_id = $1::uuid order by place',
    [workspaceId],
  )

  let first: string | undefined
  for (const { share, status, ...automation } of AUTOMATIONS) {
    const body = {
      ...automation,
      ...(automation.trigger === 'LIST_ADDED' && { triggerConfig: { listId: listIds[0] } }),
    }
    const made = (await service.call('POST', 'automations', { ...body, status: 'ACTIVE' })).body.data
    const automationId = made.id as string
    first ??= automationId
    const chosen = people.filter(() => random() < share)
    await insertPastEnrollments(service, { workspaceId, automationId, steps: made.steps as Step[], chosen, random })
    if (status !== 'ACTIVE') await service.call('PATCH', `automations/${automationId}`, { status })
  }
  await sql(
    em(),
    `update enrollments set paused = true where status = 'ACTIVE' and automation_id in
       (select id from automations where status = 'PAUSED') and wakes_at < now() + interval '4 hours'`,
  )
  const names = ['order.placed', 'project.created', 'order.placed', 'cart.abandoned', 'order.placd']
  const events = people.slice(0, 60).map(({ email }, n) => ({
    email,
    name: names[n % names.length]!,
    data: {
      orderId: `A-${1_000 + n}`,
      total: 20 + ((n * 7) % 90),
      gift: n % 4 === 0,
      ...(n % 9 === 0 && { total: '12' }),
    },
  }))
  await service.call('POST', 'events/bulk', { events })
  // Contacts open and click, and some of the first automation subscribe.
  await sql(
    em(),
    `update messages set opened_at = case when mod(id_number, 100) < 52 then sent_at + interval '1 hour' end,
       clicked_at = case when mod(id_number, 100) < 14 then sent_at + interval '2 hours' end
     from (select id as of, ('x' || right(id::text, 6))::bit(24)::integer as id_number from messages where status = 'SENT') numbered
     where id = of`,
  )
  await sql(
    em(),
    `update enrollments set status = 'GOAL_REACHED', next_step_id = null, wakes_at = null, paused = false,
       ended_at = enrolled_at + (0.5 + mod(number, 90) / 10.0) * interval '1 day', ended_by = $2::jsonb
     from (select id as of, ('x' || right(id::text, 6))::bit(24)::integer as number from enrollments) numbered
     where id = of and automation_id = $1::uuid and mod(number, 10) < 3
       and enrolled_at + (0.5 + mod(number, 90) / 10.0) * interval '1 day' < now()`,
    [first, JSON.stringify({ eventName: 'subscription.started' })],
  )
  await recount(em())
  while ((await foldCounters(em(), 200_000)) > 0);
  const [shown] = await sql<{ contact_id: string }>(
    em(),
    `select contact_id from messages where automation_id = $1::uuid and status = 'SENT' group by contact_id having count(*) > 1
     order by max(created_at) desc, contact_id limit 1`,
    [first],
  )
  await addConsentChanges(service, shown!.contact_id, listIds)
  return { contactId: shown!.contact_id, automationId: first! }
}

interface Past {
  workspaceId: string
  automationId: string
  steps: readonly Step[]
  chosen: readonly { id: string; email: string; first_name: string }[]
  random: () => number
}

/** Inserts enrollments and messages as if the automation had run in the past two weeks. */
async function insertPastEnrollments(service: Service, { workspaceId, automationId, steps, chosen, random }: Past) {
  const enrollments: { id: string; contact_id: string; at: string; next: string | null; wakes: string }[] = []
  const messages: object[] = []
  const ended: string[] = []
  const now = Date.now()
  for (const [n, person] of chosen.entries()) {
    const id = newId()
    // More enrollments toward the present.
    const since = (1 - n / chosen.length) * PAST_DAYS * DAY_MS
    let at = now - since * (0.7 + 0.3 * random())
    const enrolledAt = new Date(at).toISOString()
    let isThrough = true
    let next: string | null = null
    for (const step of steps) {
      if (step.type === 'WAIT') at += step.delayMinutes! * MINUTE_MS
      if (at > now) isThrough = false
      if (isThrough && step.type === 'EMAIL') messages.push(messageOf(person, { id, step, at, random, now }))
      if (!isThrough && step.type !== 'WAIT') {
        next = step.id
        break
      }
    }
    if (isThrough) ended.push(id)
    enrollments.push({ id, contact_id: person.id, at: enrolledAt, next, wakes: new Date(at).toISOString() })
  }
  const em = () => service.context.orm.em.fork()
  await sql(
    em(),
    `insert into enrollments (id, workspace_id, automation_id, contact_id, version, status, enrolled_at, next_step_id, wakes_at)
     select id, $1::uuid, $2::uuid, contact_id, 1, 'ACTIVE', at, next, wakes
     from jsonb_to_recordset($3::jsonb) as row(id uuid, contact_id uuid, at timestamptz, next uuid, wakes timestamptz)`,
    [workspaceId, automationId, JSON.stringify(enrollments)],
  )
  await sql(
    em(),
    `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, status, claim, message_id,
       recipient, subject, text, response, error, created_at, sent_at, final_at)
     select gen_random_uuid(), $1::uuid, contact_id, $2::uuid, enrollment_id, step_id, status, gen_random_uuid(), message_id,
       recipient, subject, body, response, error, at, case when status = 'SENT' then at end, case when status <> 'DEFERRED' then at end
     from jsonb_to_recordset($3::jsonb) as row(contact_id uuid, enrollment_id uuid, step_id uuid, status text, message_id text,
       recipient text, subject text, body text, response text, error text, at timestamptz)
     order by at`,
    [workspaceId, automationId, JSON.stringify(messages)],
  )
  await sql(
    em(),
    `update enrollments set status = 'COMPLETED', ended_at = now(), next_step_id = null, wakes_at = null where id = any($1::uuid[])`,
    [ended],
  )
}

/** Lets a contact join a list, and leave another one by the link in their first email. */
async function addConsentChanges(service: Service, contactId: string, [joined, left]: readonly string[]) {
  await sql(
    service.context.orm.em.fork(),
    `with first_email as (
       select id from messages where contact_id = $1::uuid and status = 'SENT' order by created_at limit 1
     ),
     unsubscribed as (
       update messages set unsubscribed_at = now() - interval '2 days' where id = (select id from first_email) returning unsubscribed_at
     ),
     joined as (
       insert into list_members (list_id, contact_id, added_at) values ($2::uuid, $1::uuid, now() - interval '8 days')
       on conflict do nothing
     )
     insert into list_opt_outs (list_id, contact_id, created_at) select $3::uuid, $1::uuid, unsubscribed_at from unsubscribed`,
    [contactId, joined, left],
  )
}

function messageOf(
  { id: contactId, email, first_name: firstName }: Past['chosen'][number],
  { id, step, at, random, now }: { id: string; step: Step; at: number; random: () => number; now: number },
): object {
  const luck = random()
  const isFresh = now - at < 0.4 * DAY_MS
  const status =
    luck < 0.004 ? 'FAILED' : isFresh && luck < 0.012 ? 'UNCONFIRMED' : isFresh && luck < 0.03 ? 'DEFERRED' : 'SENT'
  return {
    contact_id: contactId,
    enrollment_id: id,
    step_id: step.id,
    status,
    message_id: `<${id}.${step.id.slice(0, 8)}@example.com>`,
    recipient: email,
    subject: step.subject!.replace('{{ contact.firstName }}', firstName),
    body: `Hello ${firstName},\n\ngood to have you here. This is the email as it was sent.`,
    response: status === 'SENT' ? '250 2.0.0 Ok: queued' : null,
    error:
      {
        FAILED: '550 5.1.1 No such user here',
        DEFERRED: '451 4.7.1 Try again later',
        UNCONFIRMED: 'The connection broke before the answer',
      }[status as 'FAILED'] ?? null,
    at: new Date(at).toISOString(),
  }
}
