import assert from 'node:assert/strict'
import { describe as describeResult } from '../../../packages/cli/src/plan/rehearse.ts'

const DONE = { status: 'DONE' as const, done: 1_204, entered: 0, emails: 0, refused: [], problem: null }
const compared = (...differences: { difference: number; contacts: number }[]) =>
  ({ differences }) as unknown as NonNullable<Parameters<typeof describeResult>[0]['current']>

describe('the result of a rehearsal in a plan', () => {
  it('compares nothing with an automation that was never active', () => {
    const text = describeResult({ ...DONE, entered: 3, emails: 6 })
    assert.equal(text, 'Rehearsed for 1,204 contacts: 3 would enter and get 6 emails.')
  })

  it('has the reason if no contact would enter, and the emails that they would no longer get', () => {
    const refused = [
      { rule: 'REENTRY' as const, contacts: 4 },
      { rule: 'FILTER' as const, contacts: 1_200 },
    ]
    const current = compared({ difference: -2, contacts: 1_200 }, { difference: 0, contacts: 4 })
    assert.equal(
      describeResult({ ...DONE, refused, current }),
      'Rehearsed for 1,204 contacts: none would enter, mostly because they do not match the entry filter. ' +
        'Compared with the current version, 1,200 would get 2 fewer emails.',
    )
  })

  it('states that nothing differs', () => {
    const text = describeResult({ ...DONE, entered: 1, emails: 1, current: compared({ difference: 0, contacts: 1 }) })
    assert.match(text, /All would get the same number of emails as in the current version\.$/)
  })
})
