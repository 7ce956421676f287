import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { deleteOldHistory } from '../../src/relay/delete-old-history.ts'
import { aDraftCampaign } from '../support/campaigns.ts'
import { aContact, aList, anAutomation, EMAIL } from '../support/factories.ts'
import { aMember, type SignedInMember } from '../support/members.ts'
import type { Answer, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('proposals', () => {
  let service: Service
  let other: Service
  let editor: SignedInMember
  before(async () => {
    service = await openWorkspace({ worker: false })
    other = await openWorkspace({ worker: false })
    editor = await aMember(service, 'editor')
  })

  const em = () => service.context.orm.em.fork()
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the tests look into answers of all shapes
  const get = async (path: string, of = service): Promise<any> => (await of.call('GET', path)).body.data
  const propose = (path: string, content: object, headers: Record<string, string> = {}, of = service) =>
    of.call('POST', `${path}/proposals`, { content, reason: 'Most contacts open it on day 2.' }, { headers })
  const decide = (id: string, verb: 'approve' | 'reject', by: SignedInMember = editor) =>
    by.browser.ask('POST', `proposals/${id}/${verb}`, { workspaceId: service.workspaceId })
  const idOf = ({ status, body }: Answer): string => {
    assert.equal(status, 201, JSON.stringify(body))
    return body.data.id as string
  }
  const entriesOf = (operation: string, targetId: string) =>
    sql<{ actor: string; actor_name: string }>(
      em(),
      'select actor, actor_name from audit_entries where operation = $1 and target_id = $2::uuid',
      [operation, targetId],
    )
  const STEPS = [{ ...EMAIL, subject: 'A better subject' }]

  it('publish an automation when a member approves them', async () => {
    const id = await anAutomation(service)
    const created = await propose(`automations/${id}`, { steps: STEPS })
    const proposalId = idOf(created)
    assert.partialDeepStrictEqual(created.body.data, {
      ...{ kind: 'PUBLISH_AUTOMATION', status: 'PENDING', automationId: id, campaignId: null, revision: 1 },
      ...{ reason: 'Most contacts open it on day 2.', proposedBy: 'Test', decidedBy: null, isOutdated: false },
    })
    assert.equal(
      Date.parse(created.body.data.expiresAt) - Date.parse(created.body.data.createdAt) > 6.9 * 86_400_000,
      true,
    )
    assert.equal((await get(`automations/${id}`)).version, 1)
    const approved = await decide(proposalId, 'approve')
    assert.partialDeepStrictEqual(approved.body.data, { id: proposalId, status: 'APPROVED', decidedBy: editor.email })
    const published = await get(`automations/${id}`)
    assert.deepEqual([published.version, published.status], [2, 'ACTIVE'])
    assert.equal(published.steps[0].subject, 'A better subject')
    const byEditor = [{ actor: 'person', actor_name: editor.email }]
    assert.deepEqual(await entriesOf('approveProposal', proposalId), byEditor)
    assert.deepEqual(await entriesOf('publishAutomation', id), byEditor)
    assert.deepEqual(await entriesOf('proposeAutomationChange', id), [{ actor: 'key', actor_name: 'Test' }])
  })

  it('activate an automation', async () => {
    const id = await anAutomation(service, { status: 'DRAFT' })
    const proposalId = idOf(await propose(`automations/${id}`, { status: 'ACTIVE' }))
    assert.equal((await get(`automations/${id}`)).status, 'DRAFT')
    assert.equal((await decide(proposalId, 'approve')).status, 200)
    assert.equal((await get(`automations/${id}`)).status, 'ACTIVE')
  })

  it('send or schedule a campaign', async () => {
    const listId = await aList(service)
    await aContact(service, { listId })
    const now = await aDraftCampaign(service, [listId])
    const later = await aDraftCampaign(service, [listId])
    const sending = idOf(await propose(`campaigns/${now}`, {}))
    const scheduling = idOf(await propose(`campaigns/${later}`, { at: '2037-12-01T09:00:00Z' }))
    assert.equal((await get(`campaigns/${now}`)).status, 'DRAFT')
    assert.equal((await decide(sending, 'approve')).status, 200)
    assert.equal((await decide(scheduling, 'approve')).status, 200)
    assert.equal((await get(`campaigns/${now}`)).status, 'SCHEDULED')
    assert.partialDeepStrictEqual(await get(`campaigns/${later}`), {
      ...{ status: 'SCHEDULED', scheduledAt: '2037-12-01T09:00:00.000Z' },
    })
  })

  it('change nothing when a member rejects them', async () => {
    const id = await anAutomation(service)
    const proposalId = idOf(await propose(`automations/${id}`, { steps: STEPS }))
    const rejected = await decide(proposalId, 'reject')
    assert.partialDeepStrictEqual(rejected.body.data, { status: 'REJECTED', decidedBy: editor.email })
    assert.equal((await get(`automations/${id}`)).version, 1)
    assert.deepEqual(await entriesOf('publishAutomation', id), [])
    assert.equal((await decide(proposalId, 'approve')).refused, '409 proposal_decided')
  })

  it('is decided once, and the second member learns who decided', async () => {
    const id = await anAutomation(service)
    const proposalId = idOf(await propose(`automations/${id}`, { steps: STEPS }))
    const second = await aMember(service, 'owner')
    const answers = await Promise.all([decide(proposalId, 'approve'), decide(proposalId, 'approve', second)])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    const winner = answers[0].status === 200 ? editor.email : second.email
    const { body } = answers.find(({ status }) => status === 409)!
    assert.match(body.error as string, new RegExp(`^${winner} already approved this proposal at 20`))
    assert.equal((await get(`automations/${id}`)).version, 2)
    assert.equal((await decide(proposalId, 'reject')).refused, '409 proposal_decided')
  })

  it('are decided only by an editor or owner, not by a viewer or a key', async () => {
    const id = await anAutomation(service)
    const proposalId = idOf(await propose(`automations/${id}`, { steps: STEPS }))
    const viewer = await aMember(service, 'viewer')
    for (const verb of ['approve', 'reject'] as const) {
      assert.equal((await decide(proposalId, verb, viewer)).refused, '403 role_missing')
      assert.equal((await service.call('POST', `proposals/${proposalId}/${verb}`)).refused, '403 people_only')
    }
    assert.equal((await get(`proposals/${proposalId}`)).status, 'PENDING')
  })

  it('are unknown in another workspace', async () => {
    const id = await anAutomation(other)
    const proposalId = idOf(await propose(`automations/${id}`, { steps: STEPS }, {}, other))
    assert.equal((await service.call('GET', `proposals/${proposalId}`)).refused, '404 proposal_not_found')
    assert.equal((await decide(proposalId, 'approve')).refused, '404 proposal_not_found')
    assert.equal((await decide(proposalId, 'reject')).refused, '404 proposal_not_found')
    assert.equal((await propose(`automations/${id}`, { steps: STEPS })).refused, '404 automation_not_found')
    const campaignId = await aDraftCampaign(other, [await aList(other)])
    assert.equal((await propose(`campaigns/${campaignId}`, {})).refused, '404 campaign_not_found')
    assert.equal((await get(`proposals/${proposalId}`, other)).status, 'PENDING')
  })

  it('cannot be approved after the automation was changed or deleted', async () => {
    const id = await anAutomation(service)
    const outdated = idOf(await propose(`automations/${id}`, { steps: STEPS }))
    await service.call('PATCH', `automations/${id}`, { name: 'Renamed' })
    assert.equal((await get(`proposals/${outdated}`)).isOutdated, true)
    assert.equal((await decide(outdated, 'approve')).refused, '409 proposal_outdated')
    assert.partialDeepStrictEqual(await get(`proposals/${outdated}`), { status: 'PENDING', decidedBy: null })
    assert.equal((await get(`automations/${id}`)).version, 1)
    await service.call('DELETE', `automations/${id}`)
    assert.equal((await get(`proposals/${outdated}`)).isOutdated, true)
    assert.equal((await decide(outdated, 'approve')).refused, '404 automation_not_found')
    assert.equal((await decide(outdated, 'reject')).status, 200)
  })

  it('are based on the revision that the key has read', async () => {
    const id = await anAutomation(service)
    await service.call('PATCH', `automations/${id}`, { name: 'Renamed' })
    const stale = await propose(`automations/${id}`, { steps: STEPS }, { 'If-Match': '"1"' })
    assert.equal(stale.refused, '412 revision_conflict')
    const fresh = await propose(`automations/${id}`, { steps: STEPS }, { 'If-Match': '"2"' })
    assert.equal(fresh.body.data.revision, 2)
  })

  it('expire after seven days', async () => {
    const id = await anAutomation(service)
    const proposalId = idOf(await propose(`automations/${id}`, { steps: STEPS }))
    await sql(em(), `update proposals set expires_at = now() - interval '1 minute' where id = $1::uuid`, [proposalId])
    assert.equal((await get(`proposals/${proposalId}`)).status, 'EXPIRED')
    assert.equal((await decide(proposalId, 'approve')).refused, '409 proposal_expired')
    assert.equal((await decide(proposalId, 'reject')).refused, '409 proposal_expired')
    assert.equal((await get(`automations/${id}`)).version, 1)
  })

  it('are checked like the request that they stand for', async () => {
    const id = await anAutomation(service)
    const rows: [content: object, refused: string, error: RegExp][] = [
      [{ stepsToo: STEPS }, '400 invalid_request', /stepsToo/],
      [{ steps: [{ type: 'EMAIL', subject: '{{ oops', text: 'x' }] }, '400 invalid_template', /subject/],
      [{ steps: [{ ...EMAIL, text: '{{ event.data.x }} {{ contact.nope }}' }] }, '400 variable_missing', /nope/],
    ]
    for (const [content, refused, error] of rows) {
      const answer = await propose(`automations/${id}`, content)
      assert.equal(answer.refused, refused)
      assert.match(answer.body.error as string, error)
    }
    const campaignId = await aDraftCampaign(service, [await aList(service)])
    assert.equal((await propose(`campaigns/${campaignId}`, { sendAt: 'x' })).refused, '400 invalid_request')
    const draftId = await anAutomation(service, { steps: [], status: 'DRAFT' })
    const listId = await aList(service)
    await service.call('POST', `lists/${listId}/contacts`, { contactIds: [await aContact(service)] })
    const empty = await aDraftCampaign(service, [await aList(service)])
    const past = await aDraftCampaign(service, [listId])
    const scheduled = await aDraftCampaign(service, [listId])
    const later = await service.call('POST', `campaigns/${scheduled}/schedule`, { at: '2099-01-01T00:00:00Z' })
    assert.equal(later.status, 202)
    const never: [target: string, content: object, refused: string][] = [
      [`automations/${id}`, {}, '400 invalid_request'],
      [`automations/${id}`, { steps: STEPS, removedSteps: 'END' }, '400 invalid_request'],
      [`automations/${draftId}`, { status: 'ACTIVE' }, '400 automation_never_acts'],
      [`campaigns/${empty}`, {}, '400 audience_empty'],
      [`campaigns/${past}`, { at: '2020-01-01T00:00:00Z' }, '400 time_in_past'],
      [`campaigns/${scheduled}`, {}, '409 campaign_status_wrong'],
    ]
    for (const [target, content, refused] of never) assert.equal((await propose(target, content)).refused, refused)
    assert.deepEqual(
      [(await get(`automations/${draftId}`)).status, (await get(`campaigns/${past}`)).status],
      ['DRAFT', 'DRAFT'],
    )
    const nothing = await service.call('POST', `automations/${id}/proposals`, { content: {}, reason: ' ' })
    assert.equal(nothing.body.error, 'reason must not be empty')
  })

  it('need the version of a template, so that a later version is not published', async () => {
    const id = await anAutomation(service)
    const template = await service.call('POST', 'templates', { name: 'T', subject: 'First', text: 'x' })
    const templateId = template.body.data.id as string
    const step = { type: 'EMAIL', templateId }
    const open = await propose(`automations/${id}`, { steps: [step] })
    assert.equal(open.body.error, 'content.steps[0].templateVersion is required in a proposal')
    const proposalId = idOf(await propose(`automations/${id}`, { steps: [{ ...step, templateVersion: 1 }] }))
    await service.call('PUT', `templates/${templateId}`, { name: 'T', subject: 'Second', text: 'x' })
    assert.equal((await decide(proposalId, 'approve')).status, 200)
    assert.equal((await get(`automations/${id}`)).steps[0].subject, 'First')
  })

  it('are refused if a template is deleted before the approval, and publish no other content', async () => {
    const id = await anAutomation(service)
    const template = await service.call('POST', 'templates', { name: 'Gone', subject: 'Shown', text: 'x' })
    const templateId = template.body.data.id as string
    const step = { type: 'EMAIL', templateId, templateVersion: 1, subject: 'Never shown', text: 'Hidden' }
    const proposalId = idOf(await propose(`automations/${id}`, { steps: [step] }))
    assert.equal((await service.call('DELETE', `templates/${templateId}`)).status, 200)
    assert.equal((await decide(proposalId, 'approve')).refused, '404 template_not_found')
    assert.notEqual((await get(`automations/${id}`)).steps[0].subject, 'Never shown')
    const draft = await propose(`automations/${id}`, { steps: [{ type: 'EMAIL', subject: 'Hi' }], draftRevision: 1 })
    assert.equal(draft.body.error, 'content.draftRevision must not be in a proposal: drafts belong to members')
  })

  it('are refused if a snippet changes before the approval, and leave nothing of their trial', async () => {
    const id = await anAutomation(service)
    const footer = { name: 'Footer of a proposal', kind: 'PARTIAL', html: '<p>Bye</p>' }
    const snippet = await service.call('POST', 'templates', footer)
    const block = { type: 'CODE', html: `<p>Hi</p>{% render '${footer.name}' %}` }
    const steps = [{ type: 'EMAIL', subject: 'Hi', design: { blocks: [block] } }]
    const refused = idOf(await propose(`automations/${id}`, { steps }))
    await service.call('PUT', `templates/${snippet.body.data.id}`, { name: footer.name, html: '<p>Pay me</p>' })
    const answer = await decide(refused, 'approve')
    assert.equal(answer.refused, '409 proposal_outdated')
    assert.match(answer.body.error as string, /snippet/)
    assert.equal((await get(`proposals/${refused}`)).status, 'PENDING')
    assert.equal((await get(`automations/${id}`)).version, 1)
    // The version that the next publication creates has the number of those that were tried.
    await service.call('POST', `automations/${id}/publish`, { steps: [{ ...EMAIL, subject: 'Own' }] })
    const { version, steps: own } = await get(`automations/${id}`)
    assert.deepEqual([version, own[0].subject], [2, 'Own'])
    const again = await propose(`automations/${id}`, { steps })
    assert.equal((await decide(idOf(again), 'approve')).status, 200)
  })

  it('are listed by status, page by page, newest first, as far as the scopes allow', async () => {
    const own = await openWorkspace({ worker: false })
    const listId = await aList(own)
    await aContact(own, { listId })
    const automationId = await anAutomation(own)
    const first = idOf(await propose(`automations/${automationId}`, { steps: STEPS }, {}, own))
    const campaign = idOf(await propose(`campaigns/${await aDraftCampaign(own, [listId])}`, {}, {}, own))
    const last = idOf(await propose(`automations/${automationId}`, { status: 'PAUSED' }, {}, own))
    const member = await aMember(own, 'editor')
    await member.browser.ask('POST', `proposals/${last}/reject`, { workspaceId: own.workspaceId })
    const list = async (query: string, key = own.key) => {
      const { body } = await own.call('GET', `proposals?${query}`, undefined, { key })
      const { data, pagination } = body as { data: { id: string }[]; pagination: { total: number } }
      return [data.map(({ id }) => id), pagination.total]
    }
    assert.deepEqual(await list(''), [[last, campaign, first], 3])
    assert.deepEqual(await list('limit=1&page=2'), [[campaign], 3])
    assert.deepEqual(await list('status=PENDING'), [[campaign, first], 2])
    assert.deepEqual(await list('status=REJECTED'), [[last], 1])
    await sql(em(), `update proposals set expires_at = now() - interval '1 minute' where id = $1::uuid`, [first])
    assert.deepEqual(await list('status=EXPIRED'), [[first], 1])
    assert.deepEqual(await list('status=PENDING'), [[campaign], 1])
    const ofCampaigns = await own.newKey({ workspaceId: own.workspaceId, scopes: ['campaigns:read'] })
    assert.deepEqual(await list('', ofCampaigns), [[campaign], 1])
    const other = await own.call('GET', `proposals/${first}`, undefined, { key: ofCampaigns })
    assert.equal(other.refused, '403 scope_missing')
    const { body } = await own.call('GET', 'proposals')
    assert.ok(!('content' in body.data[0]))
  })

  it('are deleted after 90 days, page by page', async () => {
    const own = await openWorkspace({ worker: false })
    await sql(
      em(),
      `insert into proposals (id, workspace_id, kind, target_id, target_name, revision, content, reason, proposed_by, expires_at, created_at)
       select gen_random_uuid(), $1::uuid, 'SEND_CAMPAIGN', $1::uuid, days, 1, '{}', 'x', 'x', now(), now() - make_interval(days => days)
       from generate_series(88, 93) days`,
      [own.workspaceId],
    )
    while (await deleteOldHistory(em(), 2));
    const { body } = await own.call('GET', 'proposals')
    const left = (body.data as { targetName: string }[]).map(({ targetName }) => targetName)
    assert.deepEqual(left, ['88', '89'])
  })

  it('are limited to 100 that wait for a decision', async () => {
    const own = await openWorkspace({ worker: false })
    const id = await anAutomation(own)
    await sql(
      em(),
      `insert into proposals (id, workspace_id, kind, target_id, target_name, revision, content, reason, proposed_by, expires_at)
       select gen_random_uuid(), $1::uuid, 'PUBLISH_AUTOMATION', $2::uuid, 'x', 1, '{}', 'x', 'x', now() + n * interval '1 hour'
       from generate_series(0, 100) n`,
      [own.workspaceId, id],
    )
    assert.equal((await propose(`automations/${id}`, { steps: STEPS }, {}, own)).refused, '409 too_many_proposals')
    await sql(em(), `update proposals set status = 'REJECTED' where expires_at > now() + interval '99.5 hours'`)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => propose(`automations/${id}`, { steps: STEPS }, {}, own)),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409, 409, 409])
  })
})
