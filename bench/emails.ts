import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { startSmtpSink } from '../scripts/cluster/smtp-sink.ts'
import { eventually } from '../test/support/eventually.ts'
import { startApiProcess, startWorkerProcess } from '../test/support/processes.ts'
import { aListOf, scheduleCampaign } from './campaign.ts'
import { percentile, type Benchmark } from './compare.ts'
import { post, rateOf } from './load.ts'
import { startService } from './service.ts'

const CALLS = 1_000
const CONCURRENCY = 20
const CONTENT = { subject: 'Your receipt', text: 'Thank you for your order.' }

/** Emails accepted over HTTP with key and limit ÷ a bare Koa endpoint that inserts the same two rows. */
export const emailRequests: Benchmark = {
  name: 'emails',
  title: 'POST /emails requests/s ÷ requests/s of a bare Koa endpoint that inserts the same two rows, 20 at a time',
  goal: { atLeast: 0.5 },
  unit: 'requests/s',
  async prepare() {
    // No worker runs: only the acceptance is measured.
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const bare = new Worker(new URL('bare/emails-thread.ts', import.meta.url), {
      workerData: service.context.config.DATABASE_URL,
    })
    const [port] = (await once(bare, 'message')) as [number]
    const emails = Array.from({ length: CALLS }, (_, n) => ({ to: `reader-${n}@example.com`, ...CONTENT }))
    return {
      ours: () => rateOf(emails, CONCURRENCY, (email) => post(api.baseUrl, service.key, 'emails', email)),
      bare: () => rateOf(emails, CONCURRENCY, (email) => post(`http://127.0.0.1:${port}`, service.key, '', email)),
      async close() {
        await bare.terminate()
        await api.kill()
        await service.stop()
      },
    }
  },
}

const RECIPIENTS = 20_000
const TURNS = 60
const PAUSE_MS = 100
const QUIET_ROUNDS = 5
const PATIENCE_MS = 60_000

/** The time from the response to the mail server, beside a campaign of the same workspace ÷ on a quiet system. */
export const emailDelay: Benchmark = {
  name: 'emails/delay',
  title: 'p95 of the time from the 202 to the mail server beside a campaign of the same workspace ÷ without',
  goal: { atMost: 2 },
  unit: 'ms',
  async prepare(note) {
    const arrived = new Map<string, number>()
    const sink = await startSmtpSink((mail) => {
      arrived.set(mail.to[0] ?? '', performance.now())
      sink.mails.length = 0
    })
    const service = await startService({ worker: false })
    const api = await startApiProcess(service)
    const worker = startWorkerProcess(service, { SMTP_URL: sink.url })
    let batches = 0

    async function measure(): Promise<number> {
      const prefix = `receipt-${(batches += 1)}`
      const acceptedAt = new Map<string, number>()
      for (let n = 0; n < TURNS; n += 1) {
        const to = `${prefix}-${n}@example.com`
        await post(api.baseUrl, service.key, 'emails', { to, ...CONTENT })
        acceptedAt.set(to, performance.now())
        await delay(PAUSE_MS)
      }
      const came = [...acceptedAt.keys()]
      await eventually('the emails', () => (came.every((to) => arrived.has(to)) ? true : undefined), PATIENCE_MS)
      return percentile(
        // The mail server may have it before the client has read the response.
        came.map((to) => Math.max(0, arrived.get(to)! - acceptedAt.get(to)!)),
        0.95,
      )
    }

    await measure()
    const quiet: number[] = []
    for (let round = 0; round < QUIET_ROUNDS; round += 1) quiet.push(await measure())
    const campaignId = await scheduleCampaign(service, await aListOf(service, RECIPIENTS))
    await eventually('the campaign sends', () => (arrived.has('reader-0@example.com') ? true : undefined), PATIENCE_MS)
    return {
      async pair(round) {
        const ours = await measure()
        const { status, stats } = (await service.call('GET', `campaigns/${campaignId}`)).body.data
        if (status !== 'SENDING') note(`The campaign ended in round ${round + 1}.`)
        else if (round === 0) note(`The campaign had sent ${stats.sent} emails after the first round.`)
        return { ours, bare: quiet[round] ?? NaN }
      },
      async close() {
        await worker.kill()
        await api.kill()
        await service.stop()
        await sink.close()
      },
    }
  },
}
