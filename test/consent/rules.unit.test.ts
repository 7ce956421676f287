import assert from 'node:assert/strict'
import { automationsToEnd, type Stop } from '../../src/consent/rules.ts'

const ENROLLMENTS = [
  { automationId: 'marketing', emails: 2, transactional: 0, addedTo: 'news', asksFor: null },
  { automationId: 'receipt', emails: 2, transactional: 1, addedTo: 'news', asksFor: null },
  { automationId: 'silent', emails: 0, transactional: 0, addedTo: 'news', asksFor: null },
  { automationId: 'asking', emails: 1, transactional: 1, addedTo: null, asksFor: 'news' },
  { automationId: 'other', emails: 1, transactional: 0, addedTo: 'offers', asksFor: null },
]

describe('automationsToEnd', () => {
  const cases: [string, Stop, string[]][] = [
    ['all that have an email', { kind: 'all' }, ['marketing', 'receipt', 'asking', 'other']],
    ['those without a transactional email', { kind: 'marketing' }, ['marketing', 'other']],
    ['those that a list started', { kind: 'list', listId: 'news' }, ['marketing']],
    ['those that ask for a list', { kind: 'request', listId: 'news' }, ['asking']],
  ]
  for (const [what, stop, expected] of cases) {
    it(`ends ${what}`, () => {
      assert.deepEqual(automationsToEnd(ENROLLMENTS, stop), expected)
    })
  }
})
