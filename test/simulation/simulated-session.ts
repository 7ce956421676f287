import { setTimeout as realDelay } from 'node:timers/promises'
import { Client as ControlClient } from 'pg'
import { Session } from '../../src/db/session.ts'
import { current, FAULTS, type Action, type Process, type Scheduler } from './scheduler.ts'

/** How long a statement is waited for before somebody looks whether it waits for a lock, in real milliseconds. */
const LOOK_MS = 10

let scheduler: Scheduler | undefined
let control: ControlClient | undefined
const sessions = new Set<SimulatedSession>()
/** Statements that wait for a lock: they answer by themselves. */
const blocked = new Set<{ session: SimulatedSession; since: number; done: boolean; answer: Promise<unknown> }>()

/** What the statements of Postgres's clock say is the simulation's time. */
const onVirtualTime = (text: string, now: number): string =>
  text.replaceAll(/\b(clock_timestamp|now)\(\)/g, `'${new Date(now).toISOString()}'::timestamptz`)

/** A session with the real Postgres, whose statements are steps of the simulation. */
export class SimulatedSession extends Session {
  holder: Process | undefined

  constructor(...args: ConstructorParameters<typeof Session>) {
    super(...args)
    sessions.add(this)
    this.once('end', () => sessions.delete(this))
    const query = this.query.bind(this) as (...of: unknown[]) => Promise<unknown>
    this.query = ((config: unknown, values?: unknown, ...rest: unknown[]) => {
      const process = current.getStore()
      if (!process || !scheduler) return query(config, values, ...rest)
      this.holder = process
      const own = scheduler
      const text = typeof config === 'string' ? config : (config as { text: string }).text
      const given = typeof config === 'string' ? values : (config as { values: unknown }).values
      const what = `SQL ${text.trim().replace(/\s+/g, ' ').slice(0, 60)}`
      const run = () => current.exit(() => query(onVirtualTime(text, own.now), given))
      const lost = () => {
        this.abandon(new Error('Connection terminated unexpectedly'))
        return new Error('Connection terminated unexpectedly')
      }
      return own.ask(what, run, { faults: FAULTS, error: lost })
    }) as Session['query']
  }

  // Opening it is real, and takes no virtual time.
  override connect = ((callback?: (error: Error) => void) => {
    const connect = (done: (error: Error) => void) => Session.prototype.connect.call(this, done)
    if (!callback) throw new Error('Only the pool connects')
    if (!scheduler) return connect(callback)
    void scheduler.while(
      () =>
        new Promise<void>((connected) =>
          connect((error) => {
            callback(error)
            connected()
          }),
        ),
    )
  }) as Session['connect']

  get pid(): number {
    return (this as unknown as { processID: number }).processID
  }
}

/** Whose statements these are from now on. */
export async function useSessions(of: Scheduler, url: string): Promise<void> {
  scheduler = of
  blocked.clear()
  if (!control) {
    control = new ControlClient({ connectionString: url })
    await control.connect()
  }
  of.onCrash = (process) => {
    for (const session of sessions) {
      if (session.holder === process) session.abandon(new Error('Its process was killed'))
    }
  }
  of.settleBlocked = settleBlocked
  of.orLater = async (answer, action: Action) => {
    const look = realDelay(LOOK_MS, 'look' as const)
    let first = await Promise.race([answer, look])
    while (first === 'look') {
      const session = [...sessions].find(({ holder }) => holder === action.process)
      const waits = await waitingForLock()
      const mine = [...sessions].find((each) => each.holder === action.process && waits.has(each.pid))
      if (session && mine) {
        const entry = { session: mine, since: of.now, done: false, answer }
        blocked.add(entry)
        void answer.then((outcome) => {
          entry.done = true
          blocked.delete(entry)
          if (!action.process.alive) return
          if ('error' in outcome) action.reject(outcome.error)
          else action.resolve(outcome.value)
        })
        return 'later'
      }
      first = await Promise.race([answer, realDelay(LOOK_MS, 'look' as const)])
    }
    return first
  }
}

async function waitingForLock(): Promise<ReadonlySet<number>> {
  const { rows } = await control!.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  return new Set(rows.map(({ pid }) => pid))
}

/** Lets those go on whose lock has become free; and those give up who have waited for longer than a statement may. */
async function settleBlocked(): Promise<void> {
  for (const entry of [...blocked]) {
    for (;;) {
      if (entry.done || !(await waitingForLock()).has(entry.session.pid)) break
      if (scheduler!.now - entry.since <= 3_400) break
      await control!.query('select pg_cancel_backend($1)', [entry.session.pid])
      await realDelay(1)
    }
    if (entry.done) continue
    if (!(await waitingForLock()).has(entry.session.pid)) await Promise.race([entry.answer, realDelay(200)])
  }
}

/** Ends what a run has left behind. */
export async function closeSessions(): Promise<void> {
  for (const session of [...sessions]) session.abandon(new Error('The run is over'))
  blocked.clear()
  await realDelay(0)
}

export async function closeControl(): Promise<void> {
  await control?.end()
  control = undefined
}
