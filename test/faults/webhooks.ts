import { setTimeout as delay } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { sql, toObjects } from '../../src/platform/db/sql.ts'
import type { startWebhookServer } from '../support/webhook-server.ts'
import type { Fault } from './chaos.ts'
import type { Verdict } from './check-promise.ts'
import type { Random } from './random.ts'
import { email, type Stage } from './stage.ts'
import type { Kind, World } from './world.ts'

/** The instants at which something is killed: while a fact is recorded, and while its event is delivered. */
const POINTS = [
  'worker: deliveries taken',
  'api: done, not committed',
  'worker: before webhook',
  'api: done, answer not kept',
  'worker: webhook answered',
  'worker: before webhook outcomes',
  'api: before answer',
  'worker: webhook outcomes recorded',
] as const

/** The victims of a kill: the process at the point, or another one. */
const VICTIMS: readonly Kind[] = ['worker', 'postgres', 'api']

/** Maximum wait for a process at a point, in milliseconds. */
const PATIENCE_MS = 60_000
/** Maximum wait at the end, in milliseconds: leases end after a minute, and the third attempt comes 70 seconds after the first. */
const QUIET_MS = 400_000

/** One of this many contacts enters an automation, and one is erased. */
const ENROLLED_EVERY = 4
const ERASED_EVERY = 20
/** Average number of facts of a contact: three of an enrollment, one of an erasure, and four others. */
const FACTS_PER_CONTACT = 4 + 3 / ENROLLED_EVERY + 1 / ERASED_EVERY

/** Shares of the requests that the receiver answers with an error, or by a reset connection. */
const ERRORS = 0.02
const RESETS = 0.02
/** Attempts at a delivery that can fail: the fourth one comes after minutes. */
const FAILING_ATTEMPTS = 2
/** Maximum response time of the receiver in milliseconds: at a kill, some requests are in flight. */
const TAKES_MS = 20

/** Milliseconds after an erasure in which an event of the contact may arrive: the documented second, and a moment to send it. */
const ERASED_WITHIN_MS = 2_000
/** Milliseconds around a fault in which the outcome of a delivery can be lost. */
const RECORDED_WITHIN_MS = 10_000

/** The webhooks, by the path of their URL. */
const WANTED: Record<string, readonly string[]> = {
  '/all': ['*'],
  '/some': ['contact.created', 'contact.deleted', 'list.joined'],
}

/** A request that the receiver got. */
interface Arrival {
  path: string
  id: string
  body: string
  at: number
  isSigned: boolean
  /** When it was answered with 200. */
  takenAt?: number
}

/** The knowledge of the clients and of the receiver. */
export interface Delivered {
  /** The acknowledged facts: the ID of a contact, and what happened. */
  facts: string[]
  /** When the erasure of each contact was acknowledged. */
  erased: Map<string, number>
  arrivals: Arrival[]
  faults: Fault[]
}

/** Receives webhooks. Some requests fail. */
function receive(
  { receiver }: Awaited<ReturnType<typeof startWebhookServer>>,
  secrets: ReadonlyMap<string, string>,
  random: Random,
): Arrival[] {
  const arrivals: Arrival[] = []
  const attempts = new Map<string, number>()
  receiver.answer = async ({ url: path, headers, body }, response) => {
    const id = String(headers['webhook-id'])
    const arrival: Arrival = { path, id, body, at: Date.now(), isSigned: isSigned(secrets.get(path)!, headers, body) }
    arrivals.push(arrival)
    const attempt = (attempts.get(`${path} ${id}`) ?? 0) + 1
    attempts.set(`${path} ${id}`, attempt)
    await delay(random.between(0, TAKES_MS))
    const chance = attempt > FAILING_ATTEMPTS ? 1 : random.next()
    if (chance < ERRORS) return 500
    if (chance < ERRORS + RESETS) {
      response.socket?.resetAndDestroy()
      return new Promise(() => undefined)
    }
    arrival.takenAt = Date.now()
    return 200
  }
  return arrivals
}

function isSigned(secret: string, headers: object, body: string): boolean {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined
  } catch {
    return false
  }
}

/** Creates, changes, enrolls and erases contacts, and kills (-9) a process during each of `kills` groups of them. */
export async function interruptWebhooks(
  stage: Stage,
  server: Awaited<ReturnType<typeof startWebhookServer>>,
  { facts: count, kills }: { facts: number; kills: number },
  say: (line: string) => void,
): Promise<Delivered> {
  const { world } = stage
  const secrets = new Map<string, string>()
  for (const [path, events] of Object.entries(WANTED)) {
    const { body } = await stage.ask('POST', '/webhooks', { url: new URL(path, server.url).href, events })
    secrets.set(path, body.data['secret'] as string)
  }
  const arrivals = receive(server, secrets, stage.random)
  const listId = (await stage.ask('POST', '/lists', { name: 'Readers' })).body.data['id'] as string
  const automationId = await stage.automation([email('News')])
  const facts: string[] = []
  const erased = new Map<string, number>()
  const faults: Fault[] = []

  /** Makes facts. Those of one contact come one after the other. */
  const make = async (contacts: number) => {
    const emails = Array.from({ length: contacts }, () => stage.nextEmail())
    const upsert = (firstName: string) =>
      stage.ask('POST', '/contacts/bulk', { contacts: emails.map((address) => ({ email: address, firstName })) })
    await upsert('Ada')
    const rows = await retried(() =>
      sql<{ id: string }>(
        world.orm.em.fork(),
        'select id from contacts where workspace_id = $1::uuid and email = any($2::text[])',
        [stage.workspaceId, emails],
      ),
    )
    const ids = rows.map(({ id }) => id)
    await upsert('Bob')
    await stage.ask('POST', `/lists/${listId}/contacts`, { contactIds: ids })
    await upsert('Cid')
    const happened = (some: readonly string[], ...what: string[]) =>
      facts.push(...some.flatMap((id) => what.map((fact) => `${id} ${fact}`)))
    const isErased = (n: number) => n % ERASED_EVERY === 1
    happened(
      ids.filter((_id, n) => !isErased(n)),
      ...['contact.created', 'contact.updated Bob', 'list.joined', 'contact.updated Cid'],
    )
    await Promise.all(
      ids.map(async (id, n) => {
        if (n % ENROLLED_EVERY === 0) {
          await stage.ask('POST', `/automations/${automationId}/enroll`, { contactId: id })
          happened([id], 'enrollment.started', 'enrollment.completed')
        } else if (isErased(n)) {
          const { at } = await stage.ask('DELETE', `/contacts/${id}`)
          erased.set(id, at)
          happened([id], 'contact.deleted')
        }
      }),
    )
  }
  const kill = async (n: number) => {
    const point = POINTS[n % POINTS.length]!
    const victim = VICTIMS[(n + Math.floor(n / POINTS.length)) % VICTIMS.length]!
    const standing = await world.controller.meet([point], PATIENCE_MS)
    if (!standing) return
    const from = Date.now()
    const isItself = standing.process.startsWith(victim)
    if (isItself) process.kill(standing.pid, 'SIGKILL')
    else world.kill(victim)
    await delay(100)
    standing.go()
    const how = `kill -9 while ${standing.process} stands at "${standing.point}"`
    faults.push({ what: 'aimed', target: victim, how, from, to: Date.now() })
    if (isItself) await world.isBack(standing.process)
  }
  const groups = Math.max(kills, 1)
  const contacts = Math.ceil(count / FACTS_PER_CONTACT / groups)
  for (let n = 0; n < groups; n += 1) {
    await Promise.all([n < kills && kill(n), make(contacts)])
    if (Math.floor(((n + 1) * 10) / groups) > Math.floor((n * 10) / groups))
      say(`${n + 1} of ${groups} groups of facts; ${arrivals.length} requests`)
  }
  return { facts, erased, arrivals, faults }
}

/** Waits until all enrollments have ended and all events are delivered. @returns whether they are */
export async function waitUntilDelivered(world: World): Promise<boolean> {
  for (const deadline = Date.now() + QUIET_MS; Date.now() < deadline; await delay(1_000)) {
    const [row] = await retried(() =>
      sql<{ count: number }>(
        world.orm.em.fork(),
        `select ((select count(*) from enrollments where status = 'ACTIVE')
           + (select count(*) from messages where status in ('QUEUED', 'SENDING', 'DEFERRED'))
           + (select count(*) from webhook_deliveries where status = 'PENDING'))::integer as count`,
      ),
    )
    if (row?.count === 0) return true
  }
  return false
}

/** Repeats a statement until it succeeds: Postgres may have been killed. */
async function retried<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (attempt === 100) throw error
      await delay(200)
    }
  }
}

interface EventRow {
  position: string
  id: string
  type: string
  contactId: string | null
  data: { id: string; firstName?: string; contactId?: string }
}

/** Compares what the receiver got with the acknowledged facts and with the recorded events. */
export async function checkWebhooks(
  stage: Stage,
  delivered: Delivered,
): Promise<Pick<Verdict, 'checks'> & { counts: Record<string, number> }> {
  const { facts, erased, arrivals, faults } = delivered
  const em = stage.world.orm.em.fork()
  const events = toObjects<EventRow>(
    await sql(
      em,
      'select position, id, type, contact_id, data from webhook_events where workspace_id = $1::uuid order by position',
      [stage.workspaceId],
    ),
  )
  const messages = await sql<{ contact_id: string; status: string }>(
    em,
    'select contact_id, status from messages where workspace_id = $1::uuid',
    [stage.workspaceId],
  )
  const checks: Verdict['checks'] = []
  const check = <Item>(name: string, items: readonly Item[], problem: (item: Item) => string | undefined) =>
    void checks.push({ name, examined: items.length, failures: items.flatMap((item) => problem(item) ?? []) })

  const all = [...facts, ...messages.map((one) => `${one.contact_id} message.${one.status.toLowerCase()}`)]
  const factOf = ({ type, contactId, data }: EventRow) =>
    `${contactId ?? data.id} ${type}${type === 'contact.updated' ? ` ${data.firstName}` : ''}`
  const eventsOf = Map.groupBy(events, factOf)
  check('every acknowledged fact has one event', all, (fact) => {
    const found = eventsOf.get(fact)?.length ?? 0
    return found === 1 ? undefined : `${fact}: ${found} events`
  })
  const known = new Set(all)
  // An email that was DEFERRED or UNCONFIRMED can be SENT later.
  const isPassing = ({ type }: EventRow) => type === 'message.deferred' || type === 'message.unconfirmed'
  check('every event is a fact', events, (event) =>
    known.has(factOf(event)) || isPassing(event) ? undefined : factOf(event),
  )

  const keyOf = ({ path, id }: { path: string; id: string }) => `${path} ${id}`
  const arrivalsOf = Map.groupBy(arrivals, keyOf)
  const wanted = Object.entries(WANTED).flatMap(([path, types]) =>
    events
      .filter(({ type }) => types.includes('*') || types.includes(type))
      .map((event) => ({ path, id: event.id, event })),
  )
  check('every event was answered with 200 by each webhook of its type', wanted, (one) =>
    arrivalsOf.get(keyOf(one))?.some(({ takenAt }) => takenAt !== undefined)
      ? undefined
      : `${keyOf(one)}: ${factOf(one.event)}`,
  )
  const unfinished = await sql<{ id: string; status: string }>(
    em,
    `select event.id, status from webhook_deliveries join webhook_events event on position = event_position
     where status <> 'DELIVERED'`,
  )
  check('every delivery is recorded', unfinished, ({ id, status }) => `${id} is ${status}`)
  check('every request is signed', arrivals, (one) => (one.isSigned ? undefined : keyOf(one)))

  const wantedKeys = new Set(wanted.map(keyOf))
  const contactOf = ({ body }: Arrival) => {
    const { data } = JSON.parse(body) as { data: EventRow['data'] }
    return data.contactId ?? data.id
  }
  check('every request has an event that its webhook wants', arrivals, (one) =>
    wantedKeys.has(keyOf(one)) || erased.has(contactOf(one)) ? undefined : keyOf(one),
  )
  check('repeated requests are equal', [...arrivalsOf], ([key, [first, ...others]]) =>
    others.every(({ body }) => body === first!.body) ? undefined : key,
  )
  check('no request was sent after the erasure of its contact', arrivals, (one) => {
    const lateMs = one.at - (erased.get(contactOf(one)) ?? Infinity)
    const isAllowed = lateMs <= ERASED_WITHIN_MS || one.body.includes('"contact.deleted"')
    return isAllowed ? undefined : `${keyOf(one)}: ${lateMs} ms after it`
  })
  const lanes = Map.groupBy(
    wanted.filter(({ event }) => event.contactId !== null),
    ({ path, event }) => `${path} ${event.contactId}`,
  )
  check('the first requests of each contact are in the order of its events', [...lanes], ([lane, inOrder]) => {
    const firsts = inOrder
      .flatMap((one) => arrivalsOf.get(keyOf(one))?.slice(0, 1) ?? [])
      .map((one) => arrivals.indexOf(one))
    return firsts.every((at, n) => n === 0 || at > firsts[n - 1]!) ? undefined : `${lane}: ${firsts.join(', ')}`
  })
  const repeated = [...arrivalsOf.values()].flatMap(([, ...others]) => others)
  check('a request is repeated after a 200 only if its outcome was lost', repeated, (again) => {
    const takenAt = arrivalsOf.get(keyOf(again))!.find((one) => one.at < again.at && one.takenAt !== undefined)?.takenAt
    if (takenAt === undefined) return undefined
    const isLost = faults.some(
      ({ target, from, to }) =>
        target !== 'api' && takenAt > from - RECORDED_WITHIN_MS && takenAt < to + RECORDED_WITHIN_MS,
    )
    return isLost ? undefined : keyOf(again)
  })
  const counts = {
    facts: all.length,
    deliveries: wanted.length,
    requests: arrivals.length,
    repeated: repeated.length,
    erased: erased.size,
  }
  return { checks, counts }
}
