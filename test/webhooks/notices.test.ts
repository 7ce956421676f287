import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { enqueueNotices, FIRST_TURN, leaseDeliveries } from '../../src/outbox/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createSmtpTransport, readSmtpUrl } from '../../src/smtp/index.ts'
import { createWebhookMail } from '../../src/runtime/webhook-mail.ts'
import type { WorkspaceMode } from '../../src/workspaces/index.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import { aMember } from '../support/members.ts'
import { readMail } from '../support/read-mail.ts'
import type { Service } from '../support/service.ts'
import { PUBLIC_URL, useServiceAndSink } from '../support/shared-service.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { aWebhook } from '../support/webhook-events.ts'

describe('emails to owners about disabled webhooks', () => {
  let service: Service
  let sink: SmtpSink
  let receiver: Awaited<ReturnType<typeof startWebhookServer>>
  useServiceAndSink((started) => ({ service, sink } = started))
  before(async () => {
    receiver = await startWebhookServer()
  })
  after(() => receiver.stop())
  beforeEach(() => {
    receiver.receiver.answer = () => 410
    sink.mails.length = 0
  })

  const em = () => service.context.orm.em.fork()
  /** Emails to members: campaigns and automations of earlier suites may still send to contacts. */
  const mails = () => sink.mails.filter(({ to }) => to[0]!.startsWith('member-'))
  const notices = () => sql<{ attempts: number }>(em(), `select attempts from outbox where kind = 'NOTICE'`)
  const noneAreLeft = () => eventually('none are left', async () => (await notices()).length === 0 || undefined)

  /** Creates a workspace with a webhook and members. */
  async function aWorkspace({ mode = 'live' }: { mode?: WorkspaceMode } = {}) {
    const { id: workspaceId } = await createWorkspace(service.context.orm.em, { name: 'Orchard', mode })
    const key = await service.newKey({ workspaceId })
    const owners = [await aMember(service, 'owner', workspaceId), await aMember(service, 'owner', workspaceId)]
    const editor = await aMember(service, 'editor', workspaceId)
    const { id } = await aWebhook(service, { url: `${receiver.url}?token=secret` }, { key })
    const endpoint = async () =>
      (await service.call('GET', `webhooks/${id}`, undefined, { key })).body.data as { status: string }
    return {
      workspaceId,
      id,
      owners,
      editor,
      endpoint,
      /** Makes Dripline send an event. */
      event: () => service.call('POST', `webhooks/${id}/test`, {}, { key }),
      enable: () => service.call('PATCH', `webhooks/${id}`, { status: 'ENABLED' }, { key }),
      isDisabled: () =>
        eventually('it is disabled', async () => ((await endpoint()).status === 'DISABLED' ? true : undefined)),
    }
  }

  const sent = (count: number) => eventually(`${count} emails`, () => (mails().length >= count ? mails() : undefined))
  const idsOf = () => mails().map((mail) => readMail(mail).headers['message-id'])

  it('are sent to each owner when the server responds with 410', async () => {
    const { owners, event, id, workspaceId } = await aWorkspace()
    await event()
    await sent(2)
    await noneAreLeft()
    assert.deepEqual(
      mails()
        .flatMap(({ to }) => to)
        .toSorted(),
      owners.map(({ email }) => email).toSorted(),
    )
    const { headers, body } = mails()[0]!
    assert.match(headers, /^Subject: Dripline disabled a webhook of Orchard\r?$/m)
    assert.match(headers, /^Auto-Submitted: auto-generated\r?$/m)
    const text = body.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    assert.ok(text.includes('responded with 410'), text)
    assert.ok(text.includes(`URL: ${receiver.url}\r\n`), text)
    assert.ok(text.includes(`${PUBLIC_URL}/w/${workspaceId}/webhooks?id=${id}`), text)
    assert.equal(new Set(idsOf()).size, 2)
  })

  it('are sent when a webhook failed for three days', async () => {
    receiver.receiver.answer = () => 500
    const { event, id, isDisabled } = await aWorkspace()
    await sql(
      em(),
      `update webhook_endpoints set failing_since = now() - interval '73 hours', failures = 10 where id = $1::uuid`,
      [id],
    )
    await event()
    await isDisabled()
    const [mail] = await sent(2)
    assert.ok(mail!.body.includes('failed for three days'), mail!.body)
  })

  it('are captured in a test workspace', async () => {
    const { event, isDisabled } = await aWorkspace({ mode: 'test' })
    await event()
    await isDisabled()
    await noneAreLeft()
    assert.deepEqual(mails(), [])
  })

  it('are not sent to former owners, or about a webhook that was enabled in the meantime', async () => {
    const { workspaceId, id, owners, editor, event, isDisabled, enable } = await aWorkspace()
    await event()
    await isDisabled()
    await sent(2)
    await enqueueNotices(em(), [{ workspaceId, webhookId: id, accountId: editor.accountId }])
    await noneAreLeft()
    await enable()
    await enqueueNotices(em(), [{ workspaceId, webhookId: id, accountId: owners[0]!.accountId }])
    await noneAreLeft()
    assert.equal(mails().length, 2)
  })

  it('are sent again if the mail server rejects them temporarily, but not if it rejects them finally', async () => {
    const { event, isDisabled, owners } = await aWorkspace()
    const [first, second] = owners.map(({ email }) => email) as [string, string]
    sink.behave({ code: 550, text: 'No such user', at: 'rcpt', to: first })
    await event()
    await isDisabled()
    assert.deepEqual((await sent(1))[0]!.to, [second])
    await noneAreLeft()
    const other = await aWorkspace()
    sink.behave({ code: 451, text: 'Try again later', at: 'data' })
    await other.event()
    await eventually('an attempt failed', async () => (await notices()).find(({ attempts }) => attempts > 1))
    sink.behave('accept')
    await sql(em(), `update outbox set due_at = now() where kind = 'NOTICE' and workspace_id = $1::uuid`, [
      other.workspaceId,
    ])
    await sent(3)
    await noneAreLeft()
  })

  it('are recorded in the transaction that disables the webhook', async () => {
    const { event, endpoint, isDisabled } = await aWorkspace()
    const fails = `create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$`
    await sql(em(), fails)
    await sql(
      em(),
      `create trigger fails before insert on outbox for each row when (new.kind = 'NOTICE') execute function fail()`,
    )
    try {
      const { id } = (await event()).body.data as { id: string }
      await eventually('it failed', async () => {
        const [row] = await sql(
          em(),
          `select from webhook_deliveries join webhook_events on position = event_position where id = $1::uuid and status = 'FAILED'`,
          [id],
        )
        return row
      })
      assert.equal((await endpoint()).status, 'ENABLED')
    } finally {
      await sql(em(), 'drop function fail cascade')
    }
    await event()
    await isDisabled()
    await sent(2)
  })
})

describe('an email to an owner about a disabled webhook', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((started) => ({ service, sink } = started), { worker: false })
  // Without a worker, the instance captures mail.
  before(() => sql(service.context.orm.em.fork(), `update instance set mail = 'smtp'`))
  after(() => sql(service.context.orm.em.fork(), 'update instance set mail = null'))

  const mails = () => sink.mails.filter(({ to }) => to[0]!.startsWith('member-'))

  it('is sent by another worker, with the same Message-ID, if a worker dies', async () => {
    const { workspaceId } = service
    const em = () => service.context.orm.em.fork()
    const accounts = [await aMember(service, 'owner'), await aMember(service, 'owner')]
    const { id: webhookId } = await aWebhook(service, { url: 'http://127.0.0.1:9/' })
    const disable = `update webhook_endpoints set status = 'DISABLED', disabled_reason = 'GONE', disabled_at = now() where id = $1::uuid`
    await sql(em(), disable, [webhookId])
    await enqueueNotices(
      em(),
      accounts.map(({ accountId }) => ({ workspaceId, webhookId, accountId })),
    )
    const smtp = createSmtpTransport({ server: readSmtpUrl(sink.url) })
    const sendNotice = createWebhookMail({
      ...{ em: service.context.orm.em, log: quietLog, smtp },
      ...{ mailFrom: 'Dripline <sender@example.com>', publicUrl: PUBLIC_URL },
    })
    const lease = async () =>
      (await leaseDeliveries(em(), 'mail', 100, FIRST_TURN)).deliveries.filter((one) => one.webhookId === webhookId)
    // The worker dies before it sends one of the emails, and after the mail server accepted the other.
    const [first] = await lease()
    assert.equal(await sendNotice(first!), true)
    await sql(em(), `update outbox set due_at = now() where kind = 'NOTICE'`)
    const again = await lease()
    for (const notice of again) assert.equal(await sendNotice(notice), true)
    await smtp.close()
    const [lost, ...ids] = mails().map((mail) => readMail(mail).headers['message-id']?.split('@')[0])
    assert.deepEqual([again.length, ids.length, ids.filter((id) => id === lost).length], [2, 2, 1])
  })
})
