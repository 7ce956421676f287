import assert from 'node:assert/strict'
import { createInvitation } from '../../src/accounts/invitations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { Role } from '../../src/http/roles.ts'
import { startAnotherApi } from '../support/another-api.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('members', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  // All requests come from one address, and so share one rate limit.
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  const link = (role?: Role, email?: string) => aLink(service, role, email)
  const aMemberOf = (role?: Role) => aMember(service, role)
  const session = ({ browser }: { browser: BrowserLike }) => browser.ask('GET', 'session')

  it('lets only owners change roles, and keeps the last owner', async () => {
    const workspaceId = service.workspaceId
    await sql(em(), 'delete from members where workspace_id = $1::uuid', [workspaceId])
    const { browser: owner } = await aMemberOf('owner')
    const { browser: editor } = await aMemberOf('editor')
    const mine = (await session({ browser: owner })).body.data.account.id as string
    const theirs = (await session({ browser: editor })).body.data.account.id as string
    const change = (by: BrowserLike, id: string, role: Role) =>
      by.ask('PATCH', `members/${id}`, { workspaceId, body: { role } })
    assert.equal((await change(editor, theirs, 'owner')).refused, '403 role_missing')
    assert.equal((await change(owner, mine, 'viewer')).refused, '409 last_owner')
    assert.equal((await owner.ask('DELETE', `members/${mine}`, { workspaceId })).refused, '409 last_owner')
    assert.equal((await change(owner, theirs, 'owner')).body.data.role, 'owner')
    // Both owners leave concurrently.
    const both = await Promise.all([
      owner.ask('DELETE', `members/${mine}`, { workspaceId }),
      editor.ask('DELETE', `members/${theirs}`, { workspaceId }),
    ])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])
  })

  it('lets owners invite with a link that is shown once and can be revoked', async () => {
    const workspaceId = service.workspaceId
    const { browser: owner } = await aMemberOf('owner')
    const { browser: editor } = await aMemberOf('editor')
    const body = { role: 'editor', email: 'guest@example.com' }
    assert.equal((await editor.ask('POST', 'invitations', { workspaceId, body })).refused, '403 role_missing')
    const made = await owner.ask('POST', 'invitations', { workspaceId, body, headers: { 'Idempotency-Key': 'x' } })
    assert.match(made.body.data.link, /^https:\/\/mail\.example\.com\/join#[\w-]{43}$/)
    const listed = await owner.ask('GET', 'invitations', { workspaceId })
    assert.equal(listed.body.data[0].id, made.body.data.id)
    assert.ok(!JSON.stringify(listed.body).includes('join#'))
    const kept = await sql(em(), `select from idempotency_keys where body::text like '%join#%'`)
    assert.equal(kept.length, 0)
    assert.equal((await owner.ask('DELETE', `invitations/${made.body.data.id}`, { workspaceId })).status, 200)
    const token = /#(.*)/.exec(made.body.data.link as string)![1]
    const { refused } = await openBrowser(service).ask('POST', 'invitation', { body: { token } })
    assert.equal(refused, '404 invitation_not_found')
  })

  it('makes links with the remembered public URL, and warns about one with the address of the request', async () => {
    const { workspaceId } = service
    const api = await startAnotherApi(service, { PUBLIC_URL: undefined })
    const { browser } = await aMember(api)
    const invite = async () => browser.ask('POST', 'invitations', { workspaceId, body: { role: 'viewer' } })
    const byRequest = await invite()
    await sql(em(), `update instance set public_url = 'https://remembered.example.com'`)
    const remembered = await invite()
    await sql(em(), 'update instance set public_url = null')
    await api.stop()
    assert.match(byRequest.body.data.link, /^http:\/\/127\.0\.0\.1:\d+\/join#/)
    assert.match(byRequest.headers.get('x-warning') ?? '', /Set PUBLIC_URL/)
    assert.match(remembered.body.data.link, /^https:\/\/remembered\.example\.com\/join#/)
    assert.equal(remembered.headers.get('x-warning'), null)
  })

  it('does not list the invitation of the first owner, which is invalid once there is an account', async () => {
    const { workspaceId } = service
    const { browser } = await aMemberOf('owner')
    const { invitation } = await createInvitation(em(), { workspaceIds: [workspaceId], role: 'owner', isFirst: true })
    const { body } = await browser.ask('GET', 'invitations', { workspaceId })
    assert.ok(!JSON.stringify(body).includes(invitation.id))
  })

  it('rejects the link of an owner who lost the role or changed the password', async () => {
    const workspaceId = service.workspaceId
    const { browser: owner } = await aMemberOf('owner')
    const { browser: other, accountId } = await aMember(service, 'owner')
    const invited = async (by: BrowserLike) => {
      const { body } = await by.ask('POST', 'invitations', { workspaceId, body: { role: 'owner' } })
      return (body as { data: { link: string } }).data.link.split('#')[1]!
    }
    const accept = (token: string, email: string) =>
      openBrowser(service).ask('POST', 'invitation/accept', { body: { token, email, password: PASSWORD } })
    const listed = async () => (await owner.ask('GET', 'invitations', { workspaceId })).body.data.length as number
    const theirs = await invited(other)
    const before = await listed()
    await owner.ask('PATCH', `members/${accountId}`, { workspaceId, body: { role: 'viewer' } })
    assert.equal((await accept(theirs, 'again@example.com')).refused, '404 invitation_not_found')
    const offer = await openBrowser(service).ask('POST', 'invitation', { body: { token: theirs } })
    assert.equal(offer.refused, '404 invitation_not_found')
    assert.equal(await listed(), before - 1)
    assert.deepEqual(await sql(em(), 'select from invitations where invited_by_id = $1', [accountId]), [])
    const stolen = await invited(owner)
    await owner.ask('PUT', 'account/password', {
      body: { currentPassword: PASSWORD, password: 'another battery horse' },
    })
    assert.equal((await accept(stolen, 'thief@example.com')).refused, '404 invitation_not_found')
  })

  it('adds an audit entry when a member joins', async () => {
    const workspaceId = service.workspaceId
    const { browser: owner } = await aMemberOf('owner')
    const token = await link('editor')
    await openBrowser(service).ask('POST', 'invitation/accept', {
      body: { token, email: 'joins@example.com', password: PASSWORD },
    })
    const { body } = await owner.ask('GET', 'audit?limit=5', { workspaceId })
    const [entry] = body.data as { operation: string; actorName: string; requestId: string | null }[]
    assert.partialDeepStrictEqual(entry, { operation: 'acceptInvitation', actorName: 'joins@example.com' })
    assert.ok(entry!.requestId)
  })
})
