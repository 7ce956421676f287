import { setTimeout as realDelay } from 'node:timers/promises'
import { Client as ControlClient } from 'pg'
import { Session } from '../../src/platform/db/session.ts'
import { current, FAULTS, type Action, type Answer, type Process, type Scheduler } from './scheduler.ts'

/** Real milliseconds to wait for a statement before checking whether it waits for a lock. */
const LOCK_CHECK_MS = 5

/** Lock timeout of production, in virtual milliseconds. */
const LOCK_PATIENCE_MS = 3_400

let scheduler: Scheduler | undefined
let control: ControlClient | undefined
const sessions = new Set<SimulatedSession>()
/** Statements that wait for a lock, in the order in which they began to wait. */
const blocked = new Set<Blocked>()
/** Sessions that were cut: they keep their locks until Postgres notices. */
const ending = new Set<number>()
/** Sessions are opened one after the other, so that their order is always the same. */
let opening: Promise<void> = Promise.resolve()

interface Blocked {
  session: SimulatedSession
  action: Action
  since: number
  answer: Promise<Answer>
  answered: Answer | undefined
}

/** The virtual time that Postgres was last set to. */
let lastSet: number | undefined

/** Sets Postgres's clock (`VIRTUAL_FUNCTIONS` in `ground.ts`) to virtual time. */
async function setClock(now: number): Promise<void> {
  if (lastSet === now) return
  lastSet = now
  await control!.query(`select setval('simulation.clock', $1::bigint)`, [now])
}

/** Records when a transaction began: `now()` returns that until its end. */
const withItsTime = (text: string, now: number): string =>
  /^\s*(begin|start transaction)\b/i.test(text) ? `${text}; set local simulation.began = '${now}'` : text

/** A session with the real Postgres, whose statements are steps of the simulation. */
export class SimulatedSession extends Session {
  holder: Process | undefined
  /** Whether the session is checked out of the pool. */
  isOut = false
  /** The last statement of those that were sent. Postgres runs them one after the other. */
  private last: Promise<unknown> | undefined

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
      // Kysely passes the values of a named statement inside the config.
      const given = typeof config === 'string' ? values : ((config as { values?: unknown }).values ?? values)
      // The ORM writes values into its statements, the real time among them.
      const what = `SQL ${text
        .trim()
        .replace(/\s+/g, ' ')
        .replaceAll(/'[^']*'/g, "'…'")
        .slice(0, 60)}`
      const run = () =>
        current.exit(async () => {
          await setClock(own.now)
          return query(withItsTime(text, own.now), given)
        })
      const lost = () => {
        this.abandon(new Error('Connection terminated unexpectedly'))
        return new Error('Connection terminated unexpectedly')
      }
      const ask = () => own.ask(what, run, { faults: FAULTS, error: lost, session: this })
      const answer = this.last ? this.last.then(ask) : ask()
      const last = answer
        .catch(() => undefined)
        .finally(() => {
          if (this.last === last) this.last = undefined
        })
      this.last = last
      return answer
    }) as Session['query']
  }

  // Opening it is real, and takes no virtual time.
  override connect = ((callback?: (error: Error) => void) => {
    const connect = (done: (error: Error) => void) => Session.prototype.connect.call(this, done)
    if (!callback) throw new Error('Only the pool may connect')
    if (!scheduler) return connect(callback)
    void scheduler.while(() => {
      opening = opening.then(
        () =>
          new Promise<void>((connected) =>
            connect((error) => {
              callback(error)
              connected()
            }),
          ),
      )
      return opening
    })
  }) as Session['connect']

  override set release(returnQuota: Session['release']) {
    this.isOut = true
    super.release = returnQuota
  }

  override get release(): Session['release'] {
    return (reason) => {
      this.isOut = false
      this.holder = undefined
      super.release(reason)
    }
  }

  override abandon(reason: Error): void {
    ending.add(this.pid)
    super.abandon(reason)
  }

  get pid(): number {
    return (this as unknown as { processID: number }).processID
  }
}

/** Sets Postgres's clock and identifiers to the start of a run. */
export async function resetClock(url: string, now: number): Promise<void> {
  if (!control) {
    control = new ControlClient({ connectionString: url })
    await control.connect()
  }
  lastSet = undefined
  await setClock(now)
  await control.query(`select setval('simulation.ids', 1)`)
}

/** Makes all sessions belong to this scheduler from now on. */
export function useSessions(of: Scheduler): void {
  scheduler = of
  blocked.clear()
  of.onCrash = (process) => {
    for (const session of sessions) {
      if (session.holder === process) session.abandon(new Error('Its process was killed'))
    }
  }
  of.settleBlocked = settleBlocked
  of.orLater = async (answer, action: Action) => {
    for (;;) {
      const first = await Promise.race([answer, realDelay(LOCK_CHECK_MS, 'look' as const)])
      if (first !== 'look') {
        await endCut()
        return first
      }
      const session = action.session as SimulatedSession | undefined
      if (!session || !(await waitingForLock()).has(session.pid)) continue
      const entry: Blocked = { session, action, since: of.now, answer, answered: undefined }
      blocked.add(entry)
      void answer.then((answered) => (entry.answered = answered))
      return 'later'
    }
  }
}

async function waitingForLock(): Promise<ReadonlySet<number>> {
  const { rows } = await control!.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  return new Set(rows.map(({ pid }) => pid))
}

/** Waits until Postgres has noticed the lost connections and has rolled back their transactions. */
async function endCut(): Promise<void> {
  while (ending.size > 0) {
    const { rows } = await control!.query<{ pid: number }>(
      'select pid, pg_terminate_backend(pid) from pg_stat_activity where pid = any($1)',
      [[...ending]],
    )
    const left = new Set(rows.map(({ pid }) => pid))
    for (const pid of ending) if (!left.has(pid)) ending.delete(pid)
  }
}

/** Continues a statement whose lock became free, or fails one that has waited longer than its lock timeout. */
async function settleBlocked(): Promise<boolean> {
  await endCut()
  for (const entry of blocked) {
    while (!entry.answered) {
      if ((await waitingForLock()).has(entry.session.pid)) {
        if (scheduler!.now - entry.since <= LOCK_PATIENCE_MS) break
        await control!.query('select pg_cancel_backend($1)', [entry.session.pid])
      }
      await Promise.race([entry.answer, realDelay(LOCK_CHECK_MS)])
    }
    if (!entry.answered) continue
    blocked.delete(entry)
    const { action, answered } = entry
    if (!action.process.alive) continue
    scheduler!.tell(action, answered)
    return true
  }
  return false
}

export const countSessions = (): number => sessions.size

/** Closes the sessions that a run has left open. */
export async function closeSessions(): Promise<void> {
  for (const session of [...sessions]) if (session.isOut) session.abandon(new Error('The run is over'))
  blocked.clear()
  if (control) await endCut()
}

export async function closeControl(): Promise<void> {
  await control?.end()
  control = undefined
}
