import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  it('takes secrets from files, and the password into the URL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dripline-config-'))
    const file = join(folder, 'password')
    writeFileSync(file, 'p@ss/word\n')
    const given = { DATABASE_URL: 'postgresql://user@host:5432/db', DATABASE_PASSWORD_FILE: file }
    assert.equal(readConfig(given).DATABASE_URL, 'postgresql://user:p%40ss%2Fword@host:5432/db')
    assert.throws(() => readConfig({ SMTP_URL_FILE: join(folder, 'none') }), /SMTP_URL_FILE names a file/)
    rmSync(folder, { recursive: true })
  })
})
