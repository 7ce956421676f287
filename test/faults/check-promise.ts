import { IS_PENDING } from '../../src/outbox/queries.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { sql, toDate } from '../../src/platform/db/sql.ts'
import type { Fault } from './chaos.ts'
import type { ReceivedRequest } from '../support/webhook-server.ts'
import { FINISHED_STEPS, RECEIPT, WAIT_MINUTES, type Acknowledged, type Sequence } from './load.ts'
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

/** Returns whether an enrollment is in its expected final state: exited, completed, or paused with its automation. */
const isThrough = (sequence: Sequence | undefined, row: Row | undefined, hasExited: boolean): boolean => {
  if (hasExited) return row?.status === 'EXITED'
  return row?.status === 'COMPLETED' || (sequence?.end === 'paused' && row?.status === 'ACTIVE' && row.paused)
}

/** Returns the acknowledged contacts that were not deleted. */
const aliveOf = ({ entered, erased, sequences }: Acknowledged) =>
  entered.filter(({ group, email }) => sequences.get(group)?.end !== 'deleted' && !erased.has(email))

interface EmailRow {
  id: string
  email: string
  subject: string
  status: string
  claimed_at: string
  error: string | null
}

/** The messages of all transactional emails, with when each was last claimed. */
const emailRows = (world: World) =>
  sql<EmailRow>(
    world.orm.em.fork(),
    `select email.id, email.recipient as email, email.subject, message.status, message.claimed_at, message.error
     from emails email join messages message on message.id = email.id`,
  )

/** Returns whether each acknowledged transactional email has its final status. */
async function areFinal(world: World, emails: Acknowledged['emails']): Promise<boolean> {
  const statuses = new Map((await emailRows(world)).map(({ id, status }) => [id, status]))
  return [...emails.values()].every(({ id }) => !PENDING.includes(statuses.get(id) ?? ''))
}

const PENDING = ['QUEUED', 'SENDING', 'DEFERRED']

/** Waits until everything acknowledged is done, or the timeout passes. @returns whether it is done */
export async function waitForQuiet(world: World, acknowledged: Acknowledged, timeoutMs: number): Promise<boolean> {
  const { sequences, exited, emails } = acknowledged
  const expected = aliveOf(acknowledged)
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(1_000)) {
    const rows = new Map((await enrollmentRows(world)).map((row) => [`${row.automation_id} ${row.email}`, row]))
    const through = expected.every(({ group, email }) => {
      const sequence = sequences.get(group)
      return isThrough(sequence, rows.get(`${sequence?.id} ${email}`), exited.has(email))
    })
    if (through && (await pendingRows(world)) === 0 && (await areFinal(world, emails))) return true
  }
  return false
}

/** Compares what the SMTP server accepted with what was acknowledged, and with the messages, the counters and Temporal. */
export async function checkPromise(
  world: World,
  acknowledged: Acknowledged,
  faults: readonly Fault[],
  requests: readonly ReceivedRequest[],
): Promise<Verdict> {
  const { sequences, erased, exited, emails, serverErrors } = acknowledged
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

  check('every acknowledged enrollment completed, exited, or is paused with its automation', alive, (entry) => {
    const row = rowFor(entry)
    return isThrough(sequences.get(entry.group), row, exited.has(entry.email))
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

  const receipts = await emailRows(world)
  const receiptOf = new Map(receipts.map((row) => [row.id, row]))
  const sentEmails = [...emails].map(([to, sent]) => ({ to, ...sent, status: receiptOf.get(sent.id)?.status }))
  check(
    'every transactional email that was not cancelled was accepted by the server, or is unconfirmed',
    sentEmails.filter(({ cancelledAt }) => cancelledAt === undefined),
    ({ to, status }) => {
      const isDone = status === 'SENT' ? times.has(`${to}: ${RECEIPT}`) : status === 'UNCONFIRMED'
      return isDone ? undefined : `${to} is ${status ?? 'missing'}`
    },
  )
  check(
    'no transactional email was sent that was cancelled',
    sentEmails.filter(({ cancelledAt }) => cancelledAt !== undefined),
    ({ to, status }) =>
      times.has(`${to}: ${RECEIPT}`) || status !== 'DISMISSED' ? `${to} is ${status ?? 'missing'}` : undefined,
  )
  check('each request sent one transactional email', receipts, ({ id, email }) =>
    emails.get(email)?.id === id ? undefined : `${email} has another email`,
  )

  const unconfirmed = [...messages, ...receipts].filter(({ status }) => status === 'UNCONFIRMED')
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
  const ofSteps = handedOver.filter(({ subject }) => subject.startsWith('steps '))
  check('nothing was claimed after an exit event', ofSteps, ({ email, subject, claimed_at }) => {
    const after = toDate(claimed_at).getTime() - (exited.get(email) ?? Infinity)
    return after > 0 ? `${email}: ${subject}, claimed ${after} ms after the event` : undefined
  })
  const runs = await sql<{ key: string; enrollment_id: string; type: string; attempts: number; is_finished: boolean }>(
    em(),
    `select enrollment_id || '_' || step_id as key, enrollment_id, type, attempts, finished_at is not null as is_finished
     from step_runs`,
  )
  const runsOf = Map.groupBy(
    runs.filter(({ is_finished }) => is_finished),
    ({ enrollment_id }) => enrollment_id,
  )
  check(
    'every step was run, and its result recorded',
    finished.filter(({ group }) => group === 'steps'),
    (entry) => {
      const types = (runsOf.get(rowFor(entry)!.enrollment_id) ?? []).map(({ type }) => type)
      return types.length === FINISHED_STEPS ? undefined : `${entry.email}: ${types.join(', ')}`
    },
  )
  const hooks = new Map(runs.filter(({ type }) => type === 'WEBHOOK').map((run) => [run.key, run]))
  const received = Map.groupBy(requests, ({ headers }) => String(headers['webhook-id']))
  check('no webhook was sent more often than it was attempted', [...received], ([key, all]) =>
    all.length > (hooks.get(key)?.attempts ?? 0) ? `${key}: ${all.length} times` : undefined,
  )
  check('every finished webhook was received', [...hooks.values()], ({ key, is_finished }) =>
    is_finished && !received.has(key) ? key : undefined,
  )
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
    accepted.filter(
      ({ to, subject }) => subject !== RECEIPT && !erased.has(to) && sequenceOf(subject)?.end !== 'deleted',
    ),
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
  const [orphans] = await sql<{ count: number }>(
    em(),
    `select count(*)::integer as count from messages message
     where not exists (select from contacts where contacts.id = message.contact_id)
       and not exists (select from emails where emails.id = message.id)`,
  )
  check('no data of an erased contact is left', [orphans?.count ?? 0], (count) =>
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
