import assert from 'node:assert/strict'
import { canEmailAfter, canEmailFrom } from '../../dashboard/src/pages/builder/next-email.ts'
import { indexTree } from '../../dashboard/src/pages/builder/step-tree.ts'
import { readSteps } from '../../dashboard/src/pages/builder/steps.ts'

const wait = (id: string) => ({ id, type: 'WAIT', delayMinutes: 60 })
const email = (id: string) => ({ id, type: 'EMAIL', subject: 'Hello', text: 'Hi' })
const condition = (id: string, yes: object[], no: object[]) => ({
  ...{ id, type: 'CONDITION', else: no },
  branches: [{ name: 'Yes', if: { tag: 'vip' }, steps: yes }],
})

const read = (given: object[]) => {
  const steps = readSteps(given) ?? []
  const tree = indexTree(steps)
  return {
    after: (id: string) => canEmailAfter(id, steps, tree),
    from: (id: string) => canEmailFrom(id, steps, tree),
  }
}

describe('next email of contacts who continue at once', () => {
  it('follows a wait directly or after a change of the contact, not after another wait or an exit', () => {
    const { after, from } = read([
      wait('first'),
      wait('second'),
      { id: 'change', type: 'UPDATE_CONTACT', addTags: ['vip'] },
      email('hello'),
      wait('last'),
      { id: 'exit', type: 'EXIT' },
    ])
    assert.deepEqual(['first', 'second', 'hello', 'last'].map(after), [false, true, false, false])
    assert.deepEqual(['second', 'change', 'hello', 'exit', 'unknown'].map(from), [false, true, true, false, false])
  })

  it('can be in a branch, or after the end of a branch', () => {
    const { after } = read([
      wait('before'),
      condition('is VIP', [wait('in branch')], [email('other')]),
      email('hello'),
      wait('before waits'),
      condition('is VIP too', [wait('one')], [wait('two')]),
      email('bye'),
    ])
    assert.deepEqual(['before', 'in branch', 'before waits', 'two'].map(after), [true, true, false, true])
  })

  it('is the first one of the timeout of a wait for an event', () => {
    const event = { type: 'WAIT_FOR_EVENT', eventName: 'order.placed', timeoutMinutes: 60, received: [email('thanks')] }
    const { after } = read([
      { ...event, id: 'ends', timedOut: [wait('longer')] },
      { ...event, id: 'emails', received: [], timedOut: [] },
      email('hello'),
    ])
    assert.deepEqual(['ends', 'emails', 'thanks'].map(after), [false, true, false])
  })
})
