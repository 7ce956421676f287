import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { receiveFeedback } from '../../src/bounces/feedback.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { foldCounters } from '../../src/counters/index.ts'
import { recordVisit } from '../../src/tracking/record-visit.ts'
import { aCampaign } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'
import { assertCountersMatch } from '../support/stats.ts'

interface Row {
  id: string
  contact_id: string
  message_id: string | null
  status: string
}

describe('the results of emails', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  after(() => assertCountersMatch(service.context.orm.em, service.workspaceId))

  const em = () => service.context.orm.em.fork()
  const report = async (path: string) => {
    await eventually('no change is left', async () => (await foldCounters(em(), 1_000)) === 0 || undefined)
    // eslint-disable-next-line @typescript-eslint/no-unsafe-return -- the tests look into reports of all shapes
    return (await service.call('GET', path)).body.data
  }
  const become = (subject: string, status: string, count = 1) =>
    eventually(`${count} are ${status}`, async () => {
      const rows = await sql<Row>(
        em(),
        `select id, contact_id, message_id, status from messages
         where (campaign_id = $1::uuid or automation_id = $1::uuid) and status = $2 order by id`,
        [subject, status],
      )
      return rows.length === count ? rows : undefined
    })
  const later = { code: 451, text: '4.3.0 Try again later', at: 'rcpt' } as const

  it('are of the last email that was sent, not of one that was dismissed before', async () => {
    const listId = await aList(service)
    const email = `last-${service.workspaceId.slice(-8)}@sent.example`
    await aContact(service, { email, listId })
    const sent = await aCampaign(service, [listId])
    await become(sent, 'SENT')
    sink.behave(later)
    const dismissed = await aCampaign(service, [listId])
    await become(dismissed, 'DEFERRED')
    assert.equal((await service.call('POST', `campaigns/${dismissed}/cancel`)).status, 200)
    await become(dismissed, 'DISMISSED')
    sink.behave('accept')
    const unnamed = { recipient: email, messageId: null, returnPath: null }
    const failure = { category: 'MAILBOX_NOT_FOUND', status: '5.1.1', diagnostic: 'x', providerVerdict: null } as const
    const feedback = { ...unnamed, ...failure, kind: 'HARD' as const, id: 'postmark-1' }
    const secret = await readLinkSecret(em())
    await receiveFeedback(service.context.dependencies, secret, service.workspaceId, 'postmark', [feedback])
    assert.partialDeepStrictEqual((await report(`campaigns/${sent}/report`)).results, { sent: 1, bounced: 1 })
    assert.partialDeepStrictEqual((await report(`campaigns/${dismissed}/report`)).results, { sent: 0, bounced: 0 })
    const domain = await report('reports/domains?domain=sent.example')
    assert.partialDeepStrictEqual(domain.total, { sent: 1, bounced: 1 })
  })

  it('name the email that the contact got before they unsubscribed', async () => {
    const id = await anAutomation(service, { steps: [EMAIL, { ...EMAIL, subject: 'Second' }] })
    const contactId = await aContact(service)
    let mails = 0
    sink.behave(() => ((mails += 1) === 1 ? undefined : later))
    await enroll(service, id, contactId)
    const [[first]] = (await Promise.all([become(id, 'SENT'), become(id, 'DEFERRED')])) as [[Row], Row[]]
    assert.equal((await service.call('DELETE', `automations/${id}/enrollments/${contactId}`)).status, 200)
    sink.behave('accept')
    const [enrollment] = await sql<{ id: string }>(em(), 'select id from enrollments where automation_id = $1::uuid', [
      id,
    ])
    const token = signLink(await readLinkSecret(em()), 'unsubscribe', { contactId, originId: enrollment!.id })
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    const url = `http://127.0.0.1:${service.port}/unsubscribe/${token}`
    assert.equal((await fetch(url, { method: 'POST', body })).status, 200)
    const [unsubscribed] = await sql<Row>(
      em(),
      'select id from messages where automation_id = $1::uuid and unsubscribed_at is not null',
      [id],
    )
    assert.equal(unsubscribed!.id, first.id)
    const { total, steps } = await report(`automations/${id}/report`)
    assert.deepEqual([total.unsubscribed, steps[0].unsubscribed], [1, 1])
  })

  it('keep the open of a machine if a person opens the email later', async () => {
    const listId = await aList(service)
    await aContact(service, { listId })
    const id = await aCampaign(service, [listId])
    const [message] = (await become(id, 'SENT')) as [Row]
    await sql(em(), `update messages set sent_at = sent_at - interval '1 minute' where id = $1::uuid`, [message.id])
    const messageIdBegins = message.message_id!.slice(1, 20)
    const visit = { contactId: message.contact_id, messageIdBegins, kind: 'OPEN' as const, url: '', links: 1 }
    await recordVisit(em(), { ...visit, isMachine: true })
    await recordVisit(em(), { ...visit, isMachine: false })
    const results = async () =>
      (await report(`campaigns/${id}/report`)).results as { opened: number; machineOpened: number }
    assert.equal((await results()).machineOpened, 1)
    await sql(em(), `update message_visits set at = at - interval '1 minute' where message_id = $1::uuid`, [message.id])
    await eventually('the person counts', async () => (await results()).opened === 1 || undefined)
    assert.equal((await results()).machineOpened, 1)
  })

  it('list a step whose emails were all rejected', async () => {
    sink.behave({ code: 550, text: '5.1.1 User unknown', at: 'rcpt' })
    const id = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, id, await aContact(service))
    await eventually('it is rejected', async () => {
      const { steps } = await report(`automations/${id}/report`)
      return steps[0]?.bounced === 1 || undefined
    })
    sink.behave('accept')
  })

  it('count a domain once, however it is spelled', async () => {
    const listId = await aList(service)
    for (const email of ['a@BÜCHER.example', 'b@bücher.example', 'c@xn--bcher-kva.example'])
      await aContact(service, { email, listId })
    await become(await aCampaign(service, [listId]), 'SENT', 3)
    const { domains } = await report('reports/domains?domain=Bücher.example')
    assert.partialDeepStrictEqual(domains, [{ domain: 'xn--bcher-kva.example', sent: 3 }])
  })
})
