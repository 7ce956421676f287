import { Aiming, DEED_NAMES, type PointReport } from './aim.ts'
import { injectFaults } from './chaos.ts'
import { drive } from './load.ts'
import { Random } from './random.ts'
import { checkPromise, waitForQuiet } from './check-promise.ts'
import { sayVerdict, tallyOf, writeReport } from './verdict.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { startWorld } from './world.ts'

export interface LoadOptions {
  enrollments: number
  kills: number
  seed: number
  mutant: string | undefined
  cluster: boolean
}

/** Number of enrollments from which a run has time for every point: it fails if one was not hit. */
const FULL_SIZE = 1_000

/**
 * Tests the guarantees under load: contacts enter in every way there is, while processes are killed, frozen, stopped and cut off,
 * at random instants and at every named point. Then it compares what the SMTP server accepted with what was acknowledged.
 * @returns whether the guarantees hold
 */
export async function runLoad(options: LoadOptions, say: (line: string) => void): Promise<boolean> {
  const { enrollments, kills, seed, mutant, cluster } = options
  /** Long enough for a first email and the deletion of its automation, and for some enrollments a second. */
  const windowMs = Math.max(60_000, enrollments * 60, kills * 3_000)
  /** The wait, Temporal's own retries, and a reserve: what has not arrived by then never will. */
  // An email is deferred for five minutes after several attempts, and a wait follows it.
  const quietMs = 500_000 + enrollments * 60

  say(
    `Faults: ${enrollments} enrollments, ${kills} kills, seed ${seed}` +
      `${mutant ? `, mutant ${mutant}` : ''}${cluster ? ', on a cluster' : ''}`,
  )
  const started = Date.now()
  const world = await startWorld(new Random(seed), { mutant, cluster }, say)
  const webhooks = await startWebhookServer()
  webhooks.receiver.answer = () => ({ ok: true })
  let failed: boolean
  try {
    say(`All processes are up; ${Math.round(windowMs / 1000)} s of load and faults, or more until each point was hit`)
    let isEnough = false
    const aiming = new Aiming(world, new Random(seed + 3), windowMs)
    const [acknowledged, random] = await Promise.all([
      drive(world, new Random(seed + 1), {
        ...{ enrollments, windowMs, webhookUrl: webhooks.url },
        isEnough: () => isEnough,
      }),
      injectFaults(world, new Random(seed + 2), { kills, windowMs }),
      aiming.run().finally(() => (isEnough = true)),
    ])
    const faults = [...random, ...aiming.faults].toSorted((a, b) => a.from - b.from)
    world.setMail({ cuts: 0 })
    say(
      `${acknowledged.entered.length} acknowledged, ${acknowledged.repeats} requests repeated; waiting for pending work`,
    )
    const quiet = await waitForQuiet(world, acknowledged, quietMs)
    const verdict = await checkPromise(world, acknowledged, faults, webhooks.requests)

    const isKept = sayVerdict(verdict, say)
    const points = aiming.report()
    const missed = printPoints(points, say)
    failed = !quiet || !isKept || (enrollments >= FULL_SIZE && missed.length > 0)
    const report = {
      seed,
      enrollments,
      kills,
      mutant: mutant ?? null,
      cluster,
      passed: !failed,
      quiet,
      seconds: Math.round((Date.now() - started) / 1000),
      acknowledged: acknowledged.entered.length,
      repeats: acknowledged.repeats,
      accepted: verdict.accepted,
      unconfirmed: verdict.unconfirmed,
      faults: tallyOf(faults),
      pointsNotHit: missed,
    }
    say('')
    if (!quiet) say('Timed out: something that was acknowledged is still pending.')
    say(
      `${failed ? 'FAILED' : 'Passed'} after ${report.seconds} s: ${verdict.accepted} messages accepted, ` +
        `${verdict.unconfirmed} unconfirmed. To repeat it: --enrollments ${enrollments} --kills ${kills} --seed ${seed}`,
    )
    writeReport(report, { points, timeline: faults }, verdict, say)
  } catch (error) {
    failed = true
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  await webhooks.stop()
  const folder = await world.stop(failed)
  if (failed)
    say(
      `The logs of the processes and the record of the mail server are in ${folder}. docs/testing.md explains how to read them.`,
    )
  return !failed
}

/** Prints how often each point was passed, and which faults hit it. @returns the points that were not hit */
function printPoints(points: readonly PointReport[], say: (line: string) => void): string[] {
  const missed = points.filter(({ deeds }) => Object.keys(deeds).length === 0).map(({ point }) => point)
  say('')
  say('Points: how often each was passed, and the faults that were injected there')
  for (const { point, passed, deeds } of points) {
    const what = Object.entries(deeds).map(([deed, times]) => (times > 1 ? `${deed} × ${times}` : deed))
    say(`  ${point}: ${passed}; ${what.join(', ') || 'nothing'}`)
  }
  const pairs = points.reduce((sum, { deeds }) => sum + Object.keys(deeds).length, 0)
  say(`${pairs} of ${points.length * DEED_NAMES.length} pairs of a point and a fault`)
  if (missed.length > 0) say(`Points not hit: ${missed.join(', ')}`)
  return missed
}
