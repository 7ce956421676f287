import { setTimeout as delay } from 'node:timers/promises'
import { sql, toDate } from '../../src/platform/db/sql.ts'
import { setSender } from '../../src/senders/settings.ts'
import type { Fault } from './chaos.ts'
import type { Verdict } from './check-promise.ts'
import type { Stage } from './stage.ts'
import type { Kind, World } from './world.ts'

/** The instant at which a mail server waits for a message that is not claimed yet, or was claimed ahead. */
const WAITED_FOR = ['worker: DATA begun, before claim', 'worker: DATA begun, claimed ahead']

/**
 * The instants at which a campaign is interrupted: while its recipients are stored, and while each email is sent. Of several names of
 * an instant, the first that is reached counts.
 */
const POINTS: readonly (readonly string[])[] = [
  ['worker: recipients materialized'],
  ['worker: recipients written'],
  ['worker: claimed ahead'],
  ['worker: permit'],
  WAITED_FOR,
  ['worker: claimed', 'worker: claimed ahead, begun'],
  ['worker: before the message'],
  ['worker: before the end of DATA'],
  ['worker: answer read'],
  ['worker: before record'],
  ['worker: recorded'],
]

/** The victims of a kill while a process is stopped at a point: that process, or a server that it needs next. */
const VICTIMS: readonly Kind[] = ['worker', 'postgres', 'temporal', 'api', 'smtp']

/** Number of contacts that one request creates and adds to the list. */
const AT_ONCE = 1_000
/** Share of the recipients that is suppressed during the campaign. */
const SUPPRESSED = 0.02
/** One of this many opt-outs comes while an email is in flight. */
const AIMED_EVERY = 4
/** Contacts outside the list: they must get no email. */
const STRANGERS = 50
/** Response time of the mail server, in milliseconds: at a kill, some emails are in flight. */
const TAKES_MS = 20
/** Maximum wait for a process at a point, in milliseconds: longer than Temporal waits for a dead worker. */
const PATIENCE_MS = 60_000

export interface Counts {
  recipients: number
  [term: string]: number
}

/** Campaigns that were interrupted, and everything that their clients know of them. */
export interface Interrupted {
  campaigns: Sent[]
  strangers: string[]
  /** Time at which the suppression of each address was acknowledged, in milliseconds since 1970. */
  suppressed: Map<string, number>
  /** Number of suppressions at a chosen instant of a delivery. */
  aimedOptOuts: number
  faults: Fault[]
}

/** A campaign and its result. */
export interface Sent extends Plan {
  id: string
  recipients: string[]
  status: string
  stats: Counts
  /** Its scheduled time, and when its cancellation was acknowledged, in milliseconds since 1970. */
  scheduledFor: number
  cancelledAt: number
}

/** The kind of a campaign. */
interface Plan {
  name: string
  count: number
  /** Fields in addition to its subject and audience. */
  said?: object
  /** Milliseconds until it begins. */
  inMs?: number
  isCancelled?: true
  perHour?: number
}

/** Smaller campaigns that are sent concurrently, each with a feature that the large one does not have. */
const BESIDE: readonly Plan[] = [
  {
    name: 'tested',
    count: 200,
    said: {
      abTest: { variants: [{ subject: 'Other news' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 1 },
    },
  },
  { name: 'throttled', count: 4, said: { throttlePerHour: 120 }, perHour: 120 },
  { name: 'scheduled', count: 100, inMs: 20_000 },
  { name: 'cancelled', count: 1_000, isCancelled: true },
]

/**
 * Sends a campaign to `count` contacts and kills (-9) what it needs `kills` times, at every point of the delivery in turn.
 * During that, the campaign is paused and resumed, and some of its recipients opt out.
 */
export async function interruptCampaign(
  stage: Stage,
  { recipients: count, kills }: { recipients: number; kills: number },
  say: (line: string) => void,
): Promise<Interrupted> {
  const { world, random } = stage
  await setSender(world.orm.em.fork(), stage.workspaceId, { trackOpens: true })
  const plans: Plan[] = [{ name: 'large', count }, ...BESIDE]
  const campaigns: Sent[] = []
  for (const plan of plans) campaigns.push(await createCampaign(stage, plan))
  const { id, recipients } = campaigns[0]!
  const strangers = await createPeople(stage, 'stranger', STRANGERS)
  world.setMail({ takesMs: TAKES_MS })
  const read = async (of = id) =>
    (await stage.ask('GET', `/campaigns/${of}`)).body.data as { status: string; stats: Counts }
  const taken = countingTaken(world)

  let isOver = false
  let aimedOptOuts = 0
  const faults: Fault[] = []
  const suppressed = new Map<string, number>()

  const kill = async () => {
    for (let n = 0; n < kills && !isOver; n += 1) {
      // Spreads the kills over the whole campaign.
      while (!isOver && taken() < (n / kills) * count * 0.9) await delay(100)
      // All combinations of points and victims occur, even if their numbers have a common divisor.
      const point = POINTS[n % POINTS.length]!
      const victim = VICTIMS[(n + Math.floor(n / POINTS.length)) % VICTIMS.length]!
      // Recipients are materialized once, at the beginning: later no process passes that point.
      const points = n < POINTS.length || point !== POINTS[0] ? point : POINTS.slice(1).flat()
      const standing = await world.controller.meet(points, PATIENCE_MS)
      if (!standing) continue
      const from = Date.now()
      if (victim === 'worker') process.kill(standing.pid, 'SIGKILL')
      else world.kill(victim)
      // The server that it needs is down when it continues.
      await delay(100)
      standing.go()
      faults.push({
        what: 'aimed',
        target: victim,
        how: `kill -9 while ${standing.process} stands at "${standing.point}"`,
        from,
        to: Date.now(),
      })
      if (victim === 'worker') await world.isBack(standing.process)
    }
  }
  const optOut = async (email: string) => {
    const { at } = await stage.ask('POST', '/suppressions', { email })
    if (!suppressed.has(email)) suppressed.set(email, at)
  }
  /** Suppresses recipients whose emails are in flight, while a process is stopped between two steps of a delivery. */
  const aimOptOut = async () => {
    const standing = await world.controller.meet(WAITED_FOR, PATIENCE_MS)
    if (!standing) return
    try {
      const underWay = recentlyBegun(world).filter((email) => !suppressed.has(email))
      await Promise.all(underWay.map(optOut))
      aimedOptOuts += underWay.length
    } finally {
      standing.go()
    }
  }
  const suppress = async () => {
    for (let n = 0; n < count * SUPPRESSED && !isOver; n += 1) {
      while (!isOver && taken() < (n / (count * SUPPRESSED)) * count * 0.95) await delay(50)
      await (n % AIMED_EVERY === 0 ? aimOptOut() : optOut(random.pick(recipients)))
    }
  }
  const pause = async () => {
    for (const part of [0.2, 0.6]) {
      while (!isOver && taken() < part * count) await delay(100)
      if (isOver) return
      // The campaign may finish at this moment: then it cannot be paused.
      const move = (how: string) => stage.ask('POST', `/campaigns/${id}/${how}`).catch(() => undefined)
      await move('pause')
      await delay(1_000)
      await move('resume')
    }
  }
  const watch = async () => {
    const deadline = Date.now() + 240_000 + kills * 30_000 + count * 100
    for (let reported = 0; Date.now() < deadline; await delay(500)) {
      const statuses = await Promise.all(campaigns.map(async (campaign) => (await read(campaign.id)).status))
      if (Math.floor((taken() * 10) / count) > reported)
        say(`${(reported = Math.floor((taken() * 10) / count))}0 % were accepted`)
      isOver = statuses[0] === 'SENT'
      if (statuses.every((status) => status === 'SENT' || status === 'CANCELLED')) break
    }
    isOver = true
  }
  const begin = async (campaign: Sent) => {
    const { inMs = 0, isCancelled, recipients: own } = campaign
    campaign.scheduledFor = Date.now() + inMs
    const at = new Date(campaign.scheduledFor).toISOString()
    await stage.ask('POST', `/campaigns/${campaign.id}/schedule`, inMs === 0 ? {} : { at })
    if (!isCancelled) return
    const isUnderWay = () => world.accepted().some(({ to }) => own.includes(to))
    while (!isUnderWay()) await delay(50)
    const { at: cancelledAt } = await stage.ask('POST', `/campaigns/${campaign.id}/cancel`)
    campaign.cancelledAt = cancelledAt
  }
  await Promise.all([...campaigns.map(begin), kill(), suppress(), pause(), watch()])
  for (const campaign of campaigns) Object.assign(campaign, await read(campaign.id))
  return { campaigns, strangers, suppressed, aimedOptOuts, faults }
}

/** Creates a campaign to its own contacts. */
async function createCampaign(stage: Stage, plan: Plan): Promise<Sent> {
  const list = (await stage.ask('POST', '/lists', { name: plan.name })).body.data['id'] as string
  const recipients = await createPeople(stage, plan.name, plan.count, list)
  const fields = { subject: 'News', text: 'Hello {{ contact.email }}', audience: { listIds: [list] } }
  const { body } = await stage.ask('POST', '/campaigns', { name: plan.name, ...fields, ...plan.said })
  const none = { status: 'DRAFT', stats: { recipients: 0 }, scheduledFor: Infinity, cancelledAt: Infinity }
  return { ...plan, id: body.data['id'] as string, recipients, ...none }
}

const RECENT_MS = 2_000

/** Returns the recipients whose messages recently began at the mail server, but were not accepted. */
function recentlyBegun(world: World): string[] {
  const log = world.accepted()
  const accepted = new Set(log.flatMap(({ kind, to }) => (kind === 'accepted' ? [to] : [])))
  const isLate = (at: number) => at > Date.now() - RECENT_MS
  return log.flatMap(({ kind, to, at }) => (kind === 'begun' && isLate(at) && !accepted.has(to) ? [to] : []))
}

/** Counts the messages that the mail server accepted. Its record is long, and is read at most once a second. */
function countingTaken(world: World): () => number {
  let [count, readAt] = [0, 0]
  return () => {
    if (Date.now() - readAt < 1_000) return count
    readAt = Date.now()
    return (count = world.accepted().filter(({ kind }) => kind === 'accepted').length)
  }
}

/** Every tenth address is at a provider that limits its rate: see smtp-recorder.ts. */
const addressOf = (name: string, n: number) => `${name}-${n}@${n % 10 === 0 ? 'limited.example' : 'example.com'}`

/** Creates contacts in bulk, in a list if there is one. @returns their addresses */
async function createPeople(stage: Stage, name: string, count: number, list?: string): Promise<string[]> {
  const emails: string[] = []
  for (let from = 0; from < count; from += AT_ONCE) {
    const page = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => addressOf(name, from + n))
    await stage.ask('POST', '/contacts/bulk', { contacts: page.map((email) => ({ email })), triggers: false })
    emails.push(...page)
  }
  if (list === undefined) return emails
  const rows = await sql<{ id: string }>(stage.world.orm.em.fork(), `select id from contacts where email like $1`, [
    `${name}-%`,
  ])
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const contactIds = rows.slice(from, from + AT_ONCE).map(({ id }) => id)
    await stage.ask('POST', `/lists/${list}/contacts`, { contactIds })
  }
  return emails
}

/** Number of emails that a worker sends at a time, and number of workers. */
const CONNECTIONS = 5
const WORKERS = 2
/** Maximum number of emails with an unknown outcome for each kind of victim. Operations of the others can be repeated. */
const LOST_BY: Partial<Record<string, number>> = { worker: CONNECTIONS, smtp: WORKERS * CONNECTIONS }
/** Milliseconds before a kill in which an email may lack a recorded outcome, or after it in which one may begin. */
const RECORDED_WITHIN_MS = 2_000

/** Compares what the mail server accepted from the campaigns with the messages and the signed delivery reports. */
export async function checkCampaign(world: World, interrupted: Interrupted): Promise<Verdict> {
  const { faults, strangers, campaigns, suppressed, aimedOptOuts } = interrupted
  const log = world.accepted()
  const takenBy = Map.groupBy(
    log.filter(({ kind }) => kind === 'accepted'),
    ({ to }) => to,
  )
  const begunBy = Map.groupBy(
    log.filter(({ kind }) => kind === 'begun'),
    ({ to }) => to,
  )
  const checks: Verdict['checks'] = []
  const check = <Item>(name: string, items: readonly Item[], problem: (item: Item) => string | undefined) =>
    void checks.push({ name, examined: items.length, failures: items.flatMap((item) => problem(item) ?? []) })
  const timesOf = (email: string) => takenBy.get(email)?.length ?? 0
  /** Returns whether an email was in flight when something was killed that it needs. */
  const isExplained = (email: string) => {
    const begunAt = begunBy.get(email)?.at(-1)?.at
    const takenAt = takenBy.get(email)?.at(-1)?.at ?? Infinity
    return faults.some(
      ({ target, from, to }) =>
        LOST_BY[target] !== undefined &&
        begunAt !== undefined &&
        begunAt < to + RECORDED_WITHIN_MS &&
        takenAt > from - RECORDED_WITHIN_MS,
    )
  }

  check('no recipient got two emails', [...takenBy.keys()], (email) =>
    timesOf(email) > 1 ? `${email}: ${timesOf(email)} times` : undefined,
  )
  check('no other contact got an email', strangers, (email) => (timesOf(email) > 0 ? email : undefined))
  check('some recipients opted out while their emails were in flight', [aimedOptOuts], (count) =>
    count === 0 ? 'nobody did' : undefined,
  )
  let unconfirmed = 0
  for (const campaign of campaigns) {
    const { name, recipients, cancelledAt } = campaign
    const rows = await readRows(world, campaign.id)
    unconfirmed += rows.filter(({ status }) => status === 'UNCONFIRMED').length
    const rowsOf = Map.groupBy(rows, ({ email }) => email)
    check(`${name}: it finished`, [campaign], ({ status }) =>
      status === (campaign.isCancelled ? 'CANCELLED' : 'SENT') ? undefined : `it is ${status}`,
    )
    check(`${name}: each recipient has one message`, recipients, (email) => {
      const count = rowsOf.get(email)?.length ?? 0
      // A cancelled campaign may not have reached all of them.
      return count === 1 || (count === 0 && campaign.isCancelled) ? undefined : `${email}: ${count} rows`
    })
    check(`${name}: each recipient got one email, or there is a reason`, rows, ({ email, status, error }) => {
      const times = timesOf(email)
      const mayBeLeft =
        (status === 'SUPPRESSED' && suppressed.has(email)) || (status === 'DISMISSED' && campaign.isCancelled)
      if (mayBeLeft) return times === 0 && error !== null ? undefined : `${email} is ${status}, but got an email`
      if (status === 'UNCONFIRMED')
        return isExplained(email) ? undefined : `${email} is UNCONFIRMED, but nothing was killed at that time: ${error}`
      return status === 'SENT' && times === 1
        ? undefined
        : `${email} got ${times} emails, recorded as ${status}: ${error}`
    })
    check(`${name}: no email was claimed after the response of the stop`, rows, ({ email, status, claimed_at }) => {
      if (status !== 'SENT' && status !== 'UNCONFIRMED') return undefined
      const lateMs = toDate(claimed_at).getTime() - Math.min(suppressed.get(email) ?? Infinity, cancelledAt)
      return lateMs > 0 ? `${email} was claimed ${lateMs} ms after it` : undefined
    })
    const begun = recipients.flatMap((email) => begunBy.get(email)?.map(({ at }) => at) ?? []).toSorted((a, b) => a - b)
    check(`${name}: it keeps its schedule and its rate`, begun, (at) => {
      if (at < campaign.scheduledFor - CLOCKS_MS) return `one began ${campaign.scheduledFor - at} ms early`
      if (campaign.perHour === undefined) return undefined
      const allowed = 1 + faults.length + ((at - begun[0]!) * campaign.perHour) / 3_600_000
      return begun.filter((other) => other <= at).length > allowed
        ? 'more emails were sent than its rate allows'
        : undefined
    })
    check(`${name}: the signed delivery report adds up, and agrees with the messages`, [campaign], ({ stats }) => {
      const { recipients: counted, ...terms } = stats
      const sum = Object.values(terms).reduce((total, each) => total + each, 0)
      const countRows = (status: string) => rows.filter((row) => row.status === status).length
      const isTrue =
        counted === rows.length &&
        sum === counted &&
        terms['sent'] === countRows('SENT') &&
        terms['unconfirmed'] === countRows('UNCONFIRMED') &&
        terms['suppressed'] === countRows('SUPPRESSED')
      return isTrue ? undefined : JSON.stringify(stats)
    })
  }
  const mostLost = faults.reduce((sum, { target }) => sum + (LOST_BY[target] ?? 0), 0)
  check('at most as many are unconfirmed as were in flight at the kills', [unconfirmed], (count) =>
    count > mostLost ? `${count}, where ${mostLost} are allowed` : undefined,
  )
  return { checks, accepted: log.filter(({ kind }) => kind === 'accepted').length, unconfirmed }
}

/** Maximum difference between the clocks of two processes, in milliseconds. */
const CLOCKS_MS = 1_000

const readRows = (world: World, id: string) =>
  sql<{ email: string; status: string; claimed_at: string; error: string | null }>(
    world.orm.em.fork(),
    `select contact.email, message.status, message.claimed_at, message.error from messages message
     join contacts contact on contact.id = message.contact_id where message.campaign_id = $1::uuid`,
    [id],
  )
