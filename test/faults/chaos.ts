import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from './random.ts'
import { TOXICS, type Toxic } from './toxiproxy.ts'
import { KINDS, type Kind, type World } from './world.ts'

/** A fault, and when it began and ended, in milliseconds since 1970. */
export interface Fault {
  what: 'kill' | 'stop' | 'freeze' | 'toxic' | 'slow' | 'read-only' | 'sessions' | 'away' | 'aimed'
  target: Kind | 'postgres' | 'temporal' | 'smtp'
  how: string
  from: number
  to: number
}

const PROXIES = ['postgres', 'temporal', 'smtp'] as const

/** Kills, freezes and disturbs processes at random instants of a period, as the seed decides. @returns the faults */
export async function injectFaults(
  world: World,
  random: Random,
  { kills, windowMs }: { kills: number; windowMs: number },
): Promise<Fault[]> {
  const faults: Fault[] = []
  const during = async (fault: Omit<Fault, 'from' | 'to'>, run: () => Promise<void>) => {
    const from = Date.now()
    await run()
    faults.push({ ...fault, from, to: Date.now() })
  }
  const at = (part: number) => delay(part * windowMs)

  const plan: Promise<void>[] = []
  for (let n = 0; n < kills; n += 1) {
    // Each kind of process in turn, so that a small run affects all of them.
    const kind = KINDS[n % KINDS.length]!
    plan.push(
      at(random.between(0.05, 0.98)).then(() =>
        during({ what: 'kill', target: kind, how: 'SIGKILL' }, () => {
          world.kill(kind)
          return Promise.resolve()
        }),
      ),
    )
  }
  const poisonings = Math.max(4, Math.round(kills / 2))
  for (let n = 0; n < poisonings; n += 1) {
    const proxy = PROXIES[n % PROXIES.length]!
    const toxic = random.pick(Object.keys(TOXICS) as Toxic[])
    const milliseconds = random.between(500, 4_000)
    plan.push(
      at(random.between(0.05, 0.95)).then(() =>
        during({ what: 'toxic', target: proxy, how: toxic }, async () => {
          // Two faults of a kind at once count as one.
          await world.proxies.add(proxy, toxic).catch(() => undefined)
          await delay(milliseconds)
          await world.proxies.remove(proxy, toxic)
        }),
      ),
    )
  }
  for (let n = 0; n < Math.max(2, Math.round(kills / 6)); n += 1) {
    const kind = n % 2 === 0 ? 'worker' : 'api'
    const milliseconds = random.between(500, 3_000)
    plan.push(
      at(random.between(0.05, 0.95)).then(() =>
        during({ what: 'freeze', target: kind, how: 'SIGSTOP' }, () => world.freeze(world.pidOf(kind), milliseconds)),
      ),
    )
  }
  // Deploys: stops one process after the other gracefully; its supervisor starts it again.
  const deploy = async () => {
    for (const part of ['api-1', 'worker-1', 'api-2', 'worker-2'] as const) {
      const target = part.split('-')[0] as 'api' | 'worker'
      await during({ what: 'stop', target, how: `SIGTERM to ${part}` }, () => {
        world.signal(part, 'SIGTERM')
        return delay(random.between(500, 4_000))
      })
    }
  }
  for (let n = 0; n < Math.max(2, Math.round(kills / 15)); n += 1) plan.push(at(random.between(0.05, 0.9)).then(deploy))
  // Each of the other services is unavailable for a while, one after the other.
  const outageMs = Math.min(30_000, windowMs / 6)
  PROXIES.forEach((target, n) => {
    plan.push(
      at(0.1 + n * 0.3).then(() =>
        during({ what: 'away', target, how: `${Math.round(outageMs / 1000)} s` }, () => world.away(target, outageMs)),
      ),
    )
  })
  // A slow mail server with a deploy during it, a fail-over, and sessions that end.
  plan.push(
    at(random.between(0.3, 0.5)).then(() =>
      during({ what: 'slow', target: 'smtp', how: '6 s per message' }, () => world.slowMail(15_000)),
    ),
    at(0.55).then(() =>
      during({ what: 'stop', target: 'worker', how: 'SIGTERM to all' }, () => {
        world.signal('worker', 'SIGTERM')
        return Promise.resolve()
      }),
    ),
    at(random.between(0.1, 0.9)).then(() =>
      during({ what: 'read-only', target: 'postgres', how: '25006' }, () => world.readOnly(5_000)),
    ),
  )
  for (let n = 0; n < 5; n += 1) {
    plan.push(
      at(random.between(0.05, 0.95)).then(() =>
        during({ what: 'sessions', target: 'postgres', how: 'pg_terminate_backend' }, () => world.endSessions()),
      ),
    )
  }
  await Promise.all(plan)
  return faults.toSorted((a, b) => a.from - b.from)
}
