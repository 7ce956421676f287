import assert from 'node:assert/strict'
import { markRestored } from '../../src/relay/restored.ts'
import { newId } from '../../src/platform/ids.ts'
import { forgetEnded } from '../../src/accounts/queries.ts'
import { assertFewProofs } from '../../src/accounts/windows.ts'
import { beginSession } from '../../src/accounts/sessions.ts'
import { inviteFirst } from '../../src/accounts/invitations.ts'
import { createFirstWorkspace } from '../../src/workspaces/create-first-workspace.ts'
import { createDatabase } from '../support/database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { Role } from '../../src/http/roles.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { aLink, aMember, PASSWORD } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('signing in', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())
  // All of them come from one address.
  beforeEach(() => sql(em(), 'delete from rate_windows'))

  const em = () => service.context.orm.em.fork()
  const link = (role?: Role, email?: string) => aLink(service, role, email)
  const aMemberOf = (role?: Role) => aMember(service, role)
  const session = ({ browser }: { browser: BrowserLike }) => browser.ask('GET', 'session')
  const signIn = (email: string, password = PASSWORD, browser = openBrowser(service)) =>
    browser.ask('POST', 'session', { body: { email, password } })

  it('is by an invitation at first, which is used up', async () => {
    const token = await link('editor')
    const browser = openBrowser(service)
    const offer = await browser.ask('POST', 'invitation', { body: { token } })
    assert.deepEqual([offer.body.data.role, offer.body.data.email], ['editor', null])
    const body = { token, email: 'Ada@example.com', password: PASSWORD }
    assert.equal((await browser.ask('POST', 'invitation/accept', { body })).status, 200)
    const { body: mine } = await session({ browser })
    assert.equal(mine.data.account.email, 'Ada@example.com')
    assert.deepEqual(
      mine.data.workspaces.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [[service.workspaceId, 'editor']],
    )
    const again = await openBrowser(service).ask('POST', 'invitation/accept', {
      body: { ...body, email: 'eve@example.com' },
    })
    assert.equal(again.refused, '404 invitation_not_found')
    assert.equal((await browser.ask('POST', 'invitation', { body: { token } })).refused, '404 invitation_not_found')
  })

  it('is by the first start, whose link makes one owner of both workspaces, and is worth nothing then', async () => {
    const { orm, url } = await createDatabase()
    const first = await startService({ worker: false, env: { DATABASE_URL: url } })
    try {
      let token: string | undefined
      await createFirstWorkspace(orm.em, async (_keys, transaction) => {
        token = await inviteFirst(transaction)
      })
      const another = await inviteFirst(orm.em)
      const accept = (of: string | undefined, email: string) =>
        openBrowser(first).ask('POST', 'invitation/accept', { body: { token: of, email, password: PASSWORD } })
      const both = await Promise.all([accept(token, 'one@example.com'), accept(another, 'two@example.com')])
      assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404])
      const members = await sql<{ mode: string; role: string }>(
        orm.em.fork(),
        'select mode, role from members join workspaces on id = workspace_id order by mode',
      )
      assert.deepEqual(members, [
        { mode: 'live', role: 'owner' },
        { mode: 'test', role: 'owner' },
      ])
      assert.equal(await inviteFirst(orm.em), undefined)
    } finally {
      await first.stop()
      await orm.close(true)
    }
  })

  it('lets one of two who accept at the same moment in', async () => {
    const token = await link()
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        openBrowser(service).ask('POST', 'invitation/accept', {
          body: { token, email: `${name}@example.com`, password: PASSWORD },
        }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404])
  })

  it('is by email and password from then on, the email in any case', async () => {
    const { email } = await aMemberOf()
    const browser = openBrowser(service)
    assert.equal((await signIn(email.toUpperCase(), PASSWORD, browser)).status, 200)
    assert.equal((await session({ browser })).body.data.account.email, email)
  })

  it('sets a cookie that no script reads, and no other site has sent', async () => {
    const { email } = await aMemberOf()
    const answer = await signIn(email)
    const [cookie] = answer.headers.getSetCookie()
    assert.match(cookie!, /^dripline=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
    assert.ok(!JSON.stringify(answer.body).includes(/=([\w-]+)/.exec(cookie!)![1]!))
  })

  it('tells nobody which of the two was wrong, in words or in time', async () => {
    const { email } = await aMemberOf()
    const wrong = await signIn(email, 'wrong horse battery')
    const nobody = await signIn('nobody@example.com')
    assert.equal(wrong.refused, '401 wrong_credentials')
    assert.deepEqual([nobody.refused, nobody.body], [wrong.refused, wrong.body])
  })

  it('takes a password of some length that is not everybody’s, and one of an account that is there as it is', async () => {
    const token = await link()
    for (const password of ['short', 'passwordpassword1', 'aaaaaaaaaaaaaaaa', 'weak@example.com', 'x'.repeat(300)]) {
      const { refused } = await openBrowser(service).ask('POST', 'invitation/accept', {
        body: { token, email: 'weak@example.com', password },
      })
      assert.equal(refused, '400 weak_password', password)
    }
    const { email } = await aMemberOf('viewer')
    const accept = (password: string) =>
      openBrowser(service).ask('POST', 'invitation/accept', { body: { token, email, password } })
    assert.equal((await accept('another horse battery')).refused, '401 wrong_credentials')
    assert.equal((await accept(PASSWORD)).status, 200)
    const { body } = await openBrowserOf(email)
    assert.equal(body.data.workspaces[0].role, 'owner')
  })
  const openBrowserOf = async (email: string) => {
    const browser = openBrowser(service)
    await signIn(email, PASSWORD, browser)
    return session({ browser })
  }

  it('is for whom an invitation names, and for nobody else', async () => {
    const token = await link('viewer', 'named@example.com')
    const accept = (email: string) =>
      openBrowser(service).ask('POST', 'invitation/accept', { body: { token, email, password: PASSWORD } })
    assert.equal((await accept('another@example.com')).refused, '400 invited_another')
    assert.equal((await accept('Named@example.com')).status, 200)
  })

  it('is not guessed: ten tries a minute from an address, and thirty for an account from anywhere', async () => {
    const { email } = await aMemberOf()
    await sql(em(), 'delete from rate_windows')
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, n) => signIn(email, `wrong horse ${n}`)))
    const refused = guesses.filter((guess) => guess.refused === '429 too_many_guesses')
    assert.equal(refused.length, 4)
    assert.ok(Number(refused[0]!.headers.get('retry-after')) > 0)
    // Also with the right one.
    assert.equal((await signIn(email)).refused, '429 too_many_guesses')
  })

  it('ends when somebody signs out, here or everywhere, and when the password is changed, everywhere else', async () => {
    const { browser, email } = await aMemberOf()
    const other = openBrowser(service)
    await signIn(email, PASSWORD, other)
    const stolen = other.cookie
    const { body } = await browser.ask('GET', 'sessions')
    assert.deepEqual(body.data.map(({ isThis }: { isThis: boolean }) => isThis).toSorted(), [false, true])
    const change = (presentPassword: string) =>
      browser.ask('PUT', 'account/password', { body: { presentPassword, password: 'battery staple horse' } })
    assert.equal((await change('wrong horse battery')).refused, '401 wrong_credentials')
    assert.equal((await change(PASSWORD)).status, 200)
    assert.equal((await session({ browser })).status, 200)
    assert.equal((await session({ browser: other })).refused, '401 signed_out')
    await signIn(email, 'battery staple horse', other)
    await browser.ask('DELETE', 'session')
    assert.equal(browser.cookie, undefined)
    assert.equal((await session({ browser: other })).status, 200)
    await other.ask('DELETE', 'sessions')
    other.cookie = stolen
    assert.equal((await session({ browser: other })).refused, '401 signed_out')
  })

  it('that is old ends no other one, and removes no passkey: by one that was stolen nobody is kept out', async () => {
    const { browser, email, accountId } = await aMemberOf()
    const other = openBrowser(service)
    await signIn(email, PASSWORD, other)
    const { body } = await browser.ask('GET', 'sessions')
    const sessions = body.data as { id: string; isThis: boolean }[]
    const idOf = (isThis: boolean) => sessions.find((each) => each.isThis === isThis)!.id
    const old = `update sessions set created_at = now() - interval '11 minutes' where id = $1 and account_id = $2`
    await sql(em(), old, [idOf(true), accountId])
    assert.equal((await browser.ask('DELETE', `sessions/${idOf(false)}`)).refused, '401 sign_in_again')
    assert.equal((await browser.ask('DELETE', `account/passkeys/${newId()}`)).refused, '401 sign_in_again')
    assert.equal((await session({ browser: other })).status, 200)
    assert.equal((await other.ask('DELETE', `sessions/${idOf(true)}`)).status, 200)
    assert.equal((await session({ browser })).refused, '401 signed_out')
  })

  it('that is old makes no owner, and ends none', async () => {
    const { browser, accountId } = await aMemberOf()
    const owner = await aMemberOf()
    const editor = await aMemberOf('editor')
    const { workspaceId } = service
    await sql(em(), `update sessions set created_at = now() - interval '11 minutes' where account_id = $1`, [accountId])
    const ask = async (method: string, path: string, body?: object) =>
      (await browser.ask(method, path, { workspaceId, ...(body && { body }) })).refused ?? 'done'
    assert.equal(await ask('POST', 'invitations', { role: 'owner' }), '401 sign_in_again')
    assert.equal(await ask('PATCH', `members/${editor.accountId}`, { role: 'owner' }), '401 sign_in_again')
    assert.equal(await ask('PATCH', `members/${owner.accountId}`, { role: 'editor' }), '401 sign_in_again')
    assert.equal(await ask('DELETE', `members/${owner.accountId}`), '401 sign_in_again')
    assert.equal(await ask('DELETE', `members/${accountId}`), '401 sign_in_again')
    // All else it may.
    assert.equal(await ask('POST', 'invitations', { role: 'editor' }), 'done')
    assert.equal(await ask('PATCH', `members/${editor.accountId}`, { role: 'viewer' }), 'done')
    assert.equal(await ask('DELETE', `members/${editor.accountId}`), 'done')
  })

  it('is one of thirty of an account: those that were used longest ago end', async () => {
    const { browser, accountId } = await aMemberOf()
    const used = `update sessions set last_used_at = now() + interval '1 minute' where account_id = $1`
    await sql(em(), used, [accountId])
    for (let n = 0; n < 32; n += 1) await beginSession(em(), accountId, 'Again')
    assert.equal((await sql(em(), 'select from sessions where account_id = $1', [accountId])).length, 30)
    assert.equal((await session({ browser })).status, 200)
  })

  it('tries the password so often in a minute, and all of an account so often together', async () => {
    const { accountId } = await aMemberOf()
    const tries = async (sessions: number) => {
      let letIn = 0
      for (let n = 0; n < sessions; n += 1) {
        const sessionId = newId()
        for (let m = 0; m < 11; m += 1)
          letIn += await assertFewProofs(em(), { accountId, sessionId }).then(
            () => 1,
            () => 0,
          )
      }
      return letIn
    }
    assert.equal(await tries(1), 10)
    assert.equal(await tries(7), 50)
  })

  it('is worth nothing to a page of another site', async () => {
    const { browser, email } = await aMemberOf()
    const foreign = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': '', Origin: 'null' },
      { 'Sec-Fetch-Site': '', Origin: '' },
    ]
    for (const headers of foreign) {
      const answer = await browser.ask('DELETE', 'session', { headers })
      assert.equal(answer.refused, '403 wrong_origin', JSON.stringify(headers))
    }
    assert.equal((await session({ browser })).status, 200)
    const [first] = foreign
    const forged = await openBrowser(service).ask('POST', 'session', {
      body: { email, password: PASSWORD },
      headers: first!,
    })
    assert.equal(forged.refused, '403 wrong_origin')
  })

  it('opens what a role may do, in a workspace that is one’s own', async () => {
    const workspaceId = service.workspaceId
    const { browser: viewer } = await aMemberOf('viewer')
    const { browser: editor } = await aMemberOf('editor')
    assert.equal((await viewer.ask('GET', 'lists', { workspaceId })).status, 200)
    assert.equal((await viewer.ask('POST', 'lists', { workspaceId, body: { name: 'x' } })).refused, '403 role_missing')
    assert.equal((await editor.ask('POST', 'lists', { workspaceId, body: { name: 'x' } })).status, 201)
    assert.equal((await editor.ask('GET', 'lists')).refused, '400 workspace_missing')
    const other = await startService({ worker: false })
    try {
      const foreign = await editor.ask('GET', 'lists', { workspaceId: other.workspaceId })
      assert.equal(foreign.refused, '403 no_member')
    } finally {
      await other.stop()
    }
    assert.equal((await service.call('GET', 'members')).refused, '403 people_only')
    assert.equal((await viewer.ask('GET', 'whoami', { workspaceId })).refused, '403 keys_only')
  })

  it('is given anew by a link of the command line for that very email, which ends what was before', async () => {
    const { email, browser } = await aMemberOf('viewer')
    const accept = (token: string) =>
      openBrowser(service).ask('POST', 'invitation/accept', {
        body: { token, email, password: 'another battery horse' },
      })
    assert.equal((await accept(await link('owner'))).refused, '401 wrong_credentials', 'not by one for anybody')
    assert.equal((await accept(await link('viewer', email))).status, 200)
    const told = await sql(em(), `select from audit_entries where operation = 'resetPassword' and actor_name = $1`, [
      email,
    ])
    assert.equal(told.length, 1)
    assert.equal((await session({ browser })).refused, '401 signed_out')
    assert.equal((await signIn(email, 'another battery horse')).status, 200)
    assert.equal((await signIn(email)).refused, '401 wrong_credentials')
  })

  it('is not by an old password that was being checked while it was changed', async () => {
    const { email, browser } = await aMemberOf()
    const change = browser.ask('PUT', 'account/password', {
      body: { presentPassword: PASSWORD, password: 'another battery horse' },
    })
    const tries = await Promise.all(Array.from({ length: 6 }, () => signIn(email)))
    assert.equal((await change).status, 200)
    const [row] = await sql<{ sessions: number }>(
      em(),
      `select count(*)::integer as sessions from sessions join accounts on accounts.id = account_id where email = $1`,
      [email],
    )
    assert.equal(row!.sessions, 1, JSON.stringify(tries.map(({ status }) => status)))
  })

  it('is ended by whoever signs in anew, whatever a stolen session has asked for', async () => {
    const { browser: stolen, email } = await aMemberOf('owner')
    await sql(
      em(),
      `select take_request(md5('session ' || sessions.id)::uuid, 1200, null)
       from sessions join accounts on accounts.id = account_id, generate_series(1, 1200) where email = $1`,
      [email],
    )
    assert.equal((await session({ browser: stolen })).refused, '429 rate_limited')
    const owner = openBrowser(service)
    owner.cookie = (await signIn(email, PASSWORD, owner)).headers.getSetCookie()[0]!.split(';')[0]
    assert.equal((await owner.ask('DELETE', 'sessions')).status, 200)
    await sql(em(), 'delete from rate_windows')
    assert.equal((await session({ browser: stolen })).refused, '401 signed_out')
  })

  it('is not by a link of somebody who may not invite any more', async () => {
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
      body: { presentPassword: PASSWORD, password: 'another battery horse' },
    })
    assert.equal((await accept(stolen, 'thief@example.com')).refused, '404 invitation_not_found')
  })

  it('is told of in the audit log of the workspace that somebody joins', async () => {
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

  it('is asked for at a host that is none with a 400', async () => {
    const { refused } = await openBrowser(service).ask('POST', 'session/passkey/begin', {
      headers: { 'X-Forwarded-Host': '[x' },
    })
    assert.equal(refused, undefined, 'of nobody who is trusted')
  })

  it('ends for everybody when the database is restored, and so does every link: of what a backup has, some was ended since', async () => {
    const restored = await startService({ worker: false })
    try {
      const { browser, email } = await aMember(restored)
      const token = await aLink(restored)
      await markRestored(restored.context.orm.em.fork())
      assert.equal((await browser.ask('GET', 'session')).refused, '401 signed_out')
      assert.equal((await browser.ask('POST', 'invitation', { body: { token } })).refused, '404 invitation_not_found')
      const again = await openBrowser(restored).ask('POST', 'session', { body: { email, password: PASSWORD } })
      assert.equal(again.status, 200)
    } finally {
      await restored.stop()
    }
  })

  it('leaves nothing of what has ended', async () => {
    const { browser } = await aMemberOf()
    await link('viewer')
    await openBrowser(service).ask('POST', 'session/passkey/begin')
    const there = async () => {
      const [row] = await sql<{ sessions: number; invitations: number; challenges: number }>(
        em(),
        `select (select count(*) from sessions)::integer as sessions, (select count(*) from invitations)::integer as invitations,
           (select count(*) from challenges)::integer as challenges`,
      )
      return row!
    }
    const before = await there()
    await forgetEnded(em(), 1_000)
    assert.deepEqual(await there(), before, 'what goes on stays')
    assert.ok(before.sessions > 0 && before.invitations > 0 && before.challenges > 0)
    for (const table of ['sessions', 'invitations', 'challenges'])
      await sql(em(), `update ${table} set expires_at = now() - interval '1 second'`)
    assert.equal((await session({ browser })).refused, '401 signed_out')
    await forgetEnded(em(), 1_000)
    assert.deepEqual(await there(), { sessions: 0, invitations: 0, challenges: 0 })
  })

  it('is given and taken by owners, of whom one stays', async () => {
    const workspaceId = service.workspaceId
    await sql(em(), 'delete from members')
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
    // Both go at the same moment.
    const both = await Promise.all([
      owner.ask('DELETE', `members/${mine}`, { workspaceId }),
      editor.ask('DELETE', `members/${theirs}`, { workspaceId }),
    ])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409])
  })

  it('is offered by owners alone, by a link that is shown once and can be taken back', async () => {
    const workspaceId = service.workspaceId
    const { browser: owner } = await aMemberOf('owner')
    const { browser: editor } = await aMemberOf('editor')
    const body = { role: 'editor', email: 'guest@example.com' }
    assert.equal((await editor.ask('POST', 'invitations', { workspaceId, body })).refused, '403 role_missing')
    const made = await owner.ask('POST', 'invitations', { workspaceId, body, headers: { 'Idempotency-Key': 'x' } })
    assert.match(made.body.data.link, /^http:\/\/127\.0\.0\.1:\d+\/join#[\w-]{43}$/)
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
})
