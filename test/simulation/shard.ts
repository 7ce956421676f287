/** A process of the simulation: it tries its share of the schedules, one after the other, and reports each. */
import { planned, progress, seeded, type Decisions, type Deviation } from './scheduler.ts'
import { STANDSTILL_MS, type Report, type Task } from './shards.ts'
import { Ground } from './world.ts'
import { runWorld } from './worlds.ts'

process.once('message', (task: Task) => void work(task).then(() => process.exit(0)))

async function work({ url, worlds, ...task }: Task): Promise<void> {
  const ground = new Ground(url)
  await ground.prepare()
  for (const world of worlds) if (!(await holds(ground, world, task))) return
}

const report = (message: Report): Promise<unknown> => new Promise((sent) => process.send!(message, sent))

/** Tries the schedules of one world until the first failure. @returns whether all kept the guarantees */
async function holds(
  ground: Ground,
  world: string,
  { seeds, shard, of }: Omit<Task, 'url' | 'worlds'>,
): Promise<boolean> {
  // A warm-up run: modules that are loaded or compiled at first use would affect only one run.
  await run(planned([]).decisions)
  for (const { how, decisions } of seeds ? bySeeds(seeds) : await withOneDeviation()) {
    const outcome = await run(decisions)
    if (outcome.violations.length > 0) {
      const found = { how: `--world ${world} ${how}`, violations: outcome.violations, trace: [...outcome.trace] }
      await report({ kind: 'red', world, found })
      return false
    }
    await report({ kind: 'green', world })
  }
  await report({ kind: 'done', world })
  return true

  function* bySeeds({ from, to }: NonNullable<Task['seeds']>) {
    for (let seed = from; seed <= to; seed += 1) {
      if (seed % of === shard) yield { how: `--seed ${seed}`, decisions: seeded(seed) }
    }
  }

  /** Tries every other order and every fault at every point of the plain run. */
  async function withOneDeviation() {
    const plain = planned([])
    await run(plain.decisions)
    const deviations: Deviation[] = plain.met.flatMap(({ at, count, faults }) => [
      ...Array.from({ length: count - 1 }, (_, n) => ({ at, next: n + 1 })),
      ...faults.map((fault) => ({ at, fault })),
    ])
    return [[], ...deviations.map((deviation) => [deviation])]
      .filter((_, n) => n % of === shard)
      .map((all) => ({ how: `--exhaust (${JSON.stringify(all)})`, decisions: planned(all).decisions }))
  }

  async function run(decisions: Decisions) {
    let steps = -1
    const standstill = setInterval(() => {
      if (progress.steps !== steps) {
        steps = progress.steps
        return
      }
      process.stderr.write(`A run of ${world} is stuck\n`)
      process.exit(3)
    }, STANDSTILL_MS)
    try {
      return await runWorld(ground, world, decisions)
    } finally {
      clearInterval(standstill)
    }
  }
}
