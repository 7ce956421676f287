import { setTimeout as delay } from 'node:timers/promises'
import { type ReceivedMail, startSmtpSink } from '../scripts/cluster/smtp-sink.ts'
import { aList } from '../test/support/factories.ts'
import { eventually } from '../test/support/eventually.ts'
import { limitingProvider } from '../test/support/limiting-provider.ts'
import { startWorkerProcess } from '../test/support/processes.ts'
import { sql } from '../src/platform/db/sql.ts'
import { scheduleCampaign } from './campaign.ts'
import type { Benchmark } from './compare.ts'
import { type Service, startService } from './service.ts'

const LIMITED = 'limited.example'
const OTHER = 'other.example'
const OTHERS = 3_000
const BACKLOG = 1_500
const PER_SECOND = 20
const CONNECTIONS = 4
/** A campaign to the limited provider alone: seconds until it is measured, and seconds of the measurement. */
const SETTLE_SECONDS = 300
const MEASURED_SECONDS = 60
const LONG_BACKLOG = PER_SECOND * (SETTLE_SECONDS + MEASURED_SECONDS) * 1.2
const PATIENCE_MS = 5 * 60_000

/**
 * The time from the first to the last email of a campaign to other providers, while one provider with as many emails again limits
 * its rate and its connections ÷ without that provider. Notes how much of the limit is used after five minutes.
 */
export const limitedProvider: Benchmark = {
  name: 'campaign/limited',
  title: `time of ${OTHERS.toLocaleString('en-US')} emails beside a provider that takes ${PER_SECOND} a second ÷ without it`,
  goal: { atMost: 1.1 },
  unit: 'ms',
  async prepare(note) {
    const provider = limitingProvider(LIMITED, PER_SECOND, CONNECTIONS)
    let accepted = 0
    let others: number[] = []
    const sink = await startSmtpSink(({ to: [to = ''] }: ReceivedMail) => {
      sink.mails.length = 0
      if (to.endsWith(LIMITED)) {
        provider.answered()
        accepted += 1
      } else others.push(performance.now())
    })
    sink.behave(provider.behavior)
    const service = await startService({ worker: false })
    const worker = startWorkerProcess(service, { SMTP_URL: sink.url, SMTP_CONNECTIONS: '10' })
    const [otherList, limitedList, longList] = [
      await aListAt(service, OTHER, OTHERS),
      await aListAt(service, LIMITED, BACKLOG),
      await aListAt(service, LIMITED, LONG_BACKLOG, 'long'),
    ]

    async function measure(...lists: string[]): Promise<number> {
      others = []
      const id = await scheduleCampaign(service, ...lists)
      await eventually('the others', () => (others.length === OTHERS ? true : undefined), PATIENCE_MS)
      // The remaining emails to the limited provider would take its turns in the next round.
      if (lists.length > 1) await service.call('POST', `campaigns/${id}/cancel`)
      return Math.max(...others) - Math.min(...others)
    }

    await measure(otherList)
    return {
      pair: async () => ({ ours: await measure(otherList, limitedList), bare: await measure(otherList) }),
      async close() {
        await scheduleCampaign(service, longList)
        await delay(SETTLE_SECONDS * 1_000)
        const before = { accepted, rejections: provider.rejections() }
        await delay(MEASURED_SECONDS * 1_000)
        const got = accepted - before.accepted
        const rejected = provider.rejections() - before.rejections
        note(
          `After five minutes, the provider accepted ${(got / MEASURED_SECONDS).toFixed(1)} of ${PER_SECOND} a second, ` +
            `and deferred ${((100 * rejected) / (got + rejected)).toFixed(1)} %.`,
        )
        await worker.kill()
        await service.stop()
        await sink.close()
      },
    }
  },
}

async function aListAt(service: Service, domain: string, count: number, name = 'reader'): Promise<string> {
  const listId = await aList(service)
  for (let from = 0; from < count; from += 1_000) {
    const contacts = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => ({
      email: `${name}-${from + n}@${domain}`,
    }))
    await service.call('POST', 'contacts/bulk', { contacts, triggers: false })
  }
  await sql(
    service.context.orm.em.fork(),
    `insert into list_members (list_id, contact_id)
     select $1::uuid, id from contacts where workspace_id = $2::uuid and email like $3 on conflict do nothing`,
    [listId, service.workspaceId, `${name}-%@${domain}`],
  )
  return listId
}
