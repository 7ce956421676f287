import assert from 'node:assert/strict'
import { messageIdHeader, type StepRef } from '../../src/messages/message.ts'

describe('Message-ID', () => {
  it('returns the same Message-ID for the same message, and a different one for another step or a campaign', () => {
    const ref: StepRef = { kind: 'step', enrollmentId: 'e', stepId: 's' }
    const header = messageIdHeader(ref, 'example.com')
    assert.equal(header, messageIdHeader({ ...ref }, 'example.com'))
    assert.notEqual(header, messageIdHeader({ ...ref, stepId: 't' }, 'example.com'))
    assert.notEqual(header, messageIdHeader({ kind: 'campaign', campaignId: 'c', contactId: 's' }, 'example.com'))
  })
})
