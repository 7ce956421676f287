import { Aiming, DEED_NAMES, type PointReport } from './aim.ts'
import { injectFaults } from './chaos.ts'
import { drive } from './load.ts'
import { Random } from './random.ts'
import { checkPromise, waitForQuiet } from './check-promise.ts'
import { sayVerdict, tallyOf, writeReport } from './verdict.ts'
import { startWorld } from './world.ts'

export interface LoadOptions {
  enrollments: number
  kills: number
  seed: number
  mutant: string | undefined
  cluster: boolean
}

/** Enrollments from which on a run has time for every point: one that was not hit makes it red. */
const FULL_SIZE = 1_000

/**
 * The promise under load: contacts come in by every way there is; meanwhile parts are killed, frozen, stopped and cut off, at
 * random instants and at every named point. Then what the SMTP server took is held against what was acknowledged.
 * @returns whether the promise was kept.
 */
export async function runLoad(options: LoadOptions, say: (line: string) => void): Promise<boolean> {
  const { enrollments, kills, seed, mutant, cluster } = options
  /** Long enough that a first email and the deletion of its automation both fall into it, and some starts a second. */
  const windowMs = Math.max(60_000, enrollments * 60, kills * 3_000)
  /** The wait, Temporal's own retries, and time to spare: what has not come by then does not come. */
  // An email that was tried often is put off for five minutes, and there is a wait behind it.
  const quietMs = 500_000 + enrollments * 60

  say(
    `Faults: ${enrollments} enrollments, ${kills} kills, seed ${seed}` +
      `${mutant ? `, mutant ${mutant}` : ''}${cluster ? ', on a cluster' : ''}`,
  )
  const started = Date.now()
  const world = await startWorld(new Random(seed), { mutant, cluster }, say)
  let failed: boolean
  try {
    say(`The parts are up; ${Math.round(windowMs / 1000)} s of load and faults, or more until each point was hit`)
    let isEnough = false
    const aiming = new Aiming(world, new Random(seed + 3), windowMs)
    const [acknowledged, random] = await Promise.all([
      drive(world, new Random(seed + 1), { enrollments, windowMs, isEnough: () => isEnough }),
      injectFaults(world, new Random(seed + 2), { kills, windowMs }),
      aiming.run().finally(() => (isEnough = true)),
    ])
    const faults = [...random, ...aiming.faults].toSorted((a, b) => a.from - b.from)
    world.setMail({ cuts: 0 })
    say(`${acknowledged.entered.length} acknowledged, ${acknowledged.repeats} requests repeated; waiting for quiet`)
    const quiet = await waitForQuiet(world, acknowledged, quietMs)
    const verdict = await checkPromise(world, acknowledged, faults)

    const isKept = sayVerdict(verdict, say)
    const points = aiming.report()
    const missed = sayPoints(points, say)
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
    if (!quiet) say('It did not become quiet: something that was acknowledged is still pending.')
    say(
      `${failed ? 'FAILED' : 'Passed'} after ${report.seconds} s: ${verdict.accepted} messages taken, ` +
        `${verdict.unconfirmed} unconfirmed. The same again: --enrollments ${enrollments} --kills ${kills} --seed ${seed}`,
    )
    writeReport(report, { points, timeline: faults }, verdict, say)
  } catch (error) {
    failed = true
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  const folder = await world.stop(failed)
  if (failed)
    say(
      `What the parts said, and what the mail server wrote down, is in ${folder}. docs/testing.md explains how to read it.`,
    )
  return !failed
}

/** Says how often each point was passed, and which faults met it. @returns the points that none did. */
function sayPoints(points: readonly PointReport[], say: (line: string) => void): string[] {
  const missed = points.filter(({ deeds }) => Object.keys(deeds).length === 0).map(({ point }) => point)
  say('')
  say('Points: how often each was passed, and what was done to whoever stood there')
  for (const { point, passed, deeds } of points) {
    const what = Object.entries(deeds).map(([deed, times]) => (times > 1 ? `${deed} × ${times}` : deed))
    say(`  ${point}: ${passed}; ${what.join(', ') || 'nothing'}`)
  }
  const pairs = points.reduce((sum, { deeds }) => sum + Object.keys(deeds).length, 0)
  say(`${pairs} of ${points.length * DEED_NAMES.length} pairs of a point and a fault`)
  if (missed.length > 0) say(`Points not hit: ${missed.join(', ')}`)
  return missed
}
