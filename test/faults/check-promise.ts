import { IS_PENDING } from '../../src/outbox/queries.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { sql, toDate } from '../../src/platform/db/sql.ts'
import type { Fault } from './chaos.ts'
import { WAIT_MINUTES, type Acknowledged, type Sequence } from './load.ts'
import { assertCountersMatch } from '../support/stats.ts'
import type { World } from './world.ts'

export interface Verdict {
  checks: { name: string; examined: number; failures: string[] }[]
  accepted: number
  unconfirmed: number
}

interface Row {
  email: string
  automation_id: string
  enrollment_id: string
  status: string
  paused: boolean
}

const enrollmentRows = (world: World) =>
  sql<Row>(
    world.orm.em.fork(),
    `select contact.email, enrollment.automation_id, enrollment.id as enrollment_id, enrollment.status, enrollment.paused
     from enrollments enrollment join contacts contact on contact.id = enrollment.contact_id`,
  )

const pendingRows = async (world: World): Promise<number> => {
  const [row] = await sql<{ count: number }>(
    world.orm.em.fork(),
    `select count(*)::integer as count from outbox where ${IS_PENDING}`,
  )
  return row?.count ?? 0
}

/** Returns whether an enrollment is in its expected final state: completed, or paused with its automation. */
const isThrough = (sequence: Sequence | undefined, row: Row | undefined): boolean =>
  row?.status === 'COMPLETED' || (sequence?.end === 'paused' && row?.status === 'ACTIVE' && row.paused)

/** Returns the acknowledged contacts that were not deleted. */
const aliveOf = ({ entered, erased, sequences }: Acknowledged) =>
  entered.filter(({ group, email }) => sequences.get(group)?.end !== 'deleted' && !erased.has(email))

/** Waits until everything acknowledged is done, or the timeout passes. @returns whether it is done */
export async function waitForQuiet(world: World, acknowledged: Acknowledged, timeoutMs: number): Promise<boolean> {
  const { sequences } = acknowledged
  const expected = aliveOf(acknowledged)
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(1_000)) {
    const rows = new Map((await enrollmentRows(world)).map((row) => [`${row.automation_id} ${row.email}`, row]))
    const through = expected.every(({ group, email }) => {
      const sequence = sequences.get(group)
      return isThrough(sequence, rows.get(`${sequence?.id} ${email}`))
    })
    if (through && (await pendingRows(world)) === 0) return true
  }
  return false
}

/** Compares what the SMTP server accepted with what was acknowledged, and with the messages, the counters and Temporal. */
export async function checkPromise(
  world: World,
  acknowledged: Acknowledged,
  faults: readonly Fault[],
): Promise<Verdict> {
  const { sequences, erased, serverErrors } = acknowledged
  const em = () => world.orm.em.fork()
  const log = world.accepted()
  const accepted = log.filter((entry) => entry.kind === 'accepted')
  const rows = await enrollmentRows(world)
  const rowOf = new Map(rows.map((row) => [`${row.automation_id} ${row.email}`, row]))
  const messages = await sql<{
    email: string
    automation_id: string
    enrollment_id: string
    subject: string
    status: string
    claimed_at: string
    error: string | null
  }>(
    em(),
    `select contact.email, message.automation_id, message.enrollment_id, content.subject, message.status, message.claimed_at, message.error
     from messages message
     join contacts contact on contact.id = message.contact_id
     join enrollments enrollment on enrollment.id = message.enrollment_id
     join automation_versions version
       on version.automation_id = message.automation_id and version.version = enrollment.version
     cross join jsonb_array_elements(version.steps) step
     join email_contents content
       on content.automation_id = message.automation_id and content.hash = step ->> 'content'
     where step ->> 'id' = message.step_id::text`,
  )
  const checks: Verdict['checks'] = []
  const check = <Item>(name: string, items: readonly Item[], problem: (item: Item) => string | undefined) => {
    const failures = items.flatMap((item) => problem(item) ?? [])
    checks.push({ name, examined: items.length, failures })
  }
  const keyOf = ({ to, subject }: { to: string; subject: string }) => `${to}: ${subject}`
  const times = new Map<string, number[]>()
  for (const entry of accepted) times.set(keyOf(entry), [...(times.get(keyOf(entry)) ?? []), entry.at])
  const statusOf = new Map(messages.map((message) => [`${message.email}: ${message.subject}`, message.status]))
  const alive = aliveOf(acknowledged)
  const sequenceOf = (subject: string) => sequences.get(subject.split(' ')[0] ?? '')
  const rowFor = ({ group, email }: { group: string; email: string }) =>
    rowOf.get(`${sequences.get(group)?.id} ${email}`)

  check('every acknowledged enrollment completed, or is paused with its automation', alive, (entry) => {
    const row = rowFor(entry)
    return isThrough(sequences.get(entry.group), row)
      ? undefined
      : `${entry.email}: ${row ? `${row.status}${row.paused ? ', paused' : ''}` : 'no enrollment'}`
  })
  check('no message was accepted twice', [...times], ([key, at]) =>
    at.length > 1 ? `${key}: ${at.length} times` : undefined,
  )
  const ids = Map.groupBy(accepted, ({ messageId }) => messageId)
  check('no Message-ID came twice', [...ids], ([id, entries]) => (entries.length > 1 ? id : undefined))

  const finished = alive.filter((entry) => rowFor(entry)?.status === 'COMPLETED')
  const steps = finished.flatMap(({ group, email }) =>
    Array.from({ length: sequences.get(group)!.emails }, (_, n) => `${email}: ${group} ${n + 1}`),
  )
  check('every step was accepted by the server, or is unconfirmed', steps, (key) =>
    times.has(key) || statusOf.get(key) === 'UNCONFIRMED' ? undefined : `${key}: ${statusOf.get(key) ?? 'no message'}`,
  )

  const unconfirmed = messages.filter(({ status }) => status === 'UNCONFIRMED')
  const begun = Map.groupBy(
    log.filter(({ kind }) => kind === 'begun'),
    ({ to }) => to,
  )
  check(
    'every unconfirmed message was begun at the mail server',
    unconfirmed,
    ({ email, subject, claimed_at, error }) => {
      const claimedAt = toDate(claimed_at).getTime()
      // The claim is made when the server waits for the message.
      const seen = begun.get(email)?.some(({ at }) => at <= claimedAt + 1_000 && at >= claimedAt - 60_000)
      return seen ? undefined : `${email}: ${subject}, claimed at ${claimed_at}: ${error}`
    },
  )
  const handedOver = messages.filter(({ status }) => status === 'SENT' || status === 'UNCONFIRMED')
  check('nothing was claimed while paused', handedOver, ({ email, subject, claimed_at }) => {
    const claimedAt = toDate(claimed_at).getTime()
    const pause = sequenceOf(subject)?.pauses.find(({ from, to }) => claimedAt > from && claimedAt < to)
    return pause && `${email}: ${subject}, claimed ${claimedAt - pause.from} ms after the PATCH`
  })
  const ended = new Set(finished.map((entry) => rowFor(entry)?.enrollment_id))
  check(
    'no message of a finished enrollment is left without a final status',
    messages.filter(({ enrollment_id }) => ended.has(enrollment_id)),
    ({ email, subject, status }) =>
      status === 'SENDING' || status === 'DEFERRED' ? `${email}: ${subject} is ${status}` : undefined,
  )
  check('every unconfirmed message was hit by a fault', unconfirmed, ({ email, subject, claimed_at, error }) => {
    const claimedAt = toDate(claimed_at).getTime()
    const cut = log.some((entry) => entry.kind === 'cut' && entry.to === email && entry.subject === subject)
    // An unavailable database does not explain it: the response of the mail server is recorded when the database is back.
    const hurt = faults.some(
      ({ target, how, from, to }) =>
        (target === 'worker' || target === 'smtp') &&
        !how.startsWith('linger') &&
        to >= claimedAt - 500 &&
        from <= claimedAt + 20_000,
    )
    return cut || hurt ? undefined : `${email}: ${subject}, claimed at ${claimed_at}: ${error}`
  })

  const waited = finished.filter(({ group }) => sequences.get(group)?.hasWait)
  check('no wait ended early', waited, ({ group, email }) => {
    const [first] = times.get(`${email}: ${group} 1`) ?? []
    const [second] = times.get(`${email}: ${group} 2`) ?? []
    if (first === undefined || second === undefined || second - first >= WAIT_MINUTES * 60_000) return undefined
    return `${email}: ${((second - first) / 1000).toFixed(1)} s`
  })
  check('no email after an acknowledged DELETE', accepted, ({ to, subject, at }) => {
    const end = Math.min(sequenceOf(subject)?.deletedAt ?? Infinity, erased.get(to) ?? Infinity)
    return at > end ? `${to}: ${subject}, ${at - end} ms after` : undefined
  })
  check(
    'the messages and the SMTP server agree on what was sent',
    messages.filter(({ status }) => status === 'SENT'),
    ({ email, subject }) =>
      times.has(`${email}: ${subject}`) ? undefined : `${email}: ${subject} is SENT, but was not accepted`,
  )
  const known = new Set(messages.map(({ email, subject }) => `${email}: ${subject}`))
  check(
    'every email that the SMTP server accepted has a message',
    accepted.filter(({ to, subject }) => !erased.has(to) && sequenceOf(subject)?.end !== 'deleted'),
    (entry) => (known.has(keyOf(entry)) ? undefined : keyOf(entry)),
  )

  const counts = await sql<{ automation_id: string; enrolled: number; completed: number }>(
    em(),
    'select automation_id, enrolled, completed from automation_counts',
  )
  const countOf = new Map(counts.map((row) => [row.automation_id, row]))
  const counted = [...sequences].filter(([, { end, loses }]) => end !== 'deleted' && !loses)
  const countersFailure = await assertCountersMatch(em()).catch((error: unknown) => String(error))
  check('the counters agree with the rows', ['all of them'], () => countersFailure ?? undefined)
  check('enrolledCount and completedCount agree with the enrollments', counted, ([group, { id }]) => {
    const of = rows.filter((row) => row.automation_id === id)
    const completed = of.filter(({ status }) => status === 'COMPLETED').length
    // An automation without enrollments has no row: faults may have delayed all of them until it was paused.
    const count = countOf.get(id) ?? { enrolled: 0, completed: 0 }
    return count.enrolled === of.length && count.completed === completed
      ? undefined
      : `${group}: ${count.enrolled}/${count.completed} instead of ${of.length}/${completed}`
  })
  const [left] = await sql<{ count: number }>(
    em(),
    `select count(*)::integer as count from messages message
     where not exists (select from contacts where contacts.id = message.contact_id)`,
  )
  check('no data of an erased contact is left', [left?.count ?? 0], (count) =>
    count > 0 ? `${count} messages of deleted contacts` : undefined,
  )
  check('no response was a 500', serverErrors, (error) => error)

  const active = rows.filter(({ status }) => status === 'ACTIVE').length
  const running = await waitForCount(active, () => countRunning(world))
  checks.push({
    name: 'the running workflows are those of the active enrollments',
    examined: running,
    failures: running === active ? [] : [`${running} are running, ${active} are active`],
  })
  return { checks, accepted: accepted.length, unconfirmed: unconfirmed.length }
}

/** Waits for an expected count: cancelled workflows end a moment later, and Temporal's list of them lags behind. */
async function waitForCount(expected: number, count: () => Promise<number>): Promise<number> {
  for (const deadline = Date.now() + 30_000; ; await delay(1_000)) {
    const seen = await count()
    if (seen === expected || Date.now() > deadline) return seen
  }
}

async function countRunning({ temporalAddress }: World): Promise<number> {
  const connection = await Connection.connect({ address: temporalAddress })
  try {
    const { workflow } = new Client({ connection })
    const running = new Set<string>()
    for await (const { workflowId } of workflow.list({ query: 'ExecutionStatus = "Running"' })) running.add(workflowId)
    return running.size
  } finally {
    await connection.close()
  }
}
