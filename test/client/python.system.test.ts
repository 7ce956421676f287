import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../../embedded/tools/cache.ts'
import { run } from '../../embedded/tools/run.ts'
import { operations } from '../../src/runtime/operations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { copyWithMaven } from '../../scripts/maven.ts'
import { anAttempt, prepare, stepOf, storeOf } from '../support/step-claims.ts'
import { aContact, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { aKeyOverItsLimit, startGateway, type Gateway } from '../support/gateway.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { aMember } from '../support/members.ts'
import { aWebhook, WEBHOOK_ENV } from '../support/webhook-events.ts'

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.17.0'
/** Dependencies of the generated client. */
const REQUIREMENTS = ['urllib3==2.5.0', 'pydantic==2.12.5', 'python-dateutil==2.9.0.post0', 'typing-extensions==4.15.0']
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()
/** A GIF of one pixel. */
const DOT = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const say = () => undefined

/** Installs the generator and the Python packages in the user's cache, where they survive a new clone. */
async function install(): Promise<{ jars: string; python: string }> {
  const folder = cacheFolder(`python-client-${GENERATOR.split(':').at(-1)}`)
  const environment = join(folder, 'environment')
  const ready = join(environment, 'ready')
  if (!existsSync(ready)) {
    await copyWithMaven(GENERATOR, folder, say)
    await run('python3', ['-m', 'venv', '--clear', environment], { say })
    await run(join(environment, 'bin', 'pip'), ['install', '--quiet', ...REQUIREMENTS], { say })
    writeFileSync(ready, '')
  }
  return { jars: join(folder, 'jars', '*'), python: join(environment, 'bin', 'python') }
}

/** Creates a message that the mail server rejected, or whose outcome is unknown. Its enrollment has ended. */
async function aMessage(
  service: Instance,
  status: 'FAILED' | 'UNCONFIRMED',
  automationId: string,
  contactId: string,
): Promise<string> {
  await enroll(service, automationId, contactId)
  const error = '550 no such mailbox'
  const attempt = anAttempt(await prepare(service, await stepOf(service, automationId, contactId)))
  assert.ok(
    await storeOf(service).claim(
      attempt,
      status === 'FAILED' ? { status, error, isRejected: true } : { status, error },
    ),
  )
  await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
  return attempt.message.id
}

describe('a Python client generated from the OpenAPI document', function () {
  this.timeout(300_000)
  let service: Instance
  let gateway: Gateway
  let folder: string
  let python: string
  before(async () => {
    const { jars, python: found } = await install()
    python = found
    folder = mkdtempSync(join(tmpdir(), 'dripline-python-'))
    service = await startInstance({ worker: false, env: WEBHOOK_ENV })
    // Only a test workspace has a clock to move.
    const toTest = `update workspaces set mode = 'test' where id = $1::uuid`
    await sql(service.context.orm.em.fork(), toTest, [service.workspaceId])
    gateway = await startGateway(service.port)
    const described = join(folder, 'openapi.json')
    const { body: document } = await service.call('GET', 'openapi.json')
    // The generator makes invalid methods of the requests that Dripline sends.
    delete document.webhooks
    writeFileSync(described, JSON.stringify(document))
    const name = ['--package-name', 'dripline_client']
    const generate = ['org.openapitools.codegen.OpenAPIGenerator', 'generate', '-g', 'python', '-i', described]
    await run('java', ['-cp', jars, ...generate, '-o', folder, ...name], { say })
  })
  after(async () => {
    await gateway.close()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('works for every operation, after a 429 and lost responses', async () => {
    await anAutomation(service, { trigger: 'EVENT', triggerConfig: { eventName: 'trial started' } })
    const automationId = await anAutomation(service)
    const contactId = await aContact(service, { tags: ['vip'] })
    const listId = await aList(service)
    // No server listens at the URL.
    const { id: webhookId } = await aWebhook(service, { url: 'http://127.0.0.1:9/' })
    const { body: test } = await service.call('POST', `webhooks/${webhookId}/test`)
    const deliveryId = test.data.id as string
    const scheduled = { to: 'ada@example.com', subject: 'Hi', text: 'Hi', scheduledAt: TOMORROW }
    const emailId = (await service.call('POST', 'emails', scheduled)).body.data.id as string
    const condition = { all: [{ tag: 'vip' }, { not: { any: [{ field: 'email', is: 'missing' }] } }] }
    const { em } = service.context.orm
    const { id: segmentId } = await createSegment(em, { workspaceId: service.workspaceId, name: 'Vip', condition })
    const messageId = await aMessage(service, 'FAILED', automationId, contactId)
    const unconfirmedId = await aMessage(service, 'UNCONFIRMED', automationId, contactId)
    const made = async (path: string, body: object): Promise<string> =>
      (await service.call('POST', path, body)).body.data.id as string
    const suppressionId = await made('suppressions', { email: 'suppressed@example.com' })
    const member = await aMember(service)
    const templateId = await made('templates', { name: 'T', subject: 'Hi', text: 'Hi' })
    const { id: keptSegmentId } = await createSegment(em, { workspaceId: service.workspaceId, name: 'Kept', condition })
    const audience = { segmentIds: [keptSegmentId] }
    const campaignId = await made('campaigns', { name: 'C', subject: 'Hi', text: 'Hi', audience })
    const proposal = { content: {}, reason: 'Ready.' }
    const proposalId = await made(`campaigns/${campaignId}/proposals`, proposal)
    const mediaId = await made('media-files', { name: 'dot.gif', content: DOT })
    const importId = await made('imports', { name: 'x.csv' })
    const rehearsalId = await made(`automations/${automationId}/rehearse`, {})
    const draftId = await made('imports', { name: 'y.csv', text: 'email\n' })

    const report = (await service.call('GET', `campaigns/${campaignId}/report`)).body.data as object
    const calls = [
      { method: 'whoami', arguments: {} },
      { method: 'get_open_api', arguments: {} },
      { method: 'get_workspace', arguments: {} },
      { method: 'list_audit_entries', arguments: { limit: 1 } },
      { method: 'get_sender', arguments: {} },
      { method: 'set_sender', arguments: {}, body: { fromName: 'Pythons' } },
      { method: 'get_storage', arguments: {} },
      { method: 'record_event', arguments: {}, body: { name: 'renamed', email: 'di@example.com' } },
      { method: 'record_events', arguments: {}, body: { events: [{ name: 'signed up', contactId }] } },
      { method: 'receive_source_calls', arguments: {}, body: { type: 'page' } },
      { method: 'receive_source_batch', arguments: {}, body: { batch: [{ type: 'screen' }] } },
      { method: 'list_events', arguments: { limit: 1 } },
      { method: 'list_event_names', arguments: {} },
      { method: 'remove_event_name', arguments: { name: 'renamed' } },
      { method: 'list_contact_events', arguments: { id: contactId } },
      { method: 'list_decisions_of_contact', arguments: { id: contactId } },
      { method: 'list_contacts', arguments: { tag: 'vip', limit: 1 } },
      { method: 'upsert_contact', arguments: {}, body: { email: 'bo@example.com', metadata: { seats: 3 } } },
      { method: 'upsert_contacts', arguments: {}, body: { contacts: [{ email: 'cy@example.com' }] } },
      { method: 'get_contact', arguments: { id: contactId } },
      { method: 'update_contact', arguments: { id: contactId }, body: { externalId: '4711' } },
      { method: 'fire_event', arguments: { id: contactId }, body: { name: 'trial started', data: { plan: 'pro' } } },
      { method: 'tag_contact', arguments: { id: contactId }, body: { tags: ['new'] } },
      { method: 'list_tags', arguments: {} },
      { method: 'untag_contact', arguments: { id: contactId, tag: 'new' } },
      { method: 'list_activity', arguments: { id: contactId } },
      { method: 'list_consent_changes', arguments: { id: contactId } },
      { method: 'list_lists', arguments: {} },
      { method: 'create_list', arguments: {}, body: { name: 'Pythons' } },
      { method: 'get_list', arguments: { id: listId } },
      { method: 'update_list', arguments: { id: listId }, body: { description: 'Snakes' } },
      { method: 'add_to_list', arguments: { id: listId }, body: { contactId } },
      { method: 'list_members', arguments: { id: listId } },
      { method: 'remove_from_list', arguments: { id: listId, contact_id: contactId } },
      { method: 'delete_list', arguments: { id: listId } },
      { method: 'list_segments', arguments: {} },
      { method: 'get_segment', arguments: { id: segmentId } },
      { method: 'list_segment_members', arguments: { id: segmentId } },
      { method: 'check_segment_contact', arguments: { id: segmentId, contact_id: contactId } },
      { method: 'create_segment', arguments: {}, body: { name: 'Pythonistas', condition: { tag: 'vip' } } },
      { method: 'update_segment', arguments: { id: segmentId }, body: { name: 'Very important' } },
      { method: 'delete_segment', arguments: { id: segmentId } },
      { method: 'list_messages', arguments: { status: 'FAILED', limit: 1 } },
      { method: 'get_message', arguments: { id: messageId } },
      { method: 'retry_message', arguments: { id: messageId }, body: { evenIfSent: false } },
      { method: 'dismiss_message', arguments: { id: unconfirmedId } },
      { method: 'retry_messages', arguments: {}, body: { status: 'FAILED' } },
      { method: 'list_suppressions', arguments: { reason: 'MANUAL' } },
      { method: 'list_bounces', arguments: { kind: 'HARD' } },
      { method: 'export_contact', arguments: { id: contactId } },
      { method: 'list_imports', arguments: {} },
      { method: 'create_import', arguments: {}, body: { name: 'snakes.csv', columns: [], tags: ['snake'] } },
      { method: 'get_import', arguments: { id: importId } },
      {
        method: 'upload_import_chunk',
        arguments: { id: importId },
        body: { position: 0, text: 'email\nsnake@example.com\nnobody\n', isLast: true },
      },
      { method: 'get_import_mapping', arguments: { id: draftId } },
      {
        method: 'set_import_mapping',
        arguments: { id: draftId },
        body: { columns: [{ column: 'email', field: 'email' }], consent: 'SUBSCRIBED' },
      },
      { method: 'start_import', arguments: { id: draftId } },
      { method: 'stop_import', arguments: { id: draftId } },
      { method: 'list_import_errors', arguments: { id: importId } },
      { method: 'delete_import', arguments: { id: importId } },
      { method: 'create_suppression', arguments: {}, body: { email: 'no@example.com' } },
      { method: 'delete_suppression', arguments: { id: suppressionId } },
      { method: 'list_media_files', arguments: {} },
      { method: 'upload_media_file', arguments: {}, body: { name: 'again.gif', content: DOT } },
      { method: 'get_media_file', arguments: { id: mediaId } },
      { method: 'update_media_file', arguments: { id: mediaId }, body: { alt: 'A dot' } },
      { method: 'delete_media_file', arguments: { id: mediaId } },
      { method: 'list_templates', arguments: {} },
      { method: 'create_template', arguments: {}, body: { name: 'Python', subject: 'Hi', text: 'Hi' } },
      { method: 'get_template', arguments: { id: templateId } },
      {
        method: 'replace_template',
        arguments: { id: templateId },
        body: { name: 'Python', subject: 'Ho', html: '<p>Ho</p>' },
      },
      { method: 'list_template_versions', arguments: { id: templateId } },
      { method: 'preview_template', arguments: { id: templateId }, body: { contactId } },
      { method: 'test_template', arguments: { id: templateId }, body: { to: [member.email] } },
      { method: 'preview_unsaved_template', arguments: {}, body: { subject: 'Hi', html: '<p>Hi</p>' } },
      { method: 'get_template_report', arguments: { id: templateId } },
      { method: 'delete_template', arguments: { id: templateId } },
      { method: 'list_campaigns', arguments: { status: 'DRAFT' } },
      { method: 'create_campaign', arguments: {}, body: { name: 'Python', subject: 'Hi', text: 'Hi' } },
      { method: 'count_audience', arguments: {}, body: { audience: { segmentIds: [keptSegmentId] } } },
      { method: 'get_campaign', arguments: { id: campaignId } },
      { method: 'duplicate_campaign', arguments: { id: campaignId } },
      // `from_dict` turns missing fields into null, so the update of a campaign passes all fields that must not change.
      {
        method: 'update_campaign',
        arguments: { id: campaignId },
        body: { name: 'Snakes', subject: 'Hi', text: 'Hi', audience },
      },
      { method: 'propose_campaign_sending', arguments: { id: campaignId }, body: proposal },
      {
        method: 'propose_automation_change',
        arguments: { id: automationId },
        body: { content: { name: 'New' }, reason: 'Ready.' },
      },
      { method: 'list_proposals', arguments: { status: 'PENDING' } },
      { method: 'get_proposal', arguments: { id: proposalId } },
      { method: 'schedule_campaign', arguments: { id: campaignId }, body: { at: '2030-01-01T00:00:00Z' } },
      { method: 'pause_campaign', arguments: { id: campaignId } },
      { method: 'resume_campaign', arguments: { id: campaignId } },
      { method: 'cancel_campaign', arguments: { id: campaignId } },
      { method: 'get_campaign_report', arguments: { id: campaignId } },
      { method: 'get_campaign_domains', arguments: { id: campaignId, limit: 5 } },
      { method: 'get_campaign_timeline', arguments: { id: campaignId } },
      { method: 'explain_campaign', arguments: { id: campaignId, contact_id: contactId } },
      { method: 'verify_campaign_report', arguments: {}, body: report },
      { method: 'delete_campaign', arguments: { id: campaignId } },
      { method: 'list_automations', arguments: {} },
      { method: 'get_stats', arguments: {} },
      {
        method: 'get_flow',
        arguments: { since: '2026-11-21T09:00:00Z', until: '2026-11-21T12:00:00Z', minutes: 15 },
      },
      { method: 'get_automation_report', arguments: { id: automationId } },
      { method: 'get_conversion', arguments: { id: automationId, window_days: 14 } },
      { method: 'explain_automation', arguments: { id: automationId, contact_id: contactId } },
      { method: 'rehearse_automation', arguments: { id: automationId }, body: { contactId } },
      { method: 'get_rehearsal', arguments: { id: rehearsalId } },
      { method: 'list_rehearsed_contacts', arguments: { id: rehearsalId, outcome: 'COMPLETED' } },
      { method: 'cancel_rehearsal', arguments: { id: rehearsalId } },
      { method: 'get_domains_report', arguments: { days: 7 } },
      { method: 'get_transactional_report', arguments: { hours: 168 } },
      { method: 'list_automation_stats', arguments: { ids: automationId } },
      { method: 'get_automation_stats', arguments: { id: automationId } },
      { method: 'count_segment', arguments: {}, body: { condition: { tag: 'vip' } } },
      {
        method: 'preview_email',
        arguments: {},
        body: { subject: 'Hello {{ contact.firstName }}', text: 'Hi', contactId },
      },
      { method: 'save_draft', arguments: { id: automationId }, body: { content: { steps: [] }, basedOn: 1 } },
      { method: 'get_draft', arguments: { id: automationId } },
      { method: 'discard_draft', arguments: { id: automationId } },
      {
        method: 'create_automation',
        arguments: {},
        body: { name: 'Python', trigger: 'SIGNUP', steps: [EMAIL, { type: 'WAIT', delayMinutes: 5 }] },
      },
      { method: 'get_automation', arguments: { id: automationId } },
      { method: 'update_automation', arguments: { id: automationId }, body: { name: 'Renamed' } },
      {
        method: 'publish_automation',
        arguments: { id: automationId },
        body: { status: 'ACTIVE', steps: [EMAIL, EMAIL], inside: 'MOVE' },
      },
      { method: 'preview_publication', arguments: { id: automationId }, body: { steps: [EMAIL] } },
      { method: 'get_move', arguments: { id: automationId } },
      { method: 'stop_move', arguments: { id: automationId } },
      { method: 'resume_move', arguments: { id: automationId } },
      { method: 'replace_steps', arguments: { id: automationId }, body: { steps: [wait(5), EMAIL] } },
      { method: 'enroll_contact', arguments: { id: automationId }, body: { contactId, merge: { from: 'python' } } },
      { method: 'list_enrollments', arguments: { id: automationId, limit: 1, sort: 'next' } },
      { method: 'list_enrollments_of_contact', arguments: { id: contactId } },
      { method: 'skip_wait', arguments: { id: automationId, contact_id: contactId } },
      { method: 'move_clock', arguments: {}, body: { minutes: 60 } },
      { method: 'end_enrollment', arguments: { id: automationId, contact_id: contactId } },
      { method: 'delete_automation', arguments: { id: automationId } },
      { method: 'send_email', arguments: {}, body: scheduled },
      { method: 'send_emails', arguments: {}, body: { emails: [scheduled] } },
      { method: 'list_emails', arguments: {} },
      { method: 'get_email', arguments: { id: emailId } },
      { method: 'cancel_email', arguments: { id: emailId } },
      { method: 'list_webhooks', arguments: {} },
      { method: 'create_webhook', arguments: {}, body: { url: 'https://example.com/', events: ['contact.created'] } },
      { method: 'get_webhook', arguments: { id: webhookId } },
      {
        method: 'update_webhook',
        arguments: { id: webhookId },
        body: { url: 'http://127.0.0.1:9/', events: ['*'], description: 'Python', status: 'ENABLED' },
      },
      { method: 'rotate_webhook_endpoint_secret', arguments: { id: webhookId } },
      { method: 'get_webhook_secret', arguments: {} },
      { method: 'test_webhook', arguments: { id: webhookId } },
      { method: 'list_webhook_deliveries', arguments: { id: webhookId } },
      { method: 'get_webhook_delivery', arguments: { id: webhookId, delivery_id: deliveryId } },
      { method: 'replay_webhook_delivery', arguments: { id: webhookId, delivery_id: deliveryId } },
      { method: 'replay_webhook_deliveries', arguments: { id: webhookId }, body: { since: '2026-01-01T00:00:00Z' } },
      { method: 'poll_webhook_events', arguments: { id: webhookId } },
      { method: 'delete_webhook', arguments: { id: webhookId } },
      { method: 'erase_contact', arguments: { id: contactId } },
    ]
    const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    // The other operations are for people only.
    const operationIds = operations.flatMap(({ id, scope }) => (scope === undefined ? [] : [snake(id)]))
    assert.deepEqual(calls.map(({ method }) => method).toSorted(), operationIds.toSorted())

    const plan = join(folder, 'plan.json')
    writeFileSync(plan, JSON.stringify({ listId, calls }))
    gateway.loseAnswers(2)
    const key = await aKeyOverItsLimit(service, 140)
    const program = join(import.meta.dirname, 'integration.py')
    const { stdout } = await promisify(execFile)(python, [program, gateway.baseUrl, key, plan], {
      env: { PYTHONPATH: folder },
    })
    const { done, ...answers } = JSON.parse(stdout) as {
      done: { method: string; answer: { data?: unknown } }[]
    }
    assert.deepEqual(answers, { matching: 1, added: 1, refused: [404, 'contact_not_found', 'Contact not found'] })
    assert.deepEqual(
      done.map(({ method }) => method),
      calls.map(({ method }) => method),
    )
    const segment = done.find(({ method }) => method === 'get_segment')!.answer.data as { condition: unknown }
    assert.deepEqual(segment.condition, condition)
  })
})
