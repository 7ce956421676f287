import assert from 'node:assert/strict'
import { deleteAllAccounts } from '../../src/accounts/index.ts'
import { createFirstInvitation } from '../../src/accounts/invitations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { markRestored } from '../../src/relay/restored.ts'
import { createFirstWorkspace } from '../../src/workspaces/create-first-workspace.ts'
import { startAnotherApi } from '../support/another-api.ts'
import { openBrowser } from '../support/browser-like.ts'
import { createDatabase } from '../support/database.ts'
import { signInAt, startIdentityProvider } from '../support/identity-provider.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'

describe('the accounts of an instance', () => {
  let service: Instance
  before(async () => {
    service = await startInstance({ worker: false })
  })
  after(() => service.stop())

  const em = () => service.context.orm.em.fork()

  it('creates one owner of both workspaces from the link of the first start, which works once', async () => {
    const { orm, url } = await createDatabase()
    const first = await startInstance({ worker: false, env: { DATABASE_URL: url } })
    try {
      let token: string | undefined
      await createFirstWorkspace(orm.em, async (_keys, transaction) => {
        token = await createFirstInvitation(transaction)
      })
      const another = await createFirstInvitation(orm.em)
      const both = await Promise.all(
        [token, another].map((link, n) =>
          openBrowser(first).ask('POST', 'invitation/accept', {
            body: { token: link, email: `owner-${n}@example.com`, password: PASSWORD },
          }),
        ),
      )
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404])
      const members = `select mode || ' ' || role as text from members join workspaces on id = workspace_id order by 1`
      assert.deepEqual(
        (await sql<{ text: string }>(orm.em.fork(), members)).map(({ text }) => text),
        ['live owner', 'test owner'],
      )
      assert.equal(await createFirstInvitation(orm.em), undefined)
    } finally {
      await first.stop()
      await orm.close(true)
    }
  })

  it('creates a workspace with its creator as the only member', async () => {
    const { workspaceId } = service
    const { browser, email } = await aMember(service)
    const make = (body: object) => browser.ask('POST', 'workspaces', { workspaceId, body })
    const made = await make({ name: 'Orchard, to try', mode: 'test' })
    assert.equal(made.status, 201)
    const { id, ...rest } = made.body.data as { id: string }
    assert.deepEqual(rest, { name: 'Orchard, to try', mode: 'test', role: 'owner' })
    const members = await browser.ask('GET', 'members', { workspaceId: id })
    assert.deepEqual(
      members.body.data.map((member: { email: string }) => member.email),
      [email],
    )
    const { browser: owner } = await aMember(service)
    assert.equal((await owner.ask('GET', 'members', { workspaceId: id })).refused, '403 not_a_member')
    const fromTest = await browser.ask('POST', 'workspaces', { workspaceId: id, body: { name: 'Live', mode: 'live' } })
    assert.equal(fromTest.refused, '403 live_from_live')
    const audit = await browser.ask('GET', 'audit', { workspaceId: id })
    assert.equal((audit.body.data as { operation: string }[])[0]?.operation, 'createWorkspace')
    assert.equal((await make({ name: 'Orchard', mode: 'neither' })).status, 400)
    await sql(
      em(),
      `insert into workspaces (id, name, mode) select gen_random_uuid(), 'many', 'test' from generate_series(1, 100)`,
    )
    assert.equal((await make({ name: 'Too many', mode: 'test' })).refused, '409 too_many_workspaces')
    await sql(em(), `delete from workspaces where name = 'many'`)
  })

  it('creates the first owner by single sign-on from the first link, and invalidates all first links', async () => {
    const PUBLIC_URL = 'https://mail.example.com'
    const provider = await startIdentityProvider([`${PUBLIC_URL}/sign-in/callback`])
    const { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET, person } = provider
    const api = await startAnotherApi(service, { PUBLIC_URL, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET })
    await deleteAllAccounts(em())
    const link = await createFirstInvitation(em())
    const other = await createFirstInvitation(em())
    const { answer, browser } = await signInAt(api, provider, link)
    assert.equal(answer.status, 200)
    const { account, workspaces } = (await browser.ask('GET', 'session')).body.data
    assert.deepEqual([account.email, workspaces[0].role], [person.email, 'owner'])
    for (const token of [link, other])
      assert.equal((await browser.ask('POST', 'invitation', { body: { token } })).refused, '404 invitation_not_found')
    Object.assign(person, { subject: 'another', email: 'another@example.com' })
    assert.equal((await signInAt(api, provider, other)).answer.refused, '404 invitation_not_found')
    await api.stop()
    await provider.close()
  })

  it('ends all sessions and invitations when the database is restored', async () => {
    const { browser, email } = await aMember(service)
    const token = await aLink(service)
    await markRestored(service.context.orm.em.fork())
    assert.equal((await browser.ask('GET', 'session')).refused, '401 signed_out')
    assert.equal((await browser.ask('POST', 'invitation', { body: { token } })).refused, '404 invitation_not_found')
    const again = await openBrowser(service).ask('POST', 'session', { body: { email, password: PASSWORD } })
    assert.equal(again.status, 200)
  })
})
