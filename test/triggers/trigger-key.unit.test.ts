import assert from 'node:assert/strict'
import { triggerKey } from '../../src/triggers/trigger.ts'

describe('trigger key', () => {
  it('ignores the case of event names', () =>
    assert.equal(
      triggerKey('EVENT', { eventName: 'Straße PURCHASED' }),
      triggerKey('EVENT', { eventName: 'straße purchased' }),
    ))
  it('is null without a configuration', () => assert.equal(triggerKey('EVENT', {}), null))
})
