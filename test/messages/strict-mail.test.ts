import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { aCampaign } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

interface Strict {
  longest: number
  bare: number
  defects: string[]
  headerDefects: string[]
  once: string[]
  to: string[]
  from: string
  replyTo: string | null
  subject: string
  messageId: string
  date: number
  bcc: string | null
  text: string | null
  html: string | null
}

const ASCII = 'xn--bcher-kva.example'
const SCRIPT = new URL('strict-mail.py', import.meta.url).pathname

/** Parses emails with a third-party parser, as recipients do. */
describe('emails in a strict parser', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    const owner = (await aMember(service, 'owner')).browser
    const { status } = await owner.ask('PUT', 'sender', {
      workspaceId: service.workspaceId,
      body: {
        fromName: 'Zoë "Zed" <Oak>, Ltd',
        fromAddress: 'hello@bücher.example',
        replyTo: 'answers@example.com',
        postalAddress: 'Bahnhofstraße 1\nZürich',
      },
    })
    assert.equal(status, 200)
  })

  const LONG = 'Ünïcödé 🙂 '.repeat(400)
  const content = {
    subject: `Grüße, {{ contact.firstName }} ${'and very many others '.repeat(12)}🙂`,
    html: `<p>.\n.hidden\nFrom here</p><p>${LONG}</p><a href="https://example.com/${'x'.repeat(1_500)}">Go</a>`,
  }
  /** A recipient whose address and name contain everything that is tricky in headers. */
  const aRecipient = (n: number) =>
    aContact(service, {
      email: `o'hara+${n}@bücher.example`,
      firstName: 'Ada\r\nBcc: eve@example.com\r\n\r\n"X" <a@b>',
    })

  async function read(address: string): Promise<Strict> {
    // The sink reports domains in Unicode.
    const inUnicode = address.replace(ASCII, 'bücher.example')
    const mail = await eventually('the email arrives', () => sink.mails.find(({ to }) => to.includes(inUnicode)))
    assert.deepEqual(mail.to, [inUnicode])
    const input = Buffer.from(`${mail.headers}\r\n\r\n${mail.body}`, 'utf8')
    return JSON.parse(execFileSync('python3', [SCRIPT], { input, encoding: 'utf8' })) as Strict
  }

  function assertStrict(message: Strict, address: string): void {
    assert.deepEqual(
      [message.defects, message.headerDefects, message.once, message.bare, message.bcc],
      [[], [], [], 0, null],
    )
    // RFC 5322, section 2.1.1.
    assert.ok(message.longest <= 998, `a line of ${message.longest} octets`)
    assert.deepEqual(message.to, [address])
    assert.equal(message.from, 'Zoë "Zed" <Oak>, Ltd')
    assert.equal(message.replyTo, 'answers@example.com')
    assert.match(message.subject, /^Grüße, Ada Bcc: eve@example.com "X" <a@b> .*🙂$/)
    assert.match(message.messageId, /^<[^<>@\s]+@[^<>@\s]+>$/)
    assert.ok(Math.abs(message.date * 1_000 - Date.now()) < 600_000)
    assert.ok(message.html?.includes(LONG.trim()) && message.html.includes('x'.repeat(1_500)))
    assert.match(message.html ?? '', /Bahnhofstraße 1/)
    assert.ok(message.text?.includes('Ünïcödé 🙂') && message.text.includes('https://mail.example.com/unsubscribe/'))
    assert.match(message.text ?? '', /^\.hidden|\.hidden/m)
  }

  it('finds no defect in an email of an automation', async () => {
    const contactId = await aRecipient(1)
    await enroll(service, await anAutomation(service, { steps: [{ type: 'EMAIL', ...content }] }), contactId)
    assertStrict(await read(`o'hara+1@${ASCII}`), `o'hara+1@${ASCII}`)
  })

  it('finds no defect in an email of a campaign', async () => {
    const list = await aList(service)
    await service.call('POST', `lists/${list}/contacts`, { contactIds: [await aRecipient(2)] })
    await aCampaign(service, [list], { ...content, text: null })
    assertStrict(await read(`o'hara+2@${ASCII}`), `o'hara+2@${ASCII}`)
  })
})
