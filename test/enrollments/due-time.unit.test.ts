import assert from 'node:assert/strict'
import { dueTime } from '../../src/enrollments/due-time.ts'
import type { StoredStep } from '../../src/automation-engine/index.ts'

const email = (id: string) => ({ id, type: 'EMAIL' }) as StoredStep
const wait = (id: string, delayMinutes: number) => ({ id, type: 'WAIT', delayMinutes }) as StoredStep
const at = (time: string) => new Date(`2026-01-01T${time}:00Z`)

describe('the time at which a step was due', () => {
  const startedAt = at('10:00')
  const steps = [wait('w1', 10), email('a'), wait('w2', 20), wait('w3', 30), email('b'), email('c')]
  const cases: [what: string, final: [string, string][], stepId: string, since: string, due: string][] = [
    ['follows from the start and the waits since', [], 'a', '10:00', '10:10'],
    ['adds all waits if no email before it is final', [], 'b', '10:00', '11:00'],
    ['follows from the last email before it', [['a', '10:15']], 'b', '10:15', '11:05'],
    [
      'is the time of the email right before it',
      [
        ['b', '12:00'],
        ['a', '10:15'],
      ],
      'c',
      '12:00',
      '12:00',
    ],
    ['skips an email that is not final', [['a', '10:15']], 'c', '10:15', '11:05'],
    [
      'ignores emails after it, and itself',
      [
        ['a', '10:15'],
        ['b', '12:00'],
        ['c', '12:30'],
      ],
      'b',
      '10:15',
      '11:05',
    ],
    ['ignores emails that the automation no longer has', [['deleted', '10:30']], 'a', '10:00', '10:10'],
  ]
  for (const [what, final, stepId, since, due] of cases)
    it(what, () => {
      const times = final.map(([id, time]) => ({ stepId: id, since: at(time), at: at(time) }))
      assert.deepEqual(dueTime({ steps, startedAt, movedTo: null }, times, stepId), { since: at(since), due: at(due) })
    })

  it('follows from the recorded end of a WAIT_UNTIL, whose beginning is when the record was made', () => {
    const withTarget = [email('a'), { id: 'until', type: 'WAIT_UNTIL' } as StoredStep, wait('w', 10), email('b')]
    const passed = [
      { stepId: 'a', since: at('10:00'), at: at('10:00') },
      { stepId: 'until', since: at('10:01'), at: at('15:00') },
    ]
    assert.deepEqual(dueTime({ steps: withTarget, startedAt, movedTo: null }, passed, 'b'), {
      since: at('10:01'),
      due: at('15:10'),
    })
  })

  it('is the start for a first step', () => {
    assert.deepEqual(dueTime({ steps: [email('a')], startedAt, movedTo: null }, [], 'a'), {
      since: startedAt,
      due: startedAt,
    })
  })

  it('is unknown for a step that the enrollment does not have', () => {
    assert.equal(dueTime({ steps, startedAt, movedTo: null }, [], 'deleted'), undefined)
  })
})
