import { checkCampaign, interruptCampaign } from './campaign.ts'
import { Random } from './random.ts'
import { Stage } from './stage.ts'
import { sayVerdict, tallyOf, writeReport } from './verdict.ts'
import { startWorld } from './world.ts'

/**
 * Sends a campaign while worker, API, Postgres, Temporal and the mail server are killed (-9) at chosen instants. Each recipient
 * gets one email, or is listed with an unknown outcome, and the signed delivery report adds up.
 * @returns whether that is so
 */
export async function runCampaign(
  options: { recipients: number; kills: number; seed: number; mutant: string | undefined; cluster: boolean },
  say: (line: string) => void,
): Promise<boolean> {
  const { recipients, kills, seed, mutant, cluster } = options
  say(`A campaign to ${recipients}, ${kills} kills, seed ${seed}${mutant ? `, mutant ${mutant}` : ''}`)
  const started = Date.now()
  const world = await startWorld(new Random(seed), { mutant, cluster, cuts: 0 }, say)
  let passed = false
  try {
    const stage = await Stage.set(world, new Random(seed), 'campaign')
    const campaign = await interruptCampaign(stage, { recipients, kills }, say)
    const verdict = await checkCampaign(world, campaign)
    const { serverErrors, repeats } = stage.client
    verdict.checks.push({ name: 'no response was a 500', examined: 1, failures: serverErrors })
    const { faults, suppressed, campaigns } = campaign
    const stats = campaigns[0]!.stats
    // A run with fewer kills than requested would prove too little.
    const wanted = `${faults.length} of ${kills} kills were made`
    verdict.checks.push({
      name: 'every kill was made',
      examined: kills,
      failures: faults.length < kills ? [wanted] : [],
    })
    passed = sayVerdict(verdict, say)
    const seconds = Math.round((Date.now() - started) / 1000)
    say('')
    say(
      `${passed ? 'Passed' : 'FAILED'} after ${seconds} s: ${verdict.accepted} messages accepted, ${verdict.unconfirmed} unconfirmed, ` +
        `${suppressed.size} suppressed. To repeat it: --campaign ${recipients} --kills ${kills} --seed ${seed}`,
    )
    const report = { campaign: recipients, kills, seed, mutant: mutant ?? null, passed, seconds, repeats, stats }
    writeReport({ ...report, faults: tallyOf(faults) }, { timeline: faults }, verdict, say)
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  const folder = await world.stop(!passed)
  if (!passed) say(`The logs of the processes and the record of the mail server are in ${folder}.`)
  return passed
}
