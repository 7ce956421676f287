import assert from 'node:assert/strict'
import { hashesOfErased } from '../../src/consent/erased-queries.ts'
import { suppressHashes } from '../../src/contacts/suppression-queries.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { setSender } from '../../src/senders/settings.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { newId } from '../../src/platform/ids.ts'
import { readMail } from '../support/read-mail.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { eventually } from '../support/eventually.ts'
import {
  aContact,
  activityOf,
  addressOf,
  aList,
  anAutomation,
  anEvent,
  EMAIL,
  enroll,
  wait,
  sentTo,
} from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace, useServiceAndSink } from '../support/shared-service.ts'

const PUBLIC_URL = 'https://mail.example.com'
const RECEIPT = { type: 'EMAIL', category: 'transactional', subject: 'Your receipt', text: 'Thank you.' }

describe('unsubscribe links', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))

  const em = () => service.context.orm.em.fork()
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to[0] === address)
  const firstTo = (address: string) => eventually(`an email to ${address}`, () => mailsTo(address)[0])
  /** Translates a link with the public URL into the current URL of the service. */
  const localUrl = (url: string) => {
    assert.ok(url.startsWith(`${PUBLIC_URL}/unsubscribe/`), url)
    return `http://127.0.0.1:${service.port}${new URL(url).pathname}`
  }
  async function linkIn(address: string): Promise<string> {
    const { headers } = readMail(await firstTo(address))
    return localUrl(/^<([^<>]+)>$/.exec(headers['list-unsubscribe'] ?? '')![1]!)
  }
  /** Sends an email to a new contact. */
  async function mailed(steps: object[] = [EMAIL], rules: object = {}) {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps, ...rules })
    await enroll(service, automationId, contactId)
    const address = await addressOf(service, contactId)
    return { contactId, automationId, address, link: await linkIn(address) }
  }
  /** Signs an unsubscribe link of a contact that no email contains. */
  const linkOf = async (contactId: string) => {
    const token = signLink(await readLinkSecret(em()), 'unsubscribe', { contactId, originId: newId() })
    return `http://127.0.0.1:${service.port}/unsubscribe/${token}`
  }
  const post = (url: string, body: string | FormData | URLSearchParams | Blob, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body, headers })
  const oneClick = (url: string) => post(url, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }))
  const enrollmentOf = async (automationId: string, contactId: string) => {
    const [row] = await sql<{ status: string }>(
      em(),
      'select status from enrollments where automation_id = $1 and contact_id = $2 order by id desc limit 1',
      [automationId, contactId],
    )
    return row?.status
  }
  const suppressedBy = async (contactId: string) =>
    (await service.call('GET', `contacts/${contactId}`)).body.data.suppressedBy as string | null

  it('names the sender on the page: of the settings, or the workspace', async () => {
    const url = await linkOf(await aContact(service))
    const pageOf = async () => (await fetch(url)).text()
    await sql(em(), `update workspaces set name = 'Pears & Co' where id = $1::uuid`, [service.workspaceId])
    assert.ok((await pageOf()).includes('<span>Pears &amp; Co</span>'))
    await setSender(em(), service.workspaceId, { fromName: 'The Orchard' })
    assert.ok((await pageOf()).includes('<span>The Orchard</span>'))
    await oneClick(url)
    const after = await pageOf()
    assert.ok(after.includes('You have been unsubscribed') && after.includes('<span>The Orchard</span>'))
    await setSender(em(), service.workspaceId, {})
  })

  it('puts the unsubscribe link into two headers and each body, in the recipient’s language', async () => {
    const contactId = await aContact(service, { metadata: { locale: 'de-CH' } })
    const html = '<html><body><p>Hello</p></body></html>'
    const automationId = await anAutomation(service, { steps: [{ ...EMAIL, html }] })
    await enroll(service, automationId, contactId)
    const mail = await firstTo(await addressOf(service, contactId))
    const { headers } = readMail(mail)
    assert.match(headers['list-unsubscribe']!, /^<https:\/\/mail\.example\.com\/unsubscribe\/[\w-]{66}>$/)
    assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
    const [message] = await sentTo(service, contactId)
    const { html: sentHtml, text } = message as unknown as { html: string; text: string }
    assert.match(sentHtml, /<a href="https:\/\/mail\.example\.com\/unsubscribe\/…"[^>]*>Abmelden<\/a><\/div><\/body>/)
    assert.match(text, /\n-- \nAbmelden: https:\/\/mail\.example\.com\/unsubscribe\/…\n$/)
  })

  it('puts the unsubscribe link only where the template does, and into no receipt', async () => {
    const contactId = await aContact(service)
    const steps = [{ ...EMAIL, text: 'Enough? {{ unsubscribeUrl }}' }, RECEIPT]
    await enroll(service, await anAutomation(service, { steps }), contactId)
    const address = await addressOf(service, contactId)
    const mails = await eventually('both emails arrive', () =>
      mailsTo(address).length === 2 ? mailsTo(address) : undefined,
    )
    const [marketing, receipt] = mails.map(readMail)
    assert.equal(marketing!.body.match(/\/unsubscribe\//g)?.length, 1)
    assert.ok(!receipt!.body.includes('/unsubscribe/'))
    assert.equal(receipt!.headers['list-unsubscribe'], undefined)
  })

  it('unsubscribes from any address, and resubscribes only from the current one', async () => {
    const { contactId, link: old } = await mailed()
    const address = `moved-${contactId}@example.com`
    await service.call('PATCH', `contacts/${contactId}`, { email: address })
    await enroll(service, await anAutomation(service, { steps: [EMAIL] }), contactId)
    const present = await linkIn(address)
    const wants = (link: string, choice: string) => post(link, new URLSearchParams({ choice }))
    assert.equal((await oneClick(old)).status, 200)
    assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
    // The current owner of the former mailbox must not resubscribe the contact.
    assert.equal((await wants(old, 'everything')).status, 200)
    assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
    await wants(present, 'everything')
    assert.equal(await suppressedBy(contactId), null)
  })

  it('unsubscribes with one click, however it is sent', async () => {
    const multipart = new FormData()
    multipart.append('List-Unsubscribe', 'One-Click')
    const part = 'Content-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click'
    const type = 'multipart/form-data; boundary=cut'
    for (const [how, body] of Object.entries({
      'as a form': new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      'as multipart': multipart,
      'in lower case with a line break': new Blob(['list-unsubscribe=one-click\r\n'], {
        type: 'application/x-www-form-urlencoded',
      }),
      'after a preamble': new Blob([`Hello\r\n--cut\r\n${part}\r\n--cut--\r\n`], { type }),
    })) {
      const contactId = await aContact(service)
      assert.equal((await post(await linkOf(contactId), body)).status, 200, how)
      assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED', how)
    }
  })

  it('skips marketing emails and nothing else, in enrollments from before and after it', async () => {
    const project = { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 }
    const welcome = { ...EMAIL, subject: 'Welcome' }
    const steps = [
      ...[welcome, project, { type: 'UPDATE_CONTACT', addTags: ['customer'] }],
      ...[{ ...EMAIL, subject: 'Tips' }, RECEIPT],
    ]
    const { contactId, automationId, address, link } = await mailed(steps)
    const completes = () =>
      eventually(
        'the enrollment is completed',
        async () => (await enrollmentOf(automationId, contactId)) === 'COMPLETED' || undefined,
      )
    const outcomes = async () =>
      (await activityOf(service, contactId)).map(({ subject, status, error }) => [subject, status, error]).toSorted()
    await oneClick(link)
    assert.equal(await enrollmentOf(automationId, contactId), 'ACTIVE')
    await anEvent(service, contactId, 'project.created')
    await completes()
    assert.deepEqual((await service.call('GET', `contacts/${contactId}`)).body.data.tags, ['customer'])
    const error = 'The contact has unsubscribed'
    const first = [
      [null, 'SUPPRESSED', error],
      ['Welcome', 'SENT', null],
      ['Your receipt', 'SENT', null],
    ]
    assert.deepEqual(await outcomes(), first)
    await service.call('DELETE', `contacts/${contactId}/tags/customer`)
    await enroll(service, automationId, contactId)
    await eventually('it waits', async () => (await outcomes()).length === 4 || undefined)
    await anEvent(service, contactId, 'project.created')
    await eventually('it goes to the end', async () => (await outcomes()).length === 6 || undefined)
    await completes()
    assert.deepEqual((await service.call('GET', `contacts/${contactId}`)).body.data.tags, ['customer'])
    assert.deepEqual(
      await outcomes(),
      [...first, [null, 'SUPPRESSED', error], [null, 'SUPPRESSED', error], ['Your receipt', 'SENT', null]].toSorted(),
    )
    assert.equal(mailsTo(address).length, 3)
  })

  it('ends the enrollments that have the exit rule', async () => {
    const rule = { event: 'unsubscribed' }
    const { contactId, automationId, link } = await mailed([EMAIL, wait(60), RECEIPT], { exitOn: [rule] })
    await oneClick(link)
    assert.equal(await enrollmentOf(automationId, contactId), 'EXITED')
    const workflow = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    assert.equal(((await workflow.result()) as { status: string }).status, 'EXITED')
    const { data } = (await service.call('GET', `contacts/${contactId}/decisions`)).body
    assert.equal(data[0].sentence, 'Exited by an exit rule: the contact opted out.')
    const wrong = await service.call('PATCH', `automations/${automationId}`, { exitOn: [{ event: 'opened' }] })
    assert.equal(wrong.body.error, 'exitOn[0].event must be one of: unsubscribed')
    assert.equal(
      (await service.call('PATCH', `automations/${automationId}`, { goal: rule })).refused,
      '400 invalid_request',
    )
  })

  it('does nothing for GET, HEAD, or a POST without List-Unsubscribe=One-Click', async () => {
    const { contactId, link } = await mailed()
    for (const method of ['GET', 'HEAD']) assert.equal((await fetch(link, { method })).status, 200)
    for (const body of ['', 'List-Unsubscribe=Two-Clicks', 'choice=all', '{"List-Unsubscribe":"One-Click"}']) {
      const answer = await post(link, body, { 'content-type': 'application/x-www-form-urlencoded' })
      // Mail programs treat a 200 as success.
      assert.equal(answer.status, 400)
    }
    assert.equal(await suppressedBy(contactId), null)
  })

  it('unsubscribes the address of an erased contact, including for a contact created again', async () => {
    const email = 'made-anew@example.com'
    const steps = [EMAIL, wait(60), EMAIL]
    const automationId = await anAutomation(service, { steps, exitOn: [{ event: 'unsubscribed' }] })
    const first = await aContact(service, { email })
    await enroll(service, automationId, first)
    const link = await linkIn(email)
    assert.equal((await service.call('DELETE', `contacts/${first}`)).status, 200)
    const recreated = await aContact(service, { email: 'Made-Anew@example.com' })
    await enroll(service, automationId, recreated)
    await eventually('the new contact gets an email', () => mailsTo('Made-Anew@example.com')[0])
    assert.match(await (await fetch(link)).text(), /Unsubscribe from everything/)
    assert.equal(await suppressedBy(recreated), null)
    const form = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
    for (const time of ['once', 'and once more']) {
      const answer = await post(link, form)
      assert.equal(answer.status, 200)
      assert.match(await answer.text(), /You have been unsubscribed/, time)
      assert.equal(await suppressedBy(recreated), 'UNSUBSCRIBED')
    }
    assert.equal(await enrollmentOf(automationId, recreated), 'EXITED')
    // The contact was erased and not created again before the click.
    const { contactId: gone, address, link: other } = await mailed()
    await service.call('DELETE', `contacts/${gone}`)
    assert.match(await (await post(other, form)).text(), /You have been unsubscribed/)
    assert.equal(await suppressedBy(await aContact(service, { email: address })), 'UNSUBSCRIBED')
  })

  it('unsubscribes all addresses at which an erased contact was mailed, and resumes after a failure', async () => {
    const [first, second, third] = ['moved-a@example.com', 'moved-b@example.com', 'moved-c@example.com']
    const contactId = await aContact(service, { email: first })
    await enroll(service, await anAutomation(service), contactId)
    const link = await linkIn(first)
    await service.call('PATCH', `contacts/${contactId}`, { email: second })
    await enroll(service, await anAutomation(service), contactId)
    await linkIn(second)
    // This address gets no email.
    await service.call('PATCH', `contacts/${contactId}`, { email: third })
    await eventually('all messages are final', async () =>
      (await activityOf(service, contactId)).every(({ status }) => status === 'SENT') ? true : undefined,
    )
    await service.call('DELETE', `contacts/${contactId}`)
    const never = await aContact(service, { email: third })
    const [atFirst, atSecond] = [await aContact(service, { email: first }), await aContact(service, { email: second })]
    const steps = [wait(60), EMAIL]
    const automationId = await anAutomation(service, { steps, exitOn: [{ event: 'unsubscribed' }] })
    await enroll(service, automationId, atFirst)
    // The state after a first attempt that failed halfway.
    const erased = (await hashesOfErased(em(), contactId))!
    await suppressHashes(em(), erased.workspaceId, erased.hashes, 'UNSUBSCRIBED')
    assert.equal(await enrollmentOf(automationId, atFirst), 'ACTIVE')
    assert.equal((await oneClick(link)).status, 200)
    assert.deepEqual([await suppressedBy(atFirst), await suppressedBy(atSecond)], ['UNSUBSCRIBED', 'UNSUBSCRIBED'])
    assert.equal(await suppressedBy(never), null)
    assert.equal(await enrollmentOf(automationId, atFirst), 'EXITED')
  })

  it('also unsubscribes the contact who now has the address that the link went to', async () => {
    const [first, second] = ['was-a@example.com', 'is-b@example.com']
    const contactId = await aContact(service, { email: first })
    await enroll(service, await anAutomation(service), contactId)
    const link = await linkIn(first)
    await service.call('PATCH', `contacts/${contactId}`, { email: second })
    const recreated = await aContact(service, { email: first })
    await oneClick(link)
    assert.deepEqual([await suppressedBy(contactId), await suppressedBy(recreated)], ['UNSUBSCRIBED', 'UNSUBSCRIBED'])
  })

  it('returns 410 for a link to an unknown contact', async () => {
    assert.equal((await oneClick(await linkOf(newId()))).status, 410)
  })

  it('returns 404 for forged and truncated tokens', async () => {
    const { contactId, link } = await mailed()
    for (const wrong of [link.slice(0, -1), `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`, `${link}A`]) {
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? { body: 'List-Unsubscribe=One-Click' } : {}
        const answer = await fetch(wrong, { method, ...body })
        assert.equal(answer.status, 404)
        assert.match(await answer.text(), /This link is incomplete/)
      }
    }
    assert.equal(await suppressedBy(contactId), null)
  })

  describe('the unsubscribe page', () => {
    const pageOf = async (link: string, language = 'en') => {
      const answer = await fetch(link, { headers: { 'accept-language': language } })
      return { answer, html: await answer.text() }
    }

    it('shows public lists of the contact in the reader’s language, and no address', async () => {
      const [seen, hidden, other] = [await aList(service), await aList(service), await aList(service)]
      await service.call('PATCH', `lists/${seen}`, { name: 'News & <b>offers</b>', public: true })
      await service.call('PATCH', `lists/${hidden}`, { name: 'Churn risk' })
      await service.call('PATCH', `lists/${other}`, { name: 'Not hers', public: true })
      const contactId = await aContact(service)
      for (const list of [seen, hidden]) await service.call('POST', `lists/${list}/contacts`, { contactId })
      await enroll(service, await anAutomation(service), contactId)
      const address = await addressOf(service, contactId)
      const link = await linkIn(address)
      const { answer, html } = await pageOf(link, 'fr-FR,fr;q=0.9')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
      assert.match(html, /<html lang="fr" dir="ltr">/)
      assert.match(html, /Se désabonner de tous les e\u2011mails/)
      assert.match(html, /News &amp; &lt;b&gt;offers&lt;\/b&gt;/)
      assert.ok(!html.includes('Churn risk') && !html.includes('Not hers') && !html.includes(address))
    })

    it('has the brand of the workspace, the description of a list, and the direction of the language', async () => {
      const own = await openWorkspace()
      const brand = { brandColor: '#2F6B45', logoPath: '/m/3f2c.png' }
      await setSender(em(), own.workspaceId, { fromName: 'Orchard', postalAddress: '1 Main Street', ...brand })
      const list = await aList(own)
      const words = { name: 'News', description: 'Once a month & no more', public: true }
      await own.call('PATCH', `lists/${list}`, words)
      const contactId = await aContact(own, { metadata: { locale: 'ar-EG' } })
      await own.call('POST', `lists/${list}/contacts`, { contactId })
      await enroll(own, await anAutomation(own), contactId)
      const { answer, html } = await pageOf(await linkIn(await addressOf(own, contactId)), 'en')
      assert.match(html, /<html lang="ar" dir="rtl">/)
      assert.match(html, /--brand: #2F6B45;[^]*<img src="\/m\/3f2c\.png" alt=""><span>Orchard<\/span>/)
      assert.match(html, /News<small>Once a month &amp; no more<\/small>[^]*<footer>1 Main Street<\/footer>/)
      assert.match(answer.headers.get('content-security-policy')!, /default-src 'none';.* img-src 'self'/)
      assert.ok(!html.includes('<script') && html.length < 30_000)
    })

    it('leaves a list, ends the enrollments that it started by their exit rule, and joins it again', async () => {
      const list = await aList(service)
      await service.call('PATCH', `lists/${list}`, { public: true })
      const rules = { steps: [EMAIL, wait(60), EMAIL], exitOn: [{ event: 'unsubscribed' }] }
      const byList = await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId: list }, ...rules })
      const another = await anAutomation(service, rules)
      const contactId = await aContact(service)
      await service.call('POST', `lists/${list}/contacts`, { contactId })
      await enroll(service, another, contactId)
      const link = await linkIn(await addressOf(service, contactId))
      await eventually('both enrollments are active', async () =>
        (await enrollmentOf(byList, contactId)) === 'ACTIVE' && (await enrollmentOf(another, contactId)) === 'ACTIVE'
          ? true
          : undefined,
      )
      const left = await post(link, new URLSearchParams({ choice: 'lists' }))
      assert.match(await left.text(), /<p role="status">Your preferences have been saved.<\/p>/)
      assert.equal(await enrollmentOf(byList, contactId), 'EXITED')
      assert.equal(await enrollmentOf(another, contactId), 'ACTIVE')
      assert.equal(await suppressedBy(contactId), null)

      const joined = await service.call('POST', `lists/${list}/contacts`, { contactId })
      assert.equal(joined.refused, '409 contact_left_list')
      const many = await service.call('POST', `lists/${list}/contacts`, { contactIds: [contactId] })
      assert.deepEqual([many.body.data.added, many.body.data.failed], [0, 1])
      await service.call('POST', 'contacts', { email: await addressOf(service, contactId), listId: list })
      assert.deepEqual((await service.call('GET', `contacts/${contactId}`)).body.data.listIds, [])

      await post(link, new URLSearchParams({ choice: 'lists', list }))
      assert.deepEqual((await service.call('GET', `contacts/${contactId}`)).body.data.listIds, [list])
    })

    it('unsubscribes from everything, and undoes it', async () => {
      const { contactId, link } = await mailed()
      await post(link, new URLSearchParams({ choice: 'nothing' }))
      assert.match((await pageOf(link)).html, /You have been unsubscribed/)
      await post(link, new URLSearchParams({ choice: 'everything' }))
      assert.equal(await suppressedBy(contactId), null)
    })

    it('also applies to an address that the contact gets later', async () => {
      const { contactId, link, address: email } = await mailed()
      await oneClick(link)
      await service.call('PATCH', `contacts/${contactId}`, { email: `new-${email}` })
      assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
    })

    it('does not resubscribe when a page opened before the unsubscribe saves lists', async () => {
      const { contactId, link } = await mailed()
      await oneClick(link)
      await post(link, new URLSearchParams({ choice: 'lists' }))
      assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
    })

    it('does not delete a suppression for a complaint', async () => {
      const { contactId, link, address: email } = await mailed()
      await service.call('POST', 'suppressions', { email, reason: 'COMPLAINED' })
      await post(link, new URLSearchParams({ choice: 'nothing' }))
      await post(link, new URLSearchParams({ choice: 'everything' }))
      assert.equal(await suppressedBy(contactId), 'COMPLAINED')
    })

    it('works for an erased contact', async () => {
      const { contactId, link } = await mailed()
      await service.call('DELETE', `contacts/${contactId}`)
      assert.match((await pageOf(link)).html, /Receipts and similar emails will still be sent/)
      assert.equal((await oneClick(link)).status, 200)
    })

    it('returns 503 with a readable page when the database fails', async () => {
      const { link } = await mailed()
      await sql(em(), 'alter table suppressions rename to away')
      try {
        const answer = await oneClick(link)
        assert.equal(answer.status, 503)
        assert.match(await answer.text(), /Something went wrong/)
      } finally {
        await sql(em(), 'alter table away rename to suppressions')
      }
    })
  })
})
