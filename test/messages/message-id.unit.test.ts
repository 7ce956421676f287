import assert from 'node:assert/strict'
import { messageIdHeader } from '../../src/messages/message.ts'

describe('Message-ID', () => {
  it('is the same for the same key, and another for another visit', () => {
    const key = { enrollmentId: 'e', stepId: 's', visit: 0 }
    assert.equal(messageIdHeader(key, 'example.com'), messageIdHeader({ ...key }, 'example.com'))
    assert.notEqual(messageIdHeader(key, 'example.com'), messageIdHeader({ ...key, visit: 1 }, 'example.com'))
  })
})
