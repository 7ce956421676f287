import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { importRows } from '../support/imports.ts'
import { addressOf, aContact, aList } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import { useServiceAndSink } from '../support/service-and-sink.ts'
import type { Service } from '../support/service.ts'

describe('leaving a list during a bulk change', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started), { env: { PUBLIC_URL: 'https://mail.example.com' } })
  const em = () => service.context.orm.em.fork()
  const send = async (listId: string) => {
    const campaign = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds: [listId] } }
    const { id } = (await service.call('POST', 'campaigns', campaign)).body.data as { id: string }
    await service.call('POST', `campaigns/${id}/schedule`, {})
    await eventually(
      'the campaign is sent',
      async () => (await service.call('GET', `campaigns/${id}`)).body.data.status === 'SENT' || undefined,
    )
  }
  const rowsIn = async (table: string, list: string, contact: string) =>
    (await sql(em(), `select from ${table} where list_id = $1::uuid and contact_id = $2::uuid`, [list, contact])).length

  type Put = (list: string, ids: string[], addresses: string[]) => Promise<unknown>
  const ways: Record<string, Put> = {
    'through contacts/bulk': (listId, _ids, addresses) =>
      service.call('POST', 'contacts/bulk', { contacts: addresses.map((email) => ({ email, listId })) }),
    'by ID': (list, contactIds) => service.call('POST', `lists/${list}/contacts`, { contactIds }),
    'with resubscribe': (list, contactIds) =>
      service.call('POST', `lists/${list}/contacts`, { contactIds, resubscribe: true }),
    'from a file': async (listId, _ids, addresses) => {
      const text = `email\n${addresses.join('\n')}\n`
      const body = { name: 'x.csv', text, consent: 'SUBSCRIBED', listId, start: true }
      return importRows(service, (await service.call('POST', 'imports', body)).body.data.id as string)
    },
  }
  for (const [how, put] of Object.entries(ways)) {
    it(`takes effect even if a statement that adds contacts (${how}) reaches the contact later`, async () => {
      const list = await aList(service)
      await service.call('PATCH', `lists/${list}`, { public: true })
      // The statement writes them in this order.
      const first = await aContact(service, { email: `a-${list}@example.com` })
      const second = await aContact(service, { email: `z-${list}@example.com` })
      const addresses = [await addressOf(service, first), await addressOf(service, second)]
      const mailsToSecond = () => sink.mails.filter(({ to }) => to[0] === addresses[1])
      await service.call('POST', `lists/${list}/contacts`, { contactIds: [first, second] })
      await send(list)
      const header = readMail(mailsToSecond()[0]!).headers['list-unsubscribe']!
      const link = new URL(/^<([^<>]+)>$/.exec(header)![1]!).pathname
      const locked = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const holding = em().transactional(async (unit) => {
        await sql(unit, 'select from contacts where id = $1::uuid for update', [first])
        locked.resolve()
        await release.promise
      })
      await locked.promise
      const putting = put(list, [first, second], addresses)
      await eventually('the statement waits for the first contact', async () => {
        const waiting = await sql(
          em(),
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return waiting.length > 0 || undefined
      })
      const body = new URLSearchParams({ choice: 'lists' })
      const page = await fetch(`http://127.0.0.1:${service.port}${link}`, { method: 'POST', body })
      assert.equal(page.status, 200)
      release.resolve()
      await Promise.all([holding, putting])
      assert.equal(await rowsIn('list_members', list, second), 0)
      assert.equal(await rowsIn('list_opt_outs', list, second), 1)
      await send(list)
      assert.equal(mailsToSecond().length, 1)
    })
  }
})
