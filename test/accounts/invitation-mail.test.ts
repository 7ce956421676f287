import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { openBrowser } from '../support/browser-like.ts'
import { eventually } from '../support/eventually.ts'
import { aMember, PASSWORD } from '../support/members.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { PUBLIC_URL, useServiceAndSink } from '../support/shared-service.ts'

describe('the email of an invitation', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((opened) => ({ service, sink } = opened))
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  const mailsTo = (email: string) => sink.mails.filter(({ to }) => to[0] === email)
  const invite = async (email?: string) => {
    const owner = await aMember(service, 'owner')
    const body = { role: 'editor', ...(email !== undefined && { email }) }
    const { body: answer } = await owner.browser.ask('POST', 'invitations', { workspaceId: service.workspaceId, body })
    return { owner, data: answer.data as { id: string; link: string; isMailed: boolean } }
  }
  const isDone = () =>
    eventually('no email is pending', async () => {
      const pending = await sql(em(), `select from outbox where kind = 'INVITATION'`)
      return pending.length === 0 || undefined
    })
  const accept = (token: string, email: string) =>
    openBrowser(service).ask('POST', 'invitation/accept', { body: { token, email, password: PASSWORD } })

  it('names the workspace and the inviting owner, and its link works once, like the one that the owner sees', async () => {
    const { owner, data } = await invite('guest@example.com')
    assert.equal(data.isMailed, true)
    await isDone()
    const [mail, ...others] = mailsTo('guest@example.com')
    assert.equal(others.length, 0)
    const { headers } = readMail(mail!)
    assert.equal(headers['subject'], 'Join Test on Dripline')
    const text = mail!.body.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    assert.ok(text.includes(`${owner.email} invites you to work in Test on Dripline.`), text)
    const [, token] = new RegExp(`^${PUBLIC_URL}/join#(\\S+)$`, 'm').exec(text)!
    const shown = data.link.split('#')[1]!
    assert.notEqual(token, shown)
    assert.equal((await accept(token!, 'guest@example.com')).status, 200)
    for (const used of [token!, shown])
      assert.equal((await accept(used, 'guest@example.com')).refused, '404 invitation_not_found')
  })

  it('is not sent after the invitation was revoked, nor without an address', async () => {
    assert.equal((await invite()).data.isMailed, false)
    const held = sink.mails.length
    const { owner, data } = await invite('revoked@example.com')
    await owner.browser.ask('DELETE', `invitations/${data.id}`, { workspaceId: service.workspaceId })
    await isDone()
    // Either it was sent before, and its link is no longer valid, or it was not sent.
    for (const mail of mailsTo('revoked@example.com')) {
      const [, token] = /join#(\S+)/.exec(mail.body.replaceAll('=\r\n', '')) ?? []
      assert.equal((await accept(token!, 'revoked@example.com')).refused, '404 invitation_not_found')
    }
    assert.ok(sink.mails.length <= held + 1)
  })
})
