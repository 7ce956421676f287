import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { importRows } from '../support/imports.ts'
import { addressOf, aContact, aList } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

describe('leaving a list during a bulk change', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  const em = () => service.context.orm.em.fork()
  const send = async (listId: string) => campaignIs(service, await aCampaign(service, [listId]), 'SENT')
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
      const release = await lockWith(em(), 'select from contacts where id = $1::uuid for update', [first])
      const putting = put(list, [first, second], addresses)
      await lockWaits(em())
      const body = new URLSearchParams({ choice: 'lists' })
      const page = await fetch(`http://127.0.0.1:${service.port}${link}`, { method: 'POST', body })
      assert.equal(page.status, 200)
      await release()
      await putting
      assert.equal(await rowsIn('list_members', list, second), 0)
      assert.equal(await rowsIn('list_opt_outs', list, second), 1)
      await send(list)
      assert.equal(mailsToSecond().length, 1)
    })
  }
})
