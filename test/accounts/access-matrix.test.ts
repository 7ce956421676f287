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

/** What somebody has to be for an operation; `undefined` where no role is asked for. */
const leastFor = ({ scope, role, open }: Operation): Role | undefined =>
  open ? undefined : (role ?? (scope?.endsWith(':write') ? 'editor' : 'viewer'))

describe('who is signed in', () => {
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
  // Those who are nobody come from one address.
  beforeEach(() => sql(service.context.orm.em.fork(), 'delete from rate_windows'))

  /** Asks with ids of nothing: whoever may is told that it is not there, or what is wrong with the body. */
  const ask = ({ method, path }: Operation, browser: BrowserLike, headers = {}): Promise<Answer> => {
    const filled = path.slice(1).replaceAll(/\{\w+\}/g, () => newId())
    const body = method === 'GET' || method === 'DELETE' ? undefined : 1
    return browser.ask(method, filled, { body, workspaceId: service.workspaceId, headers })
  }
  /** Ended, as somebody's is who has signed out. */
  const aSession = async (role: Role = 'owner'): Promise<BrowserLike> => (await aMember(service, role)).browser
  const code = ({ refused }: Answer) => refused?.split(' ')[1]
  const GATES = ['role_missing', 'not_a_member', 'people_only', 'signed_out', 'key_missing', 'wrong_origin']

  for (const operation of operations) {
    const { id, method, path, open } = operation
    const least = leastFor(operation)
    const isChange = method !== 'GET'

    describe(`${method} ${path}`, () => {
      for (const role of ROLES) {
        const may = least === undefined || isAtLeast(role, least)
        it(`is ${may ? 'open' : 'closed'} to a${role === 'viewer' ? '' : 'n'} ${role}`, async () => {
          // What it does to sessions must not meet the next.
          const answer = await ask(operation, open ? await aSession(role) : people[role])
          if (id === 'whoami') assert.equal(answer.refused, '403 keys_only')
          // Whoever is no owner may remove themselves alone.
          else if (id === 'removeMember' && role !== 'owner') assert.equal(answer.refused, '403 role_missing')
          else if (may) assert.ok(!GATES.includes(code(answer) ?? ''), answer.refused)
          else assert.equal(answer.refused, '403 role_missing')
        })
      }

      it(`is ${open === 'anybody' ? 'open' : 'closed'} without a session, and with one that has ended`, async () => {
        const ended = await aSession()
        const { cookie } = ended
        await ended.ask('DELETE', 'session')
        ended.cookie = cookie
        const answers = [await ask(operation, openBrowser(service)), await ask(operation, ended)]
        if (open === 'anybody')
          for (const answer of answers) assert.ok(!GATES.includes(code(answer) ?? ''), answer.refused)
        else {
          const nobody = open === 'account' ? 'signed_out' : 'key_missing'
          assert.deepEqual(
            answers.map(({ refused }) => refused),
            [`401 ${nobody}`, '401 signed_out'],
          )
        }
      })

      if (!open) {
        it('is closed to whoever is no member of the workspace, as if there were none', async () => {
          const theirs = await ask(operation, people.stranger)
          assert.equal(theirs.refused, '403 not_a_member')
          const none = await ask(operation, people.stranger, { 'X-Workspace-Id': newId() })
          assert.deepEqual([none.refused, none.body], [theirs.refused, theirs.body])
          assert.equal((await ask(operation, people.owner, { 'X-Workspace-Id': '' })).refused, '400 workspace_missing')
        })
      }

      if (isChange) {
        it('is closed to a page of another site', async () => {
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
        it('is closed to keys, whatever their scopes', async () => {
          const filled = path.slice(1).replaceAll(/\{\w+\}/g, () => newId())
          assert.equal((await service.call(method, filled)).refused, '403 people_only')
        })
      }
    })
  }
})
