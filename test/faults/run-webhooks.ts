import { startWebhookServer } from '../support/webhook-server.ts'
import { Random } from './random.ts'
import { Stage } from './stage.ts'
import { sayVerdict, tallyOf, writeReport } from './verdict.ts'
import { checkWebhooks, interruptWebhooks, waitUntilDelivered } from './webhooks.ts'
import { startWorld } from './world.ts'

/**
 * Makes facts through the API while worker, API and Postgres are killed (-9) at chosen instants. Each fact has one event, which
 * every webhook of its type gets at least once, in the order of the contact's facts.
 * @returns whether that is so
 */
export async function runWebhooks(
  options: { facts: number; kills: number; seed: number; mutant: string | undefined; cluster: boolean },
  say: (line: string) => void,
): Promise<boolean> {
  const { facts, kills, seed, mutant, cluster } = options
  say(`Webhooks for ${facts} facts, ${kills} kills, seed ${seed}${mutant ? `, mutant ${mutant}` : ''}`)
  const started = Date.now()
  const world = await startWorld(new Random(seed), { mutant, cluster, cuts: 0 }, say)
  const server = await startWebhookServer()
  let passed = false
  try {
    const stage = await Stage.set(world, new Random(seed), 'webhooks')
    const delivered = await interruptWebhooks(stage, server, { facts, kills }, say)
    const isQuiet = await waitUntilDelivered(world)
    const verdict = await checkWebhooks(stage, delivered)
    const { serverErrors, repeats } = stage.client
    const { faults } = delivered
    verdict.checks.push(
      { name: 'everything ended', examined: 1, failures: isQuiet ? [] : ['something is pending'] },
      { name: 'no response was a 500', examined: 1, failures: serverErrors },
      {
        name: 'every kill was made',
        examined: kills,
        failures: faults.length < kills ? [`${faults.length} of ${kills} kills were made`] : [],
      },
    )
    passed = sayVerdict(verdict, say)
    const seconds = Math.round((Date.now() - started) / 1000)
    const { counts } = verdict
    say('')
    say(
      `${passed ? 'Passed' : 'FAILED'} after ${seconds} s: ${counts['facts']} facts, ${counts['requests']} requests, ` +
        `${counts['repeated']} of them repeated. To repeat it: --webhooks ${facts} --kills ${kills} --seed ${seed}`,
    )
    const report = { webhooks: facts, kills, seed, mutant: mutant ?? null, passed, seconds, repeats }
    writeReport({ ...report, ...counts, faults: tallyOf(faults) }, { timeline: faults }, verdict, say)
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  await server.stop()
  const folder = await world.stop(!passed)
  if (!passed) say(`The logs of the processes are in ${folder}.`)
  return passed
}
