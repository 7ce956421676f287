import assert from 'node:assert/strict'
import { INITIAL_STATE, nextTransition, type StoredStep } from '../../src/automation-engine/index.ts'
import { dueTime } from '../../src/enrollments/due-time.ts'
import { movedTo } from '../../src/enrollments/moved-to.ts'
import { progressOf } from '../../src/enrollments/progress.ts'

const MINUTE = 60_000
const email = (id: string) => ({ id, type: 'EMAIL' }) as StoredStep
const wait = (id: string, delayMinutes: number) => ({ id, type: 'WAIT', delayMinutes }) as StoredStep
/** Minutes after the enrollment began. */
const at = (minutes: number) => new Date(minutes * MINUTE)
const done = (stepId: string, minutes: number) => ({ stepId, at: at(minutes) })

describe('an enrollment in a version with another order of steps', () => {
  // It has had the emails a and b, and moved after 30 minutes, in the wait before c. The version has b after c.
  const steps = [email('new'), email('a'), wait('w', 60), email('c'), wait('v', 10), email('b'), email('d')]
  const moved = movedTo(steps, { stepId: 'w', wakeAt: 70 * MINUTE, arrives: false }, ['a', 'b'], 30 * MINUTE)
  const before = [done('a', 5), done('b', 10)]

  it('remembers where it was, and the later steps that it has passed', () => {
    assert.deepEqual(moved, { stepId: 'w', since: 30 * MINUTE, at: 70 * MINUTE, passed: ['b'], reached: {} })
    assert.deepEqual(movedTo(steps, { stepId: 'end', wakeAt: null, arrives: false }, ['a'], 9), {
      ...{ stepId: null, since: 9, at: 9, passed: [], reached: {} },
    })
  })

  it('resumes without its workflow where it was when it moved, or after the last step that it has passed since', () => {
    const resumed = (results: typeof before) => progressOf({ steps, movedTo: moved, done: results }, at(0))
    assert.deepEqual(resumed(before), { stepId: 'w', at: 70 * MINUTE, isPresent: true })
    assert.deepEqual(resumed([...before, done('c', 71)]), { stepId: 'c', at: 71 * MINUTE })
    const cameBackToB = { ...moved, reached: { b: 90 * MINUTE } }
    assert.deepEqual(progressOf({ steps, movedTo: cameBackToB, done: before }, at(0)), { stepId: 'b', at: 90 * MINUTE })
    assert.deepEqual(progressOf({ steps, movedTo: null, done: before }, at(0)), { stepId: 'b', at: 10 * MINUTE })
    assert.deepEqual(progressOf(undefined, at(3)), { stepId: null, at: 3 * MINUTE })
  })

  it('waits until the end of the wait to which it moved, sends the email to which it moved, or ends', () => {
    const effects = (stepId: string | null) => {
      const resumeAfter = { stepId, at: 70 * MINUTE, isPresent: true } as const
      return nextTransition(steps, INITIAL_STATE, { kind: 'begun', resumeAfter }, 90 * MINUTE).effects
    }
    assert.deepEqual(effects('w').at(-1), { do: 'wait', until: 70 * MINUTE })
    assert.deepEqual(effects('c'), [{ do: 'send', stepId: 'c' }])
    assert.deepEqual(effects(null), [{ do: 'end', status: 'COMPLETED' }])
  })

  it('is due at a step after the waits since it moved', () => {
    const passed = before.map((step) => ({ ...step, since: step.at }))
    const due = (stepId: string, results = passed) =>
      dueTime({ steps, startedAt: at(0), movedTo: moved }, results, stepId)
    assert.deepEqual(due('c'), { since: at(30), due: at(70) })
    assert.deepEqual(due('d'), { since: at(30), due: at(80) })
    assert.deepEqual(due('d', [...passed, { stepId: 'c', since: at(75), at: at(75) }]), { since: at(75), due: at(85) })
    assert.deepEqual(dueTime({ steps, startedAt: at(0), movedTo: null }, passed, 'd'), { since: at(10), due: at(10) })
  })
})
