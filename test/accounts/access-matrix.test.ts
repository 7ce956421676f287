import assert from 'node:assert/strict'
import { type Role, ROLES } from '../../src/http/roles.ts'
import { operations } from '../../src/runtime/operations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Operation } from '../../src/http/operation.ts'
import { type BrowserLike, openBrowser } from '../support/browser-like.ts'
import { aMember } from '../support/members.ts'
import { EXPECTED, expectedOf, mayUse } from '../support/operations-table.ts'
import type { Answer, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

const GATES = ['role_missing', 'not_a_member', 'people_only', 'signed_out', 'key_missing', 'wrong_origin']

function assertAdmitted({ refused, status }: Answer): void {
  assert.ok(status < 500, refused)
  assert.ok(!GATES.includes(refused?.split(' ')[1] ?? ''), refused)
}

describe('access of signed-in people', () => {
  let service: Service
  const people = {} as Record<Role | 'stranger', BrowserLike>
  before(async () => {
    service = await openWorkspace({ worker: false })
    for (const role of ROLES) people[role] = (await aMember(service, role)).browser
    const { workspaceId: elsewhere } = await openWorkspace({ worker: false })
    people.stranger = (await aMember(service, 'owner', elsewhere)).browser
  })
  // Requests without an account share one address, and so one rate limit.
  beforeEach(() => sql(service.context.orm.em.fork(), 'delete from rate_windows'))

  const fill = ({ path }: Operation) => path.slice(1).replaceAll(/\{\w+\}/g, () => newId())
  /** Calls an operation with IDs that do not exist. An allowed caller gets a 404, or a 400 for the body. */
  const ask = (operation: Operation, browser: BrowserLike, headers = {}): Promise<Answer> => {
    const { method } = operation
    const body = method === 'GET' || method === 'DELETE' ? undefined : 1
    return browser.ask(method, fill(operation), { body, workspaceId: service.workspaceId, headers })
  }
  const aSession = async (role: Role = 'owner'): Promise<BrowserLike> => (await aMember(service, role)).browser

  /** The callers of an operation, with checks of their responses. */
  function callersOf(operation: Operation): Record<string, () => Promise<void>> {
    const { id, method } = operation
    const expected = expectedOf(operation)
    const isOpen = expected.role === undefined

    const ofRole = (role: Role) => async () => {
      // An operation may end its session, which the next operation must not inherit.
      const answer = await ask(operation, isOpen ? await aSession(role) : people[role])
      if (id === 'whoami') assert.equal(answer.refused, '403 keys_only')
      // Members who are not owners may remove only themselves.
      else if (id === 'removeMember' && role !== 'owner') assert.equal(answer.refused, '403 role_missing')
      else if (mayUse(expected, role)) assertAdmitted(answer)
      else assert.equal(answer.refused, '403 role_missing')
    }

    const withoutSession = (browser: BrowserLike, code: string) => async () => {
      const answer = await ask(operation, browser)
      if (expected.who === 'anybody') assertAdmitted(answer)
      else assert.equal(answer.refused, `401 ${code}`)
    }

    return {
      ...Object.fromEntries(ROLES.map((role) => [role, ofRole(role)])),
      'no session': withoutSession(openBrowser(service), expected.who === 'account' ? 'signed_out' : 'key_missing'),
      async 'an ended session'() {
        const ended = await aSession()
        const { cookie } = ended
        await ended.ask('DELETE', 'session')
        ended.cookie = cookie
        await withoutSession(ended, 'signed_out')()
      },
      ...(!isOpen && {
        async 'people who are not members'() {
          const foreign = await ask(operation, people.stranger)
          assert.equal(foreign.refused, '403 not_a_member')
          const none = await ask(operation, people.stranger, { 'X-Workspace-Id': newId() })
          assert.deepEqual([none.refused, none.body], [foreign.refused, foreign.body])
        },
        async 'no workspace'() {
          const { refused } = await ask(operation, people.owner, { 'X-Workspace-Id': '' })
          assert.equal(refused, '400 workspace_missing')
        },
      }),
      ...(method !== 'GET' && {
        async 'a page of another site'() {
          for (const headers of [
            { 'Sec-Fetch-Site': 'cross-site' },
            { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
          ])
            assert.equal((await ask(operation, people.owner, headers)).refused, '403 wrong_origin')
          assert.equal((await people.owner.ask('GET', 'session')).status, 200)
        },
      }),
      ...(expected.who === 'people' && {
        async 'an API key'() {
          assert.equal((await service.call(method, fill(operation))).refused, '403 people_only')
        },
      }),
    }
  }

  it('covers exactly the operations in test/http/operations.tsv', () => {
    const actual = operations.map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(actual.toSorted(), EXPECTED.map(({ operation }) => operation).toSorted())
  })

  for (const operation of operations)
    it(`is limited at ${operation.method} ${operation.path}`, () => checkRows(callersOf(operation), (check) => check()))
})
