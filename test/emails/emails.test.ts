import assert from 'node:assert/strict'
import PostalMime from 'postal-mime'
import type { ReceivedMail, SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { deleteUnusedContents } from '../../src/emails/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { setSender } from '../../src/senders/settings.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf } from '../support/factories.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

const MEGABYTE = 1024 * 1024
let addresses = 0
const anAddress = () => `reader-${(addresses += 1)}@example.com`
interface Email {
  id: string
  status: string
  messageId: string
  error: string | null
  events: { type: string }[]
}

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64')
const inDays = (days: number) => new Date(Date.now() + days * 24 * 60 * 60_000).toISOString()

describe('transactional emails', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  before(() => setSender(em(), service.workspaceId, { fromAddress: 'hello@orchard.example' }))

  const em = () => service.context.orm.em.fork()
  const send = (fields: object, headers: Record<string, string> = {}) =>
    service.call('POST', 'emails', { subject: 'Receipt', text: 'Thank you', ...fields }, { headers })
  const read = async (id: string) => (await service.call('GET', `emails/${id}`)).body.data as Email
  const inStatus = (id: string, status: string) =>
    eventually(`the email is ${status}`, async () => {
      const email = await read(id)
      return email.status === status ? email : undefined
    })
  const mailTo = (address: string): Promise<ReceivedMail> =>
    eventually('the email arrives', () => sink.mails.find(({ to }) => to[0] === address))

  it('sends the content as it is to an address without a contact', async () => {
    const to = anAddress()
    const { status, body } = await send({ to, subject: 'Use {{ name }}', html: '<p>{% if x %}</p>', text: '{{ x' })
    assert.equal(status, 202)
    const { id, contactId } = body.data
    assert.deepEqual([body.data.status, contactId, body.data.scheduledAt], ['QUEUED', null, null])
    const mail = readMail(await mailTo(to))
    assert.equal(mail.headers['subject'], 'Use {{ name }}')
    assert.equal(mail.headers['list-unsubscribe'], undefined)
    assert.match(mail.body, /<p>\{% if x %\}<\/p>/)
    const sent = await inStatus(id, 'SENT')
    assert.equal(sent.messageId, mail.headers['message-id'])
    // The content is stored once, and is part of the message.
    const { html, text } = (await service.call('GET', `messages/${id}`)).body.data as { html: string; text: string }
    assert.deepEqual([html, text], ['<p>{% if x %}</p>', '{{ x'])
    const stored = await sql(em(), 'select from messages where id = $1::uuid and html is null and text is null', [id])
    assert.equal(stored.length, 1)
    assert.deepEqual(
      sent.events.map(({ type }) => type),
      ['accepted', 'sent'],
    )
    assert.equal((await service.call('GET', `contacts/email:${to}`)).status, 404)
    const ofAddress = (email: string) => service.call('GET', `messages?contactId=email:${email}`)
    const [listed, ...others] = (await ofAddress(to.toUpperCase())).body.data
    assert.deepEqual([listed.id, listed.to, listed.contactId, listed.status, others.length], [id, to, null, 'SENT', 0])
    assert.equal((await ofAddress(anAddress())).refused, '404 contact_not_found')
    const { data: message } = (await service.call('GET', `messages/${id}`)).body
    assert.deepEqual({ ...listed, clicks: [], html: '<p>{% if x %}</p>', text: '{{ x' }, message)
    const key = await service.newKey()
    assert.equal((await service.call('GET', `messages/${id}`, undefined, { key })).refused, '404 message_not_found')
  })

  it('sends attachments, headers, a sender and an address for replies', async () => {
    const to = anAddress()
    const pdf = Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 256))
    const { status } = await send({
      to,
      from: 'Orchard Receipts <receipts@orchard.example>',
      replyTo: 'support@orchard.example',
      headers: { 'X-Order-ID': '4711', References: '<a@orchard.example>' },
      html: '<img src="cid:logo">',
      attachments: [
        { filename: 'Reçu – été.pdf', content: base64(pdf), contentType: 'application/pdf' },
        { filename: 'logo.png', content: base64('png'), contentType: 'image/png', contentId: 'logo' },
      ],
    })
    assert.equal(status, 202)
    const received = await mailTo(to)
    const mail = await PostalMime.parse(`${received.headers}\r\n\r\n${received.body}`)
    assert.deepEqual(mail.from, { name: 'Orchard Receipts', address: 'receipts@orchard.example' })
    assert.equal(mail.replyTo?.[0]?.address, 'support@orchard.example')
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    assert.deepEqual([header('x-order-id'), header('references')], ['4711', '<a@orchard.example>'])
    const files = mail.attachments.map(({ filename, mimeType, contentId, content }) => ({
      filename,
      mimeType,
      contentId,
      content: Buffer.from(content as ArrayBuffer),
    }))
    assert.deepEqual(
      files.find(({ filename }) => filename?.endsWith('.pdf')),
      { filename: 'Reçu – été.pdf', mimeType: 'application/pdf', contentId: undefined, content: pdf },
    )
    assert.equal(files.find(({ filename }) => filename === 'logo.png')?.contentId, '<logo>')
  })

  it('renders a template with data, in the language of the contact', async () => {
    const template = await service.call('POST', 'templates', {
      name: 'Receipt',
      subject: 'Total: {{ data.total }}',
      text: 'Hello {{ contact.firstName }}',
      translations: [{ locale: 'de', subject: 'Hallo: {{ data.total }}', text: 'Hallo {{ contact.firstName }}' }],
    })
    assert.equal(template.status, 201, JSON.stringify(template.body))
    assert.equal(template.headers.get('x-warning'), null)
    const contactId = await aContact(service, { firstName: 'Ada', metadata: { locale: 'de-CH' } })
    const to = await addressOf(service, contactId)
    const fields = { to, templateId: template.body.data.id, data: { total: '49.00' } }
    const { status, body } = await service.call('POST', 'emails', fields)
    assert.deepEqual([status, body.data.contactId, body.data.templateVersion], [202, contactId, 1])
    const mail = readMail(await mailTo(to))
    assert.equal(mail.headers['subject'], 'Hallo: 49.00')
    assert.match(mail.body, /Hallo Ada/)
    await inStatus(body.data.id, 'SENT')
    const [message] = await activityOf(service, contactId)
    assert.deepEqual([message!.status, message!.subject], ['SENT', 'Hallo: 49.00'])
  })

  it('sends one email for a repeated request', async () => {
    const to = anAddress()
    const key = { 'idempotency-key': `receipt-${to}` }
    const answers = await Promise.all([send({ to }, key), send({ to }, key), send({ to }, key)])
    const accepted = answers.filter(({ status }) => status === 202)
    const again = await send({ to }, key)
    assert.equal(new Set([...accepted, again].map(({ body }) => (body as { data: Email }).data.id)).size, 1)
    await inStatus(again.body.data.id, 'SENT')
    assert.equal(sink.mails.filter((mail) => mail.to[0] === to).length, 1)
  })

  it('is stopped by a bounce or complaint, and not by an unsubscribe', async () => {
    const [bounced, unsubscribed] = [anAddress(), anAddress()]
    await service.call('POST', 'suppressions', { email: bounced, reason: 'MANUAL' })
    await aContact(service, { email: unsubscribed })
    const optOut = await service.call('POST', 'suppressions', { email: unsubscribed, reason: 'UNSUBSCRIBED' })
    assert.equal(optOut.status, 201)
    const [stopped, sent] = [await send({ to: bounced }), await send({ to: unsubscribed })]
    const email = await inStatus(stopped.body.data.id, 'SUPPRESSED')
    assert.equal(email.error, 'The address was suppressed manually')
    await inStatus(sent.body.data.id, 'SENT')
    assert.ok(!sink.mails.some(({ to }) => to[0] === bounced))
  })

  it('waits for its time, and can be cancelled until then', async () => {
    const to = anAddress()
    const { body } = await send({ to, scheduledAt: inDays(30) })
    const { id } = body.data
    const cancelled = await service.call('POST', `emails/${id}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'CANCELLED'])
    assert.equal((await service.call('POST', `emails/${id}/cancel`)).status, 200)
    // A time that comes changes nothing.
    await sql(em(), 'update messages set due_at = now() where id = $1::uuid', [id])
    const next = await send({ to: anAddress() })
    await inStatus(next.body.data.id, 'SENT')
    assert.equal((await read(id)).status, 'CANCELLED')
    assert.ok(!sink.mails.some((mail) => mail.to[0] === to))
  })

  it('cannot be cancelled after it was sent', async () => {
    const { body } = await send({ to: anAddress() })
    await inStatus(body.data.id, 'SENT')
    const late = await service.call('POST', `emails/${body.data.id}/cancel`)
    assert.equal(late.refused, '409 email_not_cancellable')
    assert.match(late.body.error, /^The email is SENT\./)
  })

  it('sends the valid emails of a batch, and reports the others', async () => {
    const [first, second] = [anAddress(), anAddress()]
    const { status, body } = await service.call('POST', 'emails/batch', {
      emails: [
        { to: first, subject: 'One', text: '1' },
        { to: 'a@example.com, b@example.com', subject: 'Two', text: '2' },
        { to: second, subject: 'Three', text: '3' },
        { to: second, templateId: '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e' },
      ],
    })
    assert.equal(status, 202)
    assert.deepEqual([body.data.accepted, body.data.failed], [2, 2])
    assert.deepEqual(
      (body.data.emails as { index: number }[]).map(({ index }) => index),
      [0, 2],
    )
    assert.deepEqual(body.data.errors, [
      {
        index: 1,
        error:
          'to must be exactly one email address, such as ada@example.com. For several recipients, send one email to each (POST /emails/batch)',
      },
      { index: 3, error: 'Template not found' },
    ])
    assert.equal(readMail(await mailTo(first)).headers['subject'], 'One')
    assert.equal(readMail(await mailTo(second)).headers['subject'], 'Three')
  })

  it('is found by its tag', async () => {
    const sent = [await send({ to: anAddress(), tags: ['a', 'b'] }), await send({ to: anAddress(), tags: ['b'] })]
    const [first, second] = sent.map(({ body }) => (body as { data: Email }).data.id)
    const listed = async (query: string) => {
      const { body } = await service.call('GET', `emails?${query}`)
      return { ids: (body.data as Email[]).map(({ id }) => id), next: body.pagination.nextCursor as string | null }
    }
    assert.deepEqual(await listed('tag=a'), { ids: [first], next: null })
    assert.deepEqual((await listed('tag=b')).ids, [second, first])
    const page = await listed('tag=b&limit=1')
    assert.deepEqual(page.ids, [second])
    assert.deepEqual(await listed(`tag=b&limit=1&cursor=${page.next}`), { ids: [first], next: null })
  })

  it('belongs to its workspace', async () => {
    const { body } = await send({ to: anAddress(), scheduledAt: inDays(1) })
    const key = await service.newKey()
    for (const [method, path] of [
      ['GET', `emails/${body.data.id}`],
      ['POST', `emails/${body.data.id}/cancel`],
    ] as const)
      assert.equal((await service.call(method, path, undefined, { key })).refused, '404 email_not_found')
    const template = await service.call('POST', 'templates', { name: 'Ours', subject: 'S', text: 'T' })
    const fields = { to: anAddress(), templateId: template.body.data.id }
    assert.equal((await service.call('POST', 'emails', fields, { key })).refused, '404 template_not_found')
  })

  it('is erased with its contact, also if it was sent before the contact existed', async () => {
    const to = anAddress()
    const before = await send({ to })
    await inStatus(before.body.data.id, 'SENT')
    const contactId = await aContact(service, { email: to })
    const after = await send({ to, scheduledAt: inDays(1) })
    assert.equal(after.body.data.contactId, contactId)
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    const ids = [before.body.data.id, after.body.data.id]
    for (const id of ids) assert.equal((await service.call('GET', `emails/${id}`)).status, 404)
    assert.deepEqual(await sql(em(), 'select id from messages where id = any($1::uuid[])', [ids]), [])
    assert.deepEqual(await sql(em(), 'select id from emails where recipient = $1', [to]), [])
  })

  it('does not return an erased address to a repeated request', async () => {
    const to = anAddress()
    const key = { 'idempotency-key': newId() }
    assert.equal((await send({ to }, key)).status, 202)
    const contactId = await aContact(service, { email: to })
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    const again = await send({ to }, key)
    assert.ok(!JSON.stringify(again.body).includes(to), JSON.stringify(again.body))
    assert.ok(again.status >= 400)
  })

  it('keeps the content of an attachment while an email needs it', async () => {
    const file = { filename: 'terms.txt', content: base64('the terms of 2026') }
    const waiting = await send({ to: anAddress(), scheduledAt: inDays(2), attachments: [file] })
    const sent = await send({ to: anAddress(), attachments: [file, { filename: 'b.txt', content: base64('other') }] })
    await inStatus(sent.body.data.id, 'SENT')
    const ours = [['the terms of 2026', 'other'].map((text) => Buffer.from(text))]
    const contents = async () => {
      const stored = `select convert_from(content, 'UTF8') as text from attachment_contents
        where content = any($1::bytea[]) order by 1`
      return (await sql<{ text: string }>(em(), stored, ours)).map(({ text }) => text)
    }
    const deleteOld = async () => {
      const age = `update attachment_contents set used_at = now() - interval '2 days' where content = any($1::bytea[])`
      await sql(em(), age, ours)
      await deleteUnusedContents(em(), 100)
    }
    assert.deepEqual(await contents(), ['other', 'the terms of 2026'])
    await deleteOld()
    assert.deepEqual(await contents(), ['the terms of 2026'])
    for (const status of ['DEFERRED', 'UNCONFIRMED', 'QUEUED']) {
      await sql(em(), 'update messages set status = $2 where id = $1::uuid', [waiting.body.data.id, status])
      await deleteOld()
      assert.deepEqual(await contents(), ['the terms of 2026'], status)
    }
    assert.equal((await service.call('POST', `emails/${waiting.body.data.id}/cancel`)).status, 200)
    await deleteOld()
    assert.deepEqual(await contents(), [])
  })

  const to = 'ada@example.com'
  const file = (fields: object) => ({ to, attachments: [{ filename: 'a.txt', content: 'SGk=', ...fields }] })
  const INVALID: Record<string, [object, RegExp]> = {
    'two addresses': [{ to: 'a@example.com, b@example.com' }, /^to must be exactly one email address/],
    'a list of addresses': [{ to: ['a@example.com'] }, /^to must be/],
    'no recipient': [{}, /^to is required/],
    'a line break in the subject': [
      { to, subject: 'a\r\nBcc: b@example.com' },
      /^subject must not contain line breaks/,
    ],
    'a line break in a header': [{ to, headers: { 'X-A': 'a\r\nBcc: b@example.com' } }, /^headers has a value of X-A/],
    'a header that adds recipients': [
      { to, headers: { Bcc: 'b@example.com' } },
      /^headers must not have the header Bcc/,
    ],
    'a header name with a line break': [{ to, headers: { 'X-A\r\nBcc': 'b' } }, /^headers must not have the header/],
    'a path': [file({ filename: '../../etc/passwd' }), /filename must be a name without a path/],
    'a Windows path': [file({ filename: 'C:\\a.txt' }), /filename must be a name without a path/],
    'a reversed extension': [
      file({ filename: 'invoice\u202efdp.exe' }),
      /must not contain bidirectional control characters/,
    ],
    'no attachment': [{ to, attachments: [null] }, /^attachments\[0\]/],
    'wrong base64': [file({ content: 'not base64!' }), /content must be base64/],
    'base64 without padding': [file({ content: 'SGk' }), /content must be base64/],
    '11 MB': [
      file({ content: base64(Buffer.alloc(11 * MEGABYTE)) }),
      /^attachments must not be larger than 10 MB in all/,
    ],
    'the past': [{ to, scheduledAt: inDays(-1) }, /^scheduledAt must be in the future/],
    'ten years from now': [
      { to, scheduledAt: inDays(3_650) },
      /^scheduledAt must be in the future, and within 365 days/,
    ],
    'a sender of another domain': [{ to, from: 'a@elsewhere.example' }, /^from must be an address at orchard.example/],
    'a version without a template': [{ to, templateVersion: 1 }, /^templateVersion needs a templateId/],
    'an open quotation mark': [{ to, from: 'a"b <hello@orchard.example>' }, /^from must be an address/],
    'data without a template': [{ to, data: { a: 1 } }, /^data needs a templateId/],
  }
  it('is rejected if it is invalid', () =>
    checkRows(INVALID, async ([fields, message]) => {
      const { status, body } = await send(fields)
      assert.equal(status, 400, JSON.stringify(body).slice(0, 300))
      assert.match(body.error, message)
    }))
})
