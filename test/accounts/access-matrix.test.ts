import assert from 'node:assert/strict'
import { isAtLeast, type Role, ROLES } from '../../src/http/roles.ts'
import { operations } from '../../src/runtime/operations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Operation } from '../../src/http/operation.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { aMember } from '../support/members.ts'
import { startService, type Answer, type Service } from '../support/service.ts'

/** The minimum role that an operation requires; `undefined` for open operations. */
const leastFor = ({ scope, role, open }: Operation): Role | undefined =>
  open ? undefined : (role ?? (scope == null || scope.endsWith(':read') ? 'viewer' : 'editor'))

describe('access of signed-in people', () => {
  let service: Service
  let elsewhere: string
  const people = {} as Record<Role | 'stranger', BrowserLike>
  before(async () => {
    service = await startService({ worker: false })
    elsewhere = (await createWorkspace(service.context.orm.em, { name: 'Another', mode: 'test' })).id
    for (const role of ROLES) people[role] = (await aMember(service, role)).browser
    people.stranger = (await aMember(service, 'owner', elsewhere)).browser
  })
  after(() => service.stop())
  // Requests without an account share one address, and so one rate limit.
  beforeEach(() => sql(service.context.orm.em.fork(), 'delete from rate_windows'))

  /** Calls an operation with IDs that do not exist. An allowed caller gets a 404, or a 400 for the body. */
  const ask = ({ method, path }: Operation, browser: BrowserLike, headers = {}): Promise<Answer> => {
    const filled = path.slice(1).replaceAll(/\{\w+\}/g, () => newId())
    const body = method === 'GET' || method === 'DELETE' ? undefined : 1
    return browser.ask(method, filled, { body, workspaceId: service.workspaceId, headers })
  }
  /** A session that the operation may end, as a sign-out does. */
  const aSession = async (role: Role = 'owner'): Promise<BrowserLike> => (await aMember(service, role)).browser
  const code = ({ refused }: Answer) => refused?.split(' ')[1]
  const GATES = ['role_missing', 'not_a_member', 'people_only', 'signed_out', 'key_missing', 'wrong_origin']

  for (const operation of operations) {
    const { id, method, path, open } = operation
    const least = leastFor(operation)
    const isChange = method !== 'GET'

    describe(`${method} ${path}`, () => {
      for (const role of ROLES) {
        const isAllowed = least === undefined || isAtLeast(role, least)
        it(`${isAllowed ? 'admits' : 'rejects'} a${role === 'viewer' ? '' : 'n'} ${role}`, async () => {
          // An operation may end its session, which the next operation must not inherit.
          const answer = await ask(operation, open ? await aSession(role) : people[role])
          if (id === 'whoami') assert.equal(answer.refused, '403 keys_only')
          // Members who are not owners may remove only themselves.
          else if (id === 'removeMember' && role !== 'owner') assert.equal(answer.refused, '403 role_missing')
          else if (isAllowed) assert.ok(!GATES.includes(code(answer) ?? ''), answer.refused)
          else assert.equal(answer.refused, '403 role_missing')
        })
      }

      it(`${open === 'anybody' ? 'admits' : 'rejects'} requests without a session and with an ended session`, async () => {
        const ended = await aSession()
        const { cookie } = ended
        await ended.ask('DELETE', 'session')
        ended.cookie = cookie
        const answers = [await ask(operation, openBrowser(service)), await ask(operation, ended)]
        if (open === 'anybody')
          for (const answer of answers) assert.ok(!GATES.includes(code(answer) ?? ''), answer.refused)
        else {
          const expectedCode = open === 'account' ? 'signed_out' : 'key_missing'
          assert.deepEqual(
            answers.map(({ refused }) => refused),
            [`401 ${expectedCode}`, '401 signed_out'],
          )
        }
      })

      if (!open) {
        it('rejects people who are not members, with the same error as for a workspace that does not exist', async () => {
          const foreign = await ask(operation, people.stranger)
          assert.equal(foreign.refused, '403 not_a_member')
          const none = await ask(operation, people.stranger, { 'X-Workspace-Id': newId() })
          assert.deepEqual([none.refused, none.body], [foreign.refused, foreign.body])
          assert.equal((await ask(operation, people.owner, { 'X-Workspace-Id': '' })).refused, '400 workspace_missing')
        })
      }

      if (isChange) {
        it('rejects requests from a page of another site', async () => {
          for (const headers of [
            { 'Sec-Fetch-Site': 'cross-site' },
            { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
          ]) {
            assert.equal((await ask(operation, people.owner, headers)).refused, '403 wrong_origin', id)
          }
          assert.equal((await people.owner.ask('GET', 'session')).status, 200)
        })
      }

      if (operation.scope === undefined && !open) {
        it('rejects API keys, regardless of their scopes', async () => {
          const filled = path.slice(1).replaceAll(/\{\w+\}/g, () => newId())
          assert.equal((await service.call(method, filled)).refused, '403 people_only')
        })
      }
    })
  }
})
