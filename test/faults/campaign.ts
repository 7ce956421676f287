import { setTimeout as delay } from 'node:timers/promises'
import { sql, toDate } from '../../src/platform/db/sql.ts'
import type { Fault } from './chaos.ts'
import type { Verdict } from './check-promise.ts'
import type { Stage } from './stage.ts'
import type { Kind, World } from './world.ts'

/** The instants at which a campaign is interrupted: while its recipients are written down, and while each is mailed. */
const POINTS = [
  'worker: recipients walked',
  'worker: recipients written',
  'worker: permit',
  'worker: DATA begun, before claim',
  'worker: claimed',
  'worker: before the message',
  'worker: before the end of DATA',
  'worker: answer read',
  'worker: before record',
  'worker: recorded',
] as const

/** Who is killed while somebody stands at a point: the one who stands there, or a server that it needs next. */
const VICTIMS: readonly Kind[] = ['worker', 'postgres', 'temporal', 'api', 'smtp']

/** How many contacts are created, and put into the list, in one request. */
const AT_ONCE = 1_000
/** Of the recipients, the part that is suppressed while the campaign goes on. */
const SUPPRESSED = 0.02
/** Contacts beside the list: nobody is to mail them. */
const STRANGERS = 50
/** What the mail server thinks over a message, in milliseconds: what is under way when something is killed is not nothing. */
const TAKES_MS = 20
/** How long one is waited for who comes to a point, in milliseconds: longer than a dead worker is waited for by Temporal. */
const PATIENCE_MS = 60_000

export interface Counts {
  recipients: number
  [term: string]: number
}

/** A campaign that was interrupted, and all that is known of it by others than itself. */
export interface Interrupted {
  id: string
  recipients: string[]
  strangers: string[]
  /** When it was acknowledged that an address is not mailed any more, in milliseconds since 1970. */
  suppressed: Map<string, number>
  faults: Fault[]
  isOver: boolean
  stats: Counts
}

/**
 * Sends a campaign to so many, and kills (-9) so often whatever it needs, at every point of its path in turn; meanwhile it is paused
 * and resumed, and some of its recipients ask for no more mail.
 */
export async function interruptCampaign(
  stage: Stage,
  { recipients: count, kills }: { recipients: number; kills: number },
  say: (line: string) => void,
): Promise<Interrupted> {
  const { world, random } = stage
  const list = (await stage.ask('POST', '/lists', { name: 'All' })).body.data['id'] as string
  const recipients = await createPeople(stage, 'reader', count, list)
  const strangers = await createPeople(stage, 'stranger', STRANGERS)
  world.setMail({ takesMs: TAKES_MS })
  const said = { name: 'News', subject: 'News', text: 'Hello {{ contact.email }}', audience: { listIds: [list] } }
  const id = (await stage.ask('POST', '/campaigns', said)).body.data['id'] as string
  const read = async () => (await stage.ask('GET', `/campaigns/${id}`)).body.data as { status: string; stats: Counts }
  const taken = countingTaken(world)

  let isOver = false
  const faults: Fault[] = []
  const suppressed = new Map<string, number>()

  const kill = async () => {
    for (let n = 0; n < kills && !isOver; n += 1) {
      // Over the whole of it, and not all in its first seconds.
      while (!isOver && taken() < (n / kills) * count * 0.9) await delay(100)
      // In which order points and victims meet is not up to a common divisor.
      const point = POINTS[n % POINTS.length]!
      const victim = VICTIMS[(n + Math.floor(n / POINTS.length)) % VICTIMS.length]!
      // They are walked once, at the beginning: later nobody comes by.
      const points = n < POINTS.length || point !== POINTS[0] ? [point] : POINTS.slice(1)
      const standing = await world.controller.meet(points, PATIENCE_MS)
      if (!standing) continue
      const from = Date.now()
      if (victim === 'worker') process.kill(standing.pid, 'SIGKILL')
      else world.kill(victim)
      // What it needs is gone when it goes on.
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
  const suppress = async () => {
    for (let n = 0; n < count * SUPPRESSED && !isOver; n += 1) {
      while (!isOver && taken() < (n / (count * SUPPRESSED)) * count * 0.95) await delay(50)
      const email = random.pick(recipients)
      await stage.ask('POST', '/suppressions', { email })
      if (!suppressed.has(email)) suppressed.set(email, Date.now())
    }
  }
  const pause = async () => {
    for (const part of [0.2, 0.6]) {
      while (!isOver && taken() < part * count) await delay(100)
      if (isOver) return
      // It may be over at this moment: then there is nothing to be paused.
      const move = (how: string) => stage.ask('POST', `/campaigns/${id}/${how}`).catch(() => undefined)
      await move('pause')
      await delay(1_000)
      await move('resume')
    }
  }
  const watch = async () => {
    const deadline = Date.now() + 240_000 + kills * 30_000 + count * 100
    for (let said = 0; Date.now() < deadline; await delay(500)) {
      const { status } = await read()
      if (Math.floor((taken() * 10) / count) > said) say(`${(said = Math.floor((taken() * 10) / count))}0 % were taken`)
      if (status === 'SENT') break
    }
    isOver = true
  }
  await stage.ask('POST', `/campaigns/${id}/schedule`, {})
  await Promise.all([kill(), suppress(), pause(), watch()])
  const { status, stats } = await read()
  return { id, recipients, strangers, suppressed, faults, isOver: status === 'SENT', stats }
}

/** How many the mail server has taken; its record is long, and read once a second at most. */
function countingTaken(world: World): () => number {
  let [count, readAt] = [0, 0]
  return () => {
    if (Date.now() - readAt < 1_000) return count
    readAt = Date.now()
    return (count = world.accepted().filter(({ kind }) => kind === 'accepted').length)
  }
}

/** Contacts by bulk, in a list if it is said. @returns their addresses */
async function createPeople(stage: Stage, name: string, count: number, list?: string): Promise<string[]> {
  const emails: string[] = []
  for (let from = 0; from < count; from += AT_ONCE) {
    const page = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, n) => `${name}-${from + n}@example.com`)
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

/** Of how many at a time nobody may know what came of them: so many connections has a worker. */
const CONNECTIONS = 5

/** Holds what the mail server took of a campaign against its ledger and its account. */
export async function checkCampaign(world: World, campaign: Interrupted): Promise<Verdict> {
  const rows = await sql<{ email: string; status: string; claimed_at: string; error: string | null }>(
    world.orm.em.fork(),
    `select contact.email, message.status, message.claimed_at, message.error from messages message
     join contacts contact on contact.id = message.contact_id where message.campaign_id = $1::uuid`,
    [campaign.id],
  )
  const log = world.accepted()
  const takenBy = Map.groupBy(
    log.filter(({ kind }) => kind === 'accepted'),
    ({ to }) => to,
  )
  const begun = new Set(log.filter(({ kind }) => kind === 'begun').map(({ to }) => to))
  const rowsOf = Map.groupBy(rows, ({ email }) => email)
  const checks: Verdict['checks'] = []
  const check = <Item>(name: string, items: readonly Item[], problem: (item: Item) => string | undefined) =>
    void checks.push({ name, examined: items.length, failures: items.flatMap((item) => problem(item) ?? []) })
  const timesOf = (email: string) => takenBy.get(email)?.length ?? 0

  check('the campaign came to its end', [campaign], ({ isOver }) => (isOver ? undefined : 'it is not SENT'))
  check('each recipient is once in the ledger', campaign.recipients, (email) => {
    const count = rowsOf.get(email)?.length ?? 0
    return count === 1 ? undefined : `${email}: ${count} rows`
  })
  check('nobody was mailed twice', [...takenBy.keys()], (email) =>
    timesOf(email) > 1 ? `${email}: ${timesOf(email)} times` : undefined,
  )
  check('each was mailed once, is unconfirmed, or was suppressed', rows, ({ email, status, error }) => {
    const times = timesOf(email)
    if (status === 'UNCONFIRMED')
      return begun.has(email) ? undefined : `${email} is UNCONFIRMED, and was not begun: ${error}`
    if (status === 'SUPPRESSED' && campaign.suppressed.has(email))
      return times === 0 ? undefined : `${email} is SUPPRESSED, and was mailed`
    return status === 'SENT' && times === 1
      ? undefined
      : `${email} was mailed ${times} times, recorded as ${status}: ${error}`
  })
  check(
    'nobody was claimed behind the answer that she is not mailed any more',
    [...campaign.suppressed],
    ([email, at]) => {
      const row = rowsOf.get(email)?.[0]
      if (row?.status !== 'SENT' && row?.status !== 'UNCONFIRMED') return undefined
      const behindMs = toDate(row.claimed_at).getTime() - at
      return behindMs > 0 ? `${email} was claimed ${behindMs} ms behind it` : undefined
    },
  )
  check('nobody else was mailed', campaign.strangers, (email) => (timesOf(email) > 0 ? email : undefined))
  const { recipients, ...terms } = campaign.stats
  const sum = Object.values(terms).reduce((total, each) => total + each, 0)
  check('the account adds up, and is the ledger’s', [campaign], () => {
    const counted = (status: string) => rows.filter((row) => row.status === status).length
    const isTrue =
      recipients === campaign.recipients.length &&
      sum === recipients &&
      terms['sent'] === counted('SENT') &&
      terms['unconfirmed'] === counted('UNCONFIRMED') &&
      terms['suppressed'] === counted('SUPPRESSED')
    return isTrue ? undefined : JSON.stringify(campaign.stats)
  })
  const unconfirmed = rows.filter(({ status }) => status === 'UNCONFIRMED').length
  check('no more are unconfirmed than were under way', [campaign], ({ faults }) =>
    unconfirmed > faults.length * CONNECTIONS ? `${unconfirmed}, of ${faults.length} kills` : undefined,
  )
  return { checks, accepted: log.filter(({ kind }) => kind === 'accepted').length, unconfirmed }
}
