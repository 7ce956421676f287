import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { limitingProvider } from '../support/limiting-provider.ts'
import { aCampaign, campaignIs } from '../support/campaigns.ts'
import { aContact, aList } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const SLOW = 40
const FAST = 20

describe('a mailbox provider that gets mail too fast', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  const mailsTo = (domain: string) => sink.mails.filter(({ to }) => to[0]!.endsWith(`@${domain}`))

  it('slows down the emails of a campaign to it, and no others, and each arrives once', async () => {
    const provider = limitingProvider('slow.example', 10)
    sink.behave(provider.behavior)
    const listId = await aList(service)
    const emails = [
      ...Array.from({ length: SLOW }, (_, n) => `reader-${n}@slow.example`),
      ...Array.from({ length: FAST }, (_, n) => `reader-${n}@fast.example`),
    ]
    const contactIds = await Promise.all(emails.map((email) => aContact(service, { email })))
    await service.call('POST', `lists/${listId}/contacts`, { contactIds })
    await campaignIs(service, await aCampaign(service, [listId]), 'SENT')
    const ours = sink.mails.map(({ to }) => to[0]!).filter((to) => to.startsWith('reader-'))
    assert.deepEqual(ours.toSorted(), emails.toSorted())
    const lastFast = Math.max(...mailsTo('fast.example').map(({ at }) => at.getTime()))
    const laterSlow = mailsTo('slow.example').filter(({ at }) => at.getTime() > lastFast)
    assert.ok(laterSlow.length > SLOW / 2, `${laterSlow.length} emails to the slow provider came after the others`)
    assert.ok(provider.rejections() < SLOW / 2, `${provider.rejections()} rejections`)
  })

  it('gets the emails of automations and the transactional ones more slowly, too', async () => {
    sink.behave(limitingProvider('slower.example', 5).behavior)
    sink.mails.length = 0
    const to = Array.from({ length: 15 }, (_, n) => `receipt-${n}@slower.example`)
    const emails = to.map((each) => ({ to: each, subject: 'Your receipt', text: 'Thank you' }))
    await service.call('POST', 'emails/batch', { emails })
    await service.call('POST', 'emails', { to: 'ada@fast.example', subject: 'Your receipt', text: 'Thank you' })
    await eventually('all have arrived', () => (sink.mails.length === to.length + 1 ? true : undefined))
    assert.deepEqual(sink.mails.map((mail) => mail.to[0]).toSorted(), ['ada@fast.example', ...to].toSorted())
  })
})
