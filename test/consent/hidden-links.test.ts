import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, aList, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const PUBLIC_URL = 'https://mail.example.com'
const TOKEN = /[\w-]{66}/

describe('signed links in emails', () => {
  let service: Service
  let sink: SmtpSink
  let reader: string
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    reader = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:read'] })
  })

  const linkTo = (address: string) => {
    const { headers } = sink.mails.find(({ to }) => to[0] === address)!
    const [, url] = /List-Unsubscribe: <([^>]+)>/.exec(headers.replace(/\r\n\s/g, ''))!
    return url!.replace(PUBLIC_URL, `http://127.0.0.1:${service.port}`)
  }
  /** Changes the address of a contact, unsubscribes it, and resubscribes with the link in the email to the former address. */
  const assertNotResubscribed = async (id: string, old: string) => {
    const email = `new-${id}@example.com`
    assert.equal((await service.call('PATCH', `contacts/${id}`, { email })).status, 200)
    assert.equal((await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })).status, 201)
    await fetch(linkTo(old), { method: 'POST', body: new URLSearchParams({ choice: 'everything' }) })
    assert.equal((await service.call('GET', `contacts/${id}`)).body.data.suppressedBy, 'UNSUBSCRIBED')
  }
  const sent = (id: string) =>
    eventually('the email is sent', async () => (await activityOf(service, id)).find(({ status }) => status === 'SENT'))

  it('hides signed links from a key that may only read, wherever they appear in a template', async () => {
    const list = await aList(service)
    const contents = {
      subject: 'Confirm: {{ confirmUrl }}',
      html: '<a href="{{ unsubscribeUrl }}">x</a>',
      text: '{{ confirmUrl | replace: "/confirm/", "/c/" }} {{ unsubscribeUrl }}',
    }
    const steps = [{ ...EMAIL, category: 'transactional', ...contents }]
    await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps })
    assert.equal((await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })).status, 200)
    const id = await aContact(service, { listId: list })
    await sent(id)
    for (const path of [`contacts/${id}/activity`, 'messages?status=SENT', `contacts/${id}/export`]) {
      const { status, body } = await service.call('GET', path, undefined, { key: reader })
      assert.equal(status, 200)
      assert.match(JSON.stringify(body), /Confirm: /)
      assert.doesNotMatch(JSON.stringify(body), TOKEN, path)
    }
    const mail = sink.mails.at(-1)!
    assert.match(mail.body.replaceAll('=\r\n', ''), TOKEN, 'the email contains the link')
  })

  it('hides signed links in the URLs of recorded clicks', async () => {
    const id = await aContact(service)
    await enroll(service, await anAutomation(service, { steps: [EMAIL] }), id)
    const { id: messageId } = (await sent(id)) as unknown as { id: string }
    const token = linkTo(await addressOf(service, id))
      .split('/')
      .at(-1)!
    await sql(
      service.context.orm.em.fork(),
      `insert into message_visits (message_id, kind, url, links, at, visitor) values ($1::uuid, 'CLICK', $2, 1, now(), 'PERSON')`,
      [messageId, `https://shop.example/?token=${token}`],
    )
    const { body } = await service.call('GET', `contacts/${id}/activity`, undefined, { key: reader })
    assert.deepEqual(
      (body.data[0].clicks as { url: string }[]).map(({ url }) => url),
      ['https://shop.example/?token=…'],
    )
  })

  it('resubscribes no contact through a link to a former address, even while a later email is deferred', async () => {
    const id = await aContact(service)
    const old = await addressOf(service, id)
    const automation = await anAutomation(service, { steps: [EMAIL, { ...EMAIL, subject: 'Second' }] })
    sink.behave({ code: 451, text: '4.3.2 later', at: 'rcpt', to: old })
    await enroll(service, automation, id)
    await eventually('the email is deferred', async () =>
      (await activityOf(service, id)).find(({ status }) => status === 'DEFERRED'),
    )
    sink.behave('accept')
    await sent(id)
    sink.behave({ code: 451, text: '4.3.2 later', at: 'rcpt' })
    await eventually('the second email is deferred or sent', async () =>
      (await activityOf(service, id)).length === 2 ? true : undefined,
    )
    await assertNotResubscribed(id, old)
  })

  it('resubscribes no contact through a link to a former address if the worker died without storing the recipient', async () => {
    const id = await aContact(service)
    const old = await addressOf(service, id)
    await enroll(service, await anAutomation(service, { steps: [EMAIL] }), id)
    await sent(id)
    await sql(
      service.context.orm.em.fork(),
      `update messages set status = 'SENDING', recipient = null, claim = gen_random_uuid(), lease_until = now()
       where contact_id = $1::uuid`,
      [id],
    )
    await assertNotResubscribed(id, old)
  })
})
