import assert from 'node:assert/strict'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { pauseAutomatically } from '../../src/campaigns/queries.ts'
import { recordBounce } from '../../src/bounces/record-bounce.ts'
import type { BounceKind } from '../../src/bounces/categories.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql, unitOf } from '../../src/platform/db/sql.ts'
import { guardAutomations } from '../../src/relay/guard-automations.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import { aCampaign, campaignIs, readCampaign, type CampaignRead } from '../support/campaigns.ts'
import { eventually } from '../support/eventually.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

const RECIPIENTS = 450
/** Emails after which the mail server waits for the reports. */
const BEFORE_REPORTS = 220
const EMAIL = { type: 'EMAIL', subject: 'Hello', text: 'Hello' }

describe('a high rate of complaints or bounces', () => {
  let service: Service
  let sink: SmtpSink
  let gate: Promise<void> | undefined
  useServiceAndSink((started) => ({ service, sink } = started), {
    onMail: () => (sink.mails.length >= BEFORE_REPORTS ? gate : undefined),
  })
  beforeEach(() => void (sink.mails.length = 0))

  const em = () => service.context.orm.em.fork()

  async function report(kind: BounceKind, where: string, id: string, count: number): Promise<void> {
    const rows = await sql<{ id: string; contact_id: string; recipient: string }>(
      em(),
      `select id, contact_id, recipient from messages
       where ${where} = $1::uuid and status = 'SENT' and not exists (select from bounces where message_id = messages.id) limit $2`,
      [id, count],
    )
    assert.equal(rows.length, count)
    for (const { id, contact_id: contactId, recipient } of rows) {
      const of = {
        id,
        workspaceId: service.workspaceId,
        contactId,
        originId: id,
        recipient,
        isUnderWay: false,
        createdAt: new Date(),
      }
      const about = {
        kind,
        category: null,
        status: null,
        diagnostic: null,
        providerVerdict: null,
        source: 'test',
        sourceId: newId(),
      }
      assert.equal(await recordBounce(service.context.dependencies, of, about), 'recorded')
    }
  }

  it('pauses a campaign, which continues exactly when a member resumes it', async () => {
    const listId = await aList(service)
    const contacts = Array.from({ length: RECIPIENTS }, (_, n) => ({ email: `judge-${n}@example.com`, listId }))
    await service.call('POST', 'contacts/bulk', { contacts, triggers: false })
    let open = () => {}
    gate = new Promise((resolve) => (open = resolve))
    const id = await aCampaign(service, [listId])
    await eventually('some are sent', () => (sink.mails.length >= BEFORE_REPORTS ? true : undefined))
    await eventually('their outcomes are recorded', async () =>
      (await readCampaign(service, id)).stats['sent']! >= BEFORE_REPORTS - 20 ? true : undefined,
    )
    await report('COMPLAINT', 'campaign_id', id, 3)
    open()
    const paused = await campaignIs(service, id, 'PAUSED')
    assert.match(paused.pauseReason!, /^[\d.]+ % of its emails were reported as spam; the limit is 0.3 %$/)
    assert.ok(sink.mails.length < RECIPIENTS, `${sink.mails.length} of ${RECIPIENTS} were sent`)
    const { reputation } = (await service.call('GET', `campaigns/${id}/report`)).body.data
    assert.partialDeepStrictEqual(reputation, [{ rule: 'COMPLAINTS', isTooHigh: true }])

    await service.call('POST', `campaigns/${id}/resume`)
    const sent = await campaignIs(service, id, 'SENT')
    assert.equal(sent.pauseReason, null)
    const expected = contacts.map(({ email }) => email).toSorted()
    const mailed = sink.mails.map(({ to }) => to[0]!).filter((address) => address.startsWith('judge-'))
    assert.deepEqual(mailed.toSorted(), expected)
  })

  it('pauses an automation, again only at twice the rate', async () => {
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    for (let n = 0; n < 40; n += 1) await enroll(service, automationId, await aContact(service))
    const sentCount = async () =>
      (await service.call('GET', `automations/${automationId}/report`)).body.data.total.sent as number
    await eventually('all are sent', async () => ((await sentCount()) === 40 ? true : undefined))
    const read = async () => (await service.call('GET', `automations/${automationId}`)).body.data as CampaignRead

    await report('HARD', 'automation_id', automationId, 9)
    await guardAutomations(service.context.dependencies)
    assert.equal((await read()).status, 'ACTIVE')
    const etag = (await service.call('GET', `automations/${automationId}`)).headers.get('etag')!
    const draft = { content: { steps: [] }, basedOn: Number(etag.replaceAll('"', '')) }
    await service.call('PUT', `automations/${automationId}/draft`, draft, { headers: { 'if-match': '"0"' } })
    await report('HARD', 'automation_id', automationId, 1)
    await guardAutomations(service.context.dependencies)
    const reason = '25 % of its emails failed or bounced hard; the limit is 5 %'
    assert.partialDeepStrictEqual(await read(), { status: 'PAUSED', pauseReason: reason })
    // As when a member pauses it: the draft stays fresh, and what was triggered before the pause uses the version that was active.
    assert.equal((await service.call('GET', `automations/${automationId}/draft`)).body.data.isStale, false)
    const [row] = await sql(em(), 'select active_version = version as is_active from automations where id = $1::uuid', [
      automationId,
    ])
    assert.deepEqual(row, { is_active: true })

    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await report('HARD', 'automation_id', automationId, 9)
    await guardAutomations(service.context.dependencies)
    assert.partialDeepStrictEqual(await read(), { status: 'ACTIVE', pauseReason: null })
    await report('HARD', 'automation_id', automationId, 1)
    await guardAutomations(service.context.dependencies)
    assert.equal((await read()).status, 'PAUSED')
  })

  it('is reported to the owners of the workspace by email, unless the pause is over', async () => {
    const owner = await aMember(service, 'owner')
    const editor = await aMember(service, 'editor')
    const automationId = await anAutomation(service, { name: 'Onboarding', steps: [EMAIL] })
    for (let n = 0; n < 20; n += 1) await enroll(service, automationId, await aContact(service))
    const sent = async () =>
      (await service.call('GET', `messages?automationId=${automationId}&status=SENT`)).body.data.length as number
    await eventually('all are sent', async () => (await sent()) === 20 || undefined)
    await report('HARD', 'automation_id', automationId, 10)
    const emails = () =>
      sink.mails.filter(({ to, headers }) => to[0] === owner.email && /^Subject: Dripline paused/m.test(headers))
    await guardAutomations(service.context.dependencies)
    const [mail] = await eventually('an email', () => (emails().length > 0 ? emails() : undefined))
    const toEditor = () => sink.mails.filter(({ to }) => to.includes(editor.email))
    assert.deepEqual([mail!.to, toEditor()], [[owner.email], []])
    assert.match(mail!.headers, /^Subject: Dripline paused the automation Onboarding\r?$/m)
    const text = mail!.body.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    assert.ok(text.includes('50 % of its emails failed or bounced hard; the limit is 5 %.'), text)
    assert.ok(text.includes(`/w/${service.workspaceId}/automations/${automationId}`), text)

    const listId = await aList(service)
    await aContact(service, { listId })
    const audience = { listIds: [listId] }
    const campaign = async (name: string): Promise<string> => {
      const { id } = (await service.call('POST', 'campaigns', { subject: 'Hello', text: 'Hello', name, audience })).body
        .data
      const scheduled = await service.call('POST', `campaigns/${id}/schedule`, {
        at: new Date(Date.now() + 86_400_000).toISOString(),
      })
      assert.equal(scheduled.refused, undefined)
      return id as string
    }
    const resumed = await campaign('Resumed')
    await unitOf(em()).transactional(async (unit) => {
      assert.ok(await pauseAutomatically(unit, resumed, 'A list of its audience was deleted'))
      await sql(unit, `update campaigns set status = 'SCHEDULED', pause_reason = null where id = $1::uuid`, [resumed])
    })
    assert.ok(await pauseAutomatically(em(), await campaign('Paused'), 'A list of its audience was deleted'))
    await eventually('a second email', () => (emails().length > 1 ? true : undefined))
    const pending = () => sql(em(), `select from outbox where kind = 'NOTICE'`)
    await eventually('none are left', async () => ((await pending()).length === 0 ? true : undefined))
    const subjects = emails().map(({ headers }) => /^Subject: (.*?)\r?$/m.exec(headers)?.[1])
    assert.deepEqual(subjects, ['Dripline paused the automation Onboarding', 'Dripline paused the campaign Paused'])
  })
})
