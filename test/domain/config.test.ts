import assert from 'node:assert/strict'
import { readConfig } from '../../src/config.ts'

describe('configuration', () => {
  it('has a default for all that may be left out, an empty variable included', () => {
    const config = readConfig({ PORT: '', SMTP_URL: '' })
    assert.equal(config.PORT, 3000)
    assert.equal(config.SMTP_URL, undefined)
  })

  it('names every variable that is wrong, and repeats no secret', () => {
    const wrong = {
      PORT: 'many',
      DATABASE_URL: 'mysql://user:secret@host/db',
      TEMPORAL_ADDRESS: 'http://host',
      SMTP_URL: 'smtp.example.com',
    }
    assert.throws(
      () => readConfig(wrong),
      (error: Error) =>
        Object.keys(wrong).every((name) => error.message.includes(name)) && !error.message.includes('secret'),
    )
  })
})
