import assert from 'node:assert/strict'
import { describeStep } from '../../src/automation-engine/steps/index.ts'
import { describeDelay } from '../../src/automation-engine/steps/wait.ts'

describe('the description of a step', () => {
  it('contains days, hours and minutes', () => assert.equal(describeDelay(1501), '1 day 1 hour 1 minute'))
  it('contains its position', () =>
    assert.equal(
      describeStep(
        [
          { id: 'a', type: 'EMAIL' },
          { id: 'b', type: 'WAIT', delayMinutes: 60 },
        ],
        1,
      ),
      '2 of 2: WAIT 1 hour',
    ))
})
